#!/usr/bin/env python3
"""MPI programs over several hosts under other launchers do what they do on one.
Usage: run_test.py BIN_FOLDER PROGRAM_FOLDER WEATHER SEISMIC HARTREE_FOCK [unittest's]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from jobs import WATCHDOG_SECONDS, World, each_launcher, run_tests  # noqa: E402

BIN, PROGRAMS, WEATHER, SEISMIC, HARTREE_FOCK = (os.path.abspath(sys.argv.pop(1)) for _ in range(5))
# A launcher has its own MPI's folder in there.
LIBRARY = f"LD_LIBRARY_PATH={os.path.join(os.path.dirname(BIN), 'lib')}"
# These hosts share a machine's CPUs, and each takes them for its own: waiting ranks would keep them from each other.
SHARED = "BATON_SPIN_COUNT=0"
SUITES = ("sizes", "match", "collective", "order")
# Kinds of windows; of shared memory there are none over hosts.
WINDOWS = ("allocate", "create", "dynamic")
# What an example prints and does not depend on who computes it: the words that it is given, and its answer's line.
EXAMPLES = ((WEATHER, ("--cells", 61, "--steps", 40), r"(?m)^fingerprint: (\S+)$"),
            (SEISMIC, ("--cells", 101, "--steps", 60), r"(?m)^fingerprint: (\S+)$"),
            (HARTREE_FOCK, ("--molecule", "water"), r"(?m)^energy: (-\d+\.\d{7})\d* hartree$"))


class Running:
    """Over the hosts of a subclass."""
    COUNT = 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def run_job(self, launcher, ranks, program, *words, settings=(SHARED,)):
        """Its output; it leaves nothing behind."""
        job = self.world.run(launcher, ranks, "env", LIBRARY, "OMP_NUM_THREADS=1", *settings, program, *words)
        self.assertEqual(job.returncode, 0, (launcher, program, job.out, job.err))
        self.world.check_nothing_left()
        return job.out

    def check_suite(self, launcher, ranks, name, *words, **more):
        out = self.run_job(launcher, ranks, os.path.join(PROGRAMS, f"conformance_{name}"), *words, **more)
        self.assertIn(f"all checks held on {ranks} ranks", out, (launcher, name))

    def check_library(self, launcher, ranks):
        out = self.run_job(launcher, ranks, os.path.join(PROGRAMS, "network_program"), "library")
        self.assertIn(f"{ranks} ranks on {self.COUNT} hosts: Baton ", out, launcher)


class OverTwoHosts(Running, unittest.TestCase):
    COUNT = 2

    def test_it_is_this_library_on_both_hosts(self):
        each_launcher(self, lambda name: self.check_library(name, 4))

    def test_what_any_mpi_must_pass_passes(self):
        def check(name):
            for suite in SUITES if name in ("mpich", "srun-pmix") else SUITES[1:3]:
                self.check_suite(name, 4, suite)
        each_launcher(self, check, ("mpich", "intel", "prterun", "srun-pmi2", "srun-pmix"))

    def test_windows_reach_the_other_host(self):
        def check(name):
            for suite in ("one_sided", "epochs", "accumulate", "atomics", "litmus"):
                self.check_suite(name, 4, suite, *WINDOWS)
            self.check_suite(name, 4, "random_windows", 1, 50, 0, *WINDOWS)
        each_launcher(self, check, ("mpich",))

    def test_a_file_is_one_for_both_hosts(self):
        def check(name):
            for ranks in 2, 4:
                self.check_suite(name, ranks, "random_files", ranks, 100)
                self.check_suite(name, ranks, "random_files", 10 + ranks, 100, settings=(SHARED, "BATON_PROGRESS_THREAD=1"))
        each_launcher(self, check, ("mpich",))

    def test_one_rank_a_host_has_no_neighbour(self):
        each_launcher(self, lambda name: self.check_suite(name, 2, "sizes", settings=()), ("mpich-port", "srun-pmix"))

    def test_examples_have_the_answers_of_one_host(self):
        def check(name):
            for program, words, answer in EXAMPLES:
                out = self.run_job(name, 4, program, *words)
                self.assertEqual(re.findall(answer, out), self.on_one_host(program, words, answer), (program, out))
        each_launcher(self, check, ("mpich", "srun-pmix"))

    def test_ranks_of_both_hosts_read_one_file_together(self):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model")
            program, words, answer = EXAMPLES[1]
            made = subprocess.run([os.path.join(BIN, "mpiexec"), "-n", "1", program, "--make-model", model, "--cells", "101"],
                                  timeout=WATCHDOG_SECONDS)
            self.assertEqual(made.returncode, 0)

            def check(name):
                out = self.run_job(name, 4, program, "--model", model, "--read", "collective", "--steps", 60)
                self.assertEqual(re.findall(answer, out), self.on_one_host(program, words, answer), out)
            each_launcher(self, check, ("mpich", "srun-pmix"))

    @staticmethod
    def on_one_host(program, words, answer):
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", str(WATCHDOG_SECONDS), "-n", "4", program,
                               *map(str, words)], capture_output=True, text=True, timeout=2 * WATCHDOG_SECONDS,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
        found = re.findall(answer, done.stdout)
        assert len(found) == 1, (program, done.stdout, done.stderr)
        return found


class OverThreeHosts(Running, unittest.TestCase):
    COUNT = 3

    def test_what_any_mpi_must_pass_passes(self):
        def check(name):
            self.check_library(name, 6)
            self.check_suite(name, 6, "collective")
        each_launcher(self, check, ("mpich", "prterun"))

    def test_hosts_may_have_different_numbers_of_ranks(self):
        each_launcher(self, lambda name: self.check_suite(name, 5, "collective"), ("mpich", "srun-pmix"))


if __name__ == "__main__":
    sys.exit(run_tests())
