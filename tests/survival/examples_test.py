#!/usr/bin/env python3
"""The examples of survivors, whose ranks are killed at random. Usage: examples_test.py BIN EXAMPLES KILLED_RUNS [FIRST_SEED]"""

import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

BIN, EXAMPLES = sys.argv[1:3]
RUNS = int(sys.argv[3])
FIRST_SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
del sys.argv[1:]
WATCHDOG_SECONDS = 240


def ranks_of(job, program):
    """The processes of a job's ranks, also of spawned ones: pairs of rank and process."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                environment = dict(word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word)
            if environment.get(b"SURVIVORS_TEST") == str(job).encode() and os.readlink(f"/proc/{name}/exe") == program:
                found.append((int(environment[b"BATON_RANK"]), int(name)))
        except (OSError, KeyError):
            continue  # it has ended, or is not ours
    return found


class Survivors(unittest.TestCase):
    def run_with_kills(self, name, words, ranks, kills, spares, numbers, seed):
        """Kills so many ranks at random moments, never the last one, nor (`spares`) rank 0; returns what the job has printed."""
        program = os.path.realpath(os.path.join(EXAMPLES, name))
        mark = f"{os.getpid()}.{name}.{seed}"
        job = subprocess.Popen([os.path.join(BIN, "mpiexec"), "--timeout", "120", "--hang-after", "60:end",
                                "--continue-on-failure", "-n", str(ranks), program, *words],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "SURVIVORS_TEST": mark})
        try:
            while job.poll() is None and len(ranks_of(mark, program)) < ranks:
                time.sleep(0.001)
            for _ in range(kills):
                time.sleep(numbers.random() * 0.05)
                left = sorted(ranks_of(mark, program))
                if len(left) < 2:
                    continue
                try:
                    os.kill(numbers.choice([process for rank, process in left if rank or not spares]), signal.SIGKILL)
                except (ProcessLookupError, IndexError):
                    pass
            out, err = job.communicate(timeout=WATCHDOG_SECONDS)
        finally:
            job.kill()
        self.assertEqual(job.returncode, 0, out + err)
        return out + err

    def assert_survives(self, name, words, pattern, spares=False):
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "120", "-n", "3", os.path.join(EXAMPLES, name), *words],
                              stdout=subprocess.PIPE, text=True, timeout=WATCHDOG_SECONDS)
        right = re.search(pattern, done.stdout).group(1)
        deaths = 0
        for seed in range(FIRST_SEED, FIRST_SEED + RUNS):
            numbers = random.Random(seed)
            ranks = numbers.randint(2, 8)
            with self.subTest(name, seed=seed, ranks=ranks):
                said = self.run_with_kills(name, words, ranks, numbers.randint(1, ranks - 1), spares, numbers, seed)
                found = re.search(pattern, said)
                self.assertTrue(found, said)
                self.assertEqual(found.group(1), right, said)
                deaths += said.count("; the others go on")
        self.assertGreater(deaths, RUNS // 3, "the kills came too late to test anything")

    def test_stencil(self):
        self.assert_survives("survivors_stencil", ["20000", "8000"], r"sum (\d+) after")

    def test_tasks(self):
        self.assert_survives("survivors_tasks", ["8000"], r"sum (\d+) of", spares=True)

    def test_restored(self):
        self.assert_survives("survivors_restored", ["18480", "3000"], r"sum (\d+) after 3000 steps on \d+ ranks")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
