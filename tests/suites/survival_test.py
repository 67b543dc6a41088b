#!/usr/bin/env python3
"""MPICH's tests of going on without ranks that have died (its folder test/mpi/ft), built from the distribution's source package
and run as its testlist says. What is built stays in BIN_FOLDER/../suites. Usage: survival_test.py BIN_FOLDER [unittest's]"""
import glob
import os
import subprocess
import sys
import unittest

import source_package
import tools_test

KEPT, MPICC, MPIEXEC = tools_test.KEPT, tools_test.MPICC, tools_test.MPIEXEC
# What it takes for granted elsewhere, and what can hold instead.
HANDLED = {
    # Counts errors by a reduction over all ranks, one of which is dead; each rank's exit code says the same of itself.
    "agree": {"says": None}, "bcast": {"says": None},
    # Takes the sum of the call that has failed for one of all ranks. That is 1 error at rank 0; the calls after it are right.
    "revoke_shrink": {"says": "Found 1 errors", "ends_well": False},
    # Living ranks end with another code than 0 since the call that they test has failed, as it must.
    "barrier": {"ends_well": False}, "gather": {"ends_well": False}, "reduce": {"ends_well": False},
    "nbccoll": {"ends_well": False},
    # Ends the job.
    "abort": {"says": None, "ends_well": False},
}


class Mpich(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests = os.path.join(source_package.fetch("mpich", KEPT), "test/mpi")
        cls.place = os.path.join(KEPT, "mpich_survival")
        os.makedirs(cls.place, exist_ok=True)
        with open(os.path.join(cls.place, "mpitestconf.h"), "w") as file:
            file.write(tools_test.CONFIGURATION)
        cls.common = []
        for name in "mtest", "mtest_common", "mtest_thread":
            cls.common.append(os.path.join(cls.place, name + ".o"))
            cls.compile("-c", os.path.join(cls.tests, "util", name + ".c"), "-o", cls.common[-1])

    @classmethod
    def compile(cls, *words):
        # MPICH has the procedures in mpi.h.
        source_package.run(MPICC, "-w", "-include", "mpi-ext.h", "-DMPICH", "-DMPICH_NUMVERSION=40000000", f"-I{cls.place}",
                           f"-I{cls.tests}/include", *words)

    def listed(self):
        """The name and the number of ranks of each test that MPICH runs."""
        with open(os.path.join(self.tests, "ft/testlist")) as file:
            return [(words[0], int(words[1])) for words in map(str.split, file) if words and not words[0].startswith("#")]

    def run_one(self, name, ranks):
        program = os.path.join(self.place, name)
        self.compile(os.path.join(self.tests, "ft", name + ".c"), *self.common, "-lpthread", "-lm", "-o", program)
        done = subprocess.run([MPIEXEC, "--timeout", "120", "-disable-auto-cleanup", "-n", str(ranks), program],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=source_package.SECONDS)
        what = f"code {done.returncode}\n{done.stdout}{done.stderr}"
        handled = HANDLED.get(name, {})
        says = handled.get("says", "No Errors")
        if says:
            self.assertIn(says.lower(), done.stdout.lower(), what)
        self.assertEqual(done.returncode, 0 if handled.get("ends_well", True) else 1, what)

    def test_its_tests_pass(self):
        for name, ranks in self.listed():
            with self.subTest(name):
                self.run_one(name, ranks)

    def test_all_its_programs_are_in_its_list(self):
        programs = {os.path.basename(path)[:-2] for path in glob.glob(os.path.join(self.tests, "ft/*.c"))}
        self.assertEqual(programs, {name for name, _ in self.listed()})
        self.assertLessEqual(set(HANDLED), programs)


if __name__ == "__main__":
    unittest.main(verbosity=1)
