#!/usr/bin/env python3
"""Ranks on several hosts that other launchers have started introduce themselves to each other.
Usage: wire_up_test.py BIN_FOLDER PROGRAM_FOLDER [--measure RANKS,... | unittest's]"""
import os
import re
import signal
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hosts as several  # noqa: E402
import launchers  # noqa: E402
from slurm import Slurm  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "wire_up_program")
WATCHDOG_SECONDS = 60
PATIENCE_SECONDS = 15  # a bound for a busy machine; the library's own is 10
SKIPPED = 77  # what CTest takes for skipped


class World:
    """Hosts, and Slurm on them once it is wanted."""

    def __init__(self, count):
        self.hosts = several.Hosts(count)
        self.daemons = self.problem = None

    def __enter__(self):
        self.hosts.__enter__()
        return self

    def __exit__(self, *_):
        if self.daemons:
            self.daemons.__exit__()
        self.hosts.__exit__()

    def slurm(self):
        if not self.daemons and not self.problem:
            try:
                self.daemons = Slurm(self.hosts).__enter__()
            except several.Unusable as why:
                self.problem = str(why)
        if self.problem:
            raise launchers.Absent(self.problem)
        return self.daemons

    def start(self, name, ranks, *words):
        """The program under a launcher."""
        return launchers.start(name, self.hosts, ranks, [PROGRAM, *words], self.slurm)

    def run(self, name, ranks, *words):
        return self.end(self.start(name, ranks, *words))

    def end(self, job):
        try:
            job.out, job.err = job.communicate(timeout=WATCHDOG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            self.kill_ranks()
            out, err = job.communicate()
            raise AssertionError(f"watchdog: {job.args} still ran after {WATCHDOG_SECONDS} s\n{out}\n{err}")
        return job

    def ranks(self, *names):
        """The processes of the program on these hosts (all)."""
        spaces = {several.space_of(self.hosts.pids[name]) for name in names or self.hosts.names}
        found = []
        for pid in several.inhabitants(spaces):
            try:
                if os.readlink(f"/proc/{pid}/exe") == PROGRAM:
                    found.append(pid)
            except OSError:
                continue
        return found


    def kill_ranks(self):
        for pid in self.ranks():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(what)
        time.sleep(0.02)


class WiringUp:
    """For each launcher, over the hosts of a subclass."""
    COUNT = 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def each_launcher(self, check, names=tuple(launchers.LAUNCHERS)):
        for name in names:
            with self.subTest(name):
                try:
                    check(name)
                except launchers.Absent as why:
                    print(f"skipped: {name}: {why}", file=sys.stderr)

    def test_each_rank_reads_all_records(self):
        ranks = 2 * self.COUNT

        def check(name):
            job = self.world.run(name, ranks)
            self.assertEqual(job.returncode, 0, job.out + job.err)
            found = re.findall(rf"(?m)^rank (\d+) of {ranks}: ok \((\S+), job (\S+), here (\S*)\)$", job.out)
            self.assertEqual(sorted(int(rank) for rank, *_ in found), list(range(ranks)), job.out + job.err)
            expected = "PMIx" if name in ("prterun", "srun-pmix") else "PMI-2" if name == "srun-pmi2" else "PMI-1"
            self.assertEqual({kind for _, kind, *_ in found}, {expected})
            self.assertEqual(len({job_name for _, _, job_name, _ in found}), 1)
            self.assertEqual({int(rank): here for rank, _, _, here in found},
                             {rank: f"{rank // 2 * 2},{rank // 2 * 2 + 1}" for rank in range(ranks)})
        self.each_launcher(check)

    def test_a_rank_can_end_the_job(self):
        def check(name):
            job = self.world.run(name, 2 * self.COUNT, "abort")
            self.assertNotEqual(job.returncode, 0, job.out + job.err)
            self.assertIn(": ok", job.out, job.err)
            wait_until(lambda: not self.world.ranks(), "ranks still run after the job's end")
        self.each_launcher(check)


class OverTwoHosts(WiringUp, unittest.TestCase):
    COUNT = 2

    def test_ranks_do_not_outlive_a_launcher_that_dies(self):
        """All but the last rank, which plays dead, wait for it when the launcher's process on its host is killed."""
        def check(name):
            job = self.world.start(name, 4, "missing")
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
        self.each_launcher(check, [name for name in launchers.LAUNCHERS if not name.startswith("srun")])

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
        with World(count) as world:
            for name in launchers.LAUNCHERS:
                for ranks in sizes:
                    if ranks < count:
                        continue
                    own, whole = [], []
                    for _ in range(5):
                        start = time.monotonic()
                        job = world.run(name, ranks, "seconds")
                        whole.append(time.monotonic() - start)
                        told = re.search(r"wired up in (\d+) ms", job.out)
                        own.append(int(told[1]) / 1000 if told else float("nan"))
                    print(f"{count} hosts {name:10} {ranks:3} ranks: {statistics.median(own):.3f} s in rank 0, "
                          f"{statistics.median(whole):.2f} s the command", flush=True)


def main():
    try:
        if sys.argv[1:2] == ["--measure"]:
            return measure([int(number) for number in (sys.argv[2:] or ["2,8,64"])[0].split(",")])
        with several.Hosts(1):
            pass
    except several.Unusable as why:
        print(f"skipped: no hosts here: {why}")
        return SKIPPED
    unittest.main(verbosity=1)


if __name__ == "__main__":
    sys.exit(main())
