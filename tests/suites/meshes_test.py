#!/usr/bin/env python3
"""The own tests of p4est (adaptive meshes, which it saves by MPI-IO) and of the libsc below it, built with mpicc from the
distribution's source package. What is built stays in BIN_FOLDER/../suites. Usage: meshes_test.py BIN_FOLDER [unittest's]"""
import os
import re
import shutil
import sys
import unittest

import source_package

BIN = os.path.abspath(sys.argv.pop(1))
KEPT = os.path.join(os.path.dirname(BIN), "suites")
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"]}


def run(*words, **more):
    return source_package.run(*words, env=ENVIRONMENT, **more)


class P4est(unittest.TestCase):
    SAVING = [*(f"test/{kind}_test_{what}" for kind in ("p4est", "p8est") for what in ("loadsave", "load")), "test/p6est_test_all"]

    @classmethod
    def setUpClass(cls):
        for tool in ("autoreconf", "libtoolize", "gfortran"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"building p4est needs {tool} (Debian: apt-get install autoconf automake libtool "
                                        "gfortran)")
        cls.place = source_package.fetch("p4est", KEPT)
        if not os.path.exists(os.path.join(cls.place, "sc")):
            raise unittest.SkipTest("this distribution's package of p4est comes without libsc")
        if not os.path.exists(os.path.join(cls.place, "src", "libp4est.la")):
            cls.build()

    @classmethod
    def build(cls):
        with open(os.path.join(cls.place, "debian", "changelog")) as file:
            version = re.match(r"p4est \(([\d.]+)", file.readline()).group(1)
        for folder in ".", "sc":  # what it would ask git for
            with open(os.path.join(cls.place, folder, ".tarball-version"), "w") as file:
                file.write(version)
        run("./bootstrap", cwd=cls.place)
        run("./configure", "--enable-mpi", "--enable-mpiio", "--disable-static", "--without-blas", "--without-lapack",
            "CFLAGS=-O1 -w", cwd=cls.place)
        jobs = f"-j{os.cpu_count()}"
        run("make", jobs, cwd=cls.place)
        run("make", jobs, "check", "TESTS=", cwd=cls.place)  # builds the programs

    def check_passes(self, ranks, *words):
        """The names of the tests that passed; all have to."""
        said = run("make", *words, f"LOG_COMPILER={BIN}/mpiexec", f"AM_LOG_FLAGS=--timeout 600 -n {ranks}", cwd=self.place)
        self.assertEqual(re.findall(r"^(?:FAIL|XPASS|ERROR): .*", said, re.MULTILINE), [])
        return re.findall(r"^PASS: (.*)", said, re.MULTILINE)

    def test_it_runs_on_this_library(self):
        for library in "src/.libs/libp4est.so", "sc/src/.libs/libsc.so":
            self.assertIn(f"libmpi_abi.so.1 => {os.path.dirname(BIN)}/lib/", run("ldd", os.path.join(self.place, library)))

    def test_its_tests_on_two_and_five_ranks(self):
        for ranks in 2, 5:
            with self.subTest(ranks=ranks):
                self.assertGreater(len(self.check_passes(ranks, "check")), 60)

    def test_its_tests_of_saving_on_one_three_and_four_ranks(self):
        for ranks in 1, 3, 4:
            with self.subTest(ranks=ranks):
                self.assertEqual(self.check_passes(ranks, "check-TESTS", f"TESTS={' '.join(self.SAVING)}"), self.SAVING)


if __name__ == "__main__":
    unittest.main(verbosity=1)
