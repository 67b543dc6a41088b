#!/usr/bin/env python3
"""Killed ranks and a killed mpiexec, with a real MPI program, at random moments of its whole life: a plain
message, nothing left. Usage: mpi_kill_test.py BIN_FOLDER PROGRAM_FOLDER SHALLOW_WATER"""
import os
import random
import re
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mpiexec_test import BIN, Job, children, managers, processes_with, wait_until  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
MOMENTS = 20
RANKS = 4


class Kills(unittest.TestCase):
    """The seed is printed, and LAUNCH_TEST_SEED repeats it."""

    def setUp(self):
        seed = int(os.environ.get("LAUNCH_TEST_SEED", time.time_ns() % 10**9))
        print(f"seed {seed}", file=sys.stderr)
        self.random = random.Random(seed)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.token = os.path.join(self.folder.name, "picture.png")

    def start(self, *before):
        job = Job("-n", RANKS, *before, PROGRAM, "--cells", "64", "--steps", "100000000", "--picture", self.token)
        wait_until(lambda: managers(job.process.pid), "mpiexec has no manager")
        return job, managers(job.process.pid)[0]

    def nothing_left(self):
        wait_until(lambda: not processes_with(self.token), "processes are left")
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_killed_rank(self):
        for _ in range(MOMENTS):
            job, manager = self.start()
            wait_until(lambda: children(manager), "no rank started")
            time.sleep(self.random.uniform(0, 0.15))
            os.kill(self.random.choice(children(manager)), signal.SIGKILL)
            job.end()
            self.assertEqual(job.code, 128 + signal.SIGKILL, job.err)
            self.assertRegex(job.err, r"(?m)^mpiexec: rank \d.*: killed \(signal 9\)$")
            self.nothing_left()

    def test_a_killed_mpiexec(self):
        for _ in range(MOMENTS):
            job, _ = self.start()
            time.sleep(self.random.uniform(0, 0.15))
            job.process.kill()
            self.nothing_left()
            job.end()

    def test_both_processes_of_mpiexec_killed_with_a_shell_between(self):
        script = os.path.join(self.folder.name, "between")
        with open(script, "w") as file:
            file.write('"$@"\n')
        for _ in range(MOMENTS):
            job, manager = self.start("sh", script)
            time.sleep(self.random.uniform(0, 0.15))
            os.kill(job.process.pid, signal.SIGSTOP)
            os.kill(manager, signal.SIGKILL)
            job.process.kill()
            wait_until(lambda: not processes_with(self.token), "processes are left")
            job.end()

    def test_shared_memory_leaves_no_file(self):
        before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        job, manager = self.start()
        wait_until(lambda: len(children(manager)) == RANKS, "the ranks did not start")
        time.sleep(0.1)
        during = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        job.process.kill()
        self.nothing_left()
        job.end()
        self.assertEqual([name for name in during - before if re.search("baton", name)], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
