#!/usr/bin/env python3
"""Quantum ESPRESSO, built with mpifort as its manual says from the distribution's source package, passes tests of its own.
Apt fetches the source; where it cannot, the test is skipped and says why. What is built stays in BIN_FOLDER/../applications.
Usage: applications_test.py BIN_FOLDER [unittest's]"""
import glob
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "suites"))
import source_package

BIN = os.path.abspath(sys.argv.pop(1))
KEPT = os.path.join(os.path.dirname(BIN), "applications")
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"], "OMP_NUM_THREADS": "1"}


def run(*words, **more):
    return source_package.run(*words, **{"env": ENVIRONMENT, **more})


class QuantumEspresso(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place = source_package.fetch("espresso", KEPT)
        if not os.path.exists(os.path.join(place, "bin", "pw.x")):
            # Its own choice of flags but for -O1, which takes less long to compile.
            run("./configure", "--enable-parallel", "--with-scalapack=no", "MPIF90=mpifort", "CC=gcc",
                "FFLAGS=-O1 -fallow-argument-mismatch", cwd=place)
            run("make", "-j", os.cpu_count(), "pw", cwd=place)
        for path in glob.glob(os.path.join(place, "debian", "pseudo", "*.UPF")):
            shutil.copy(path, os.path.join(place, "pseudo"))

    def test_it_is_parallel_and_runs_on_this_library(self):
        found = run("ldd", os.path.join(self.place, "bin", "pw.x"))
        for library in "libmpifort_abi.so.1", "libmpi_abi.so.1":
            self.assertIn(f"{library} => {os.path.dirname(BIN)}/lib/", found)

    def test_its_tests_on_one_two_and_four_ranks(self):
        suite = os.path.join(self.place, "test-suite")
        run("make", "prolog", cwd=suite)
        scratch = os.path.join(self.place, "scratch")
        os.makedirs(scratch, exist_ok=True)
        for ranks, categories in (1, ["pw_metal"]), (2, ["pw_metal"]), (4, ["pw_metal", "pw_lsda"]):
            for category in categories:
                with self.subTest(category, ranks=ranks):
                    said = run(sys.executable, "testcode/bin/testcode.py", "--verbose", f"--category={category}", cwd=suite, env={
                        **ENVIRONMENT, "ESPRESSO_ROOT": self.place, "ESPRESSO_PSEUDO": os.path.join(self.place, "pseudo"),
                        "ESPRESSO_TMPDIR": scratch, "TESTCODE_DIR": os.path.join(suite, "testcode"), "QE_USE_MPI": "1",
                        "TESTCODE_NPROCS": str(ranks)})
                    self.assertRegex(said, r"All done. (\d+) out of \1 tests passed")


if __name__ == "__main__":
    unittest.main(verbosity=1)
