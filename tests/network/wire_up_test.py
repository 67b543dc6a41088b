#!/usr/bin/env python3
"""Ranks on several hosts that other launchers have started introduce themselves to each other.
Usage: wire_up_test.py BIN_FOLDER PROGRAM_FOLDER [--measure RANKS,... | unittest's]"""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launchers  # noqa: E402
from jobs import PATIENCE_SECONDS, SKIPPED, World, each_launcher, wait_until, why_no_hosts  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "wire_up_program")


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


class WiringUp:
    """For each launcher, over the hosts of a subclass."""
    COUNT = 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT, PROGRAM).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def test_each_rank_reads_all_records(self):
        ranks = 2 * self.COUNT

        def check(name):
            job = self.world.run(name, ranks, PROGRAM)
            self.assertEqual(job.returncode, 0, job.out + job.err)
            found = re.findall(rf"(?m)^rank (\d+) of {ranks}: ok \((\S+), job (\S+), here (\S*)\)$", job.out)
            self.assertEqual(sorted(int(rank) for rank, *_ in found), list(range(ranks)), job.out + job.err)
            expected = "PMIx" if name in ("prterun", "srun-pmix") else "PMI-2" if name == "srun-pmi2" else "PMI-1"
            self.assertEqual({kind for _, kind, *_ in found}, {expected})
            self.assertEqual(len({job_name for _, _, job_name, _ in found}), 1)
            self.assertEqual({int(rank): here for rank, _, _, here in found},
                             {rank: f"{rank // 2 * 2},{rank // 2 * 2 + 1}" for rank in range(ranks)})
        each_launcher(self, check)

    def test_a_rank_can_end_the_job(self):
        def check(name):
            with tempfile.TemporaryDirectory() as folder:
                reached = os.path.join(folder, "reached")
                job = self.world.run(name, 2 * self.COUNT, PROGRAM, "abort", reached)
                self.assertNotEqual(job.returncode, 0, job.out + job.err)
                self.assertTrue(os.path.exists(reached), job.out + job.err)
            wait_until(lambda: not self.world.ranks(), "ranks still run after the job's end")
        each_launcher(self, check)


class OverTwoHosts(WiringUp, unittest.TestCase):
    COUNT = 2

    def test_ranks_do_not_outlive_a_launcher_that_dies(self):
        """All but the last rank, which plays dead, wait for it when the launcher's process on its host is killed."""
        def check(name):
            job = self.world.start(name, 4, PROGRAM, "missing")
            last_host = self.world.hosts.names[-1]
            try:
                wait_until(lambda: len(self.world.ranks()) == 4, f"the ranks do not start: {job.args}")
                there = self.world.ranks(last_host)
                for parent in {parent_of(pid) for pid in there}:
                    os.kill(parent, signal.SIGKILL)
                wait_until(lambda: len(set(self.world.ranks()) & set(there)) <= 1, "a rank still waits")
            finally:
                self.world.kill_ranks()
                os.killpg(job.pid, signal.SIGKILL)
                job.communicate()
        # Slurm would take the host for broken.
        each_launcher(self, check, [name for name in launchers.LAUNCHERS if not name.startswith("srun")])

    def test_a_launcher_that_is_not_there_is_an_error_soon(self):
        for variables, words in (
                ({"PMI_FD": "77", "PMI_RANK": "0", "PMI_SIZE": "2"}, "no such connection"),
                ({"PMI_PORT": "127.0.0.1:1", "PMI_ID": "0"}, "127.0.0.1:1"),
                ({"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0"}, "PMIx"),
                ({"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0", "PMIX_SERVER_URI41": "pmix-server.1;tcp4://127.0.0.1:1"},
                 "PMIx")):
            with self.subTest(variables):
                done = subprocess.run([PROGRAM], env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, text=True,
                                      timeout=2 * PATIENCE_SECONDS)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stderr)


class OverThreeHosts(WiringUp, unittest.TestCase):
    COUNT = 3


def measure(sizes):
    """Medians of five, in seconds: a rank's own time, and the whole command's."""
    for count in (2, 4):
        with World(count, PROGRAM) as world:
            for name in launchers.LAUNCHERS:
                for ranks in sizes:
                    if ranks < count:
                        continue
                    own, whole = [], []
                    for _ in range(5):
                        start = time.monotonic()
                        job = world.run(name, ranks, PROGRAM, "seconds")
                        whole.append(time.monotonic() - start)
                        told = re.search(r"wired up in (\d+) ms", job.out)
                        own.append(int(told[1]) / 1000 if told else float("nan"))
                    print(f"{count} hosts {name:10} {ranks:3} ranks: {statistics.median(own):.3f} s in rank 0, "
                          f"{statistics.median(whole):.2f} s the command", flush=True)


def main():
    if why := why_no_hosts():
        print(f"skipped: no hosts here: {why}")
        return SKIPPED
    if sys.argv[1:2] == ["--measure"]:
        return measure([int(number) for number in (sys.argv[2:] or ["2,8,64"])[0].split(",")])
    unittest.main(verbosity=1)


if __name__ == "__main__":
    sys.exit(main())
