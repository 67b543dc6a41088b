#!/usr/bin/env python3
"""Parallel HDF5's and PnetCDF's own tests, built with mpicc from the distribution's source packages. What is built stays in
BIN_FOLDER/../suites. Usage: files_test.py BIN_FOLDER [unittest's]"""
import os
import re
import shutil
import sys
import unittest

import parallel_hdf5
import source_package

BIN = os.path.abspath(sys.argv.pop(1))
KEPT = os.path.join(os.path.dirname(BIN), "suites")
MPICC, MPIEXEC = os.path.join(BIN, "mpicc"), os.path.join(BIN, "mpiexec")
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"]}


def run(*words, **more):
    return source_package.run(*words, env=ENVIRONMENT, **more)


def job(ranks, *words, **more):
    return run(MPIEXEC, "--timeout", "600", "-n", ranks, *words, **more)


class ParallelHdf5(unittest.TestCase):
    PROGRAMS = ("t_mpi", "testphdf5", "t_filters_parallel", "t_pread", "t_shapesame", "t_cache")

    @classmethod
    def setUpClass(cls):
        place, cls.installed = parallel_hdf5.build(BIN, KEPT)
        cls.place = os.path.join(place, "testpar")
        if not all(os.path.exists(os.path.join(cls.place, name)) for name in cls.PROGRAMS):
            jobs = f"-j{os.cpu_count()}"
            run("make", jobs, "-C", "test", "libh5test.la", cwd=place)
            run("make", jobs, "-C", "testpar", *cls.PROGRAMS, cwd=place)

    def test_it_runs_on_this_library(self):
        library = os.path.join(self.installed, "lib", "libhdf5.so")
        self.assertIn(f"libmpi_abi.so.1 => {os.path.dirname(BIN)}/lib/", run("ldd", library))

    def test_its_tests_on_one_to_five_ranks(self):
        for name, ranks in (("t_mpi", (2, 4)), ("testphdf5", (1, 3, 4, 5)), ("t_filters_parallel", (2, 4)),
                            ("t_pread", (2,)), ("t_shapesame", (3,)), ("t_cache", (3,))):
            for number in ranks:
                with self.subTest(name, ranks=number):
                    said = job(number, f"./{name}", cwd=self.place)
                    self.assertNotRegex(said, r"\*FAILED\*|Parallel ERROR|errors detected")


class Pnetcdf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for tool in ("autoreconf", "m4", "libtoolize"):
            if not shutil.which(tool):
                raise unittest.SkipTest(f"building PnetCDF needs {tool} (Debian: apt-get install autoconf automake libtool m4)")
        cls.place = source_package.fetch("pnetcdf", KEPT)
        if not os.path.exists(os.path.join(cls.place, "src", "libs", "libpnetcdf.la")):
            run("autoreconf", "-i", cwd=cls.place)
            run("./configure", "--disable-fortran", "--disable-cxx", f"MPICC={MPICC}", f"CC={MPICC}", "CFLAGS=-O1 -w",
                cwd=cls.place)
            run("make", f"-j{os.cpu_count()}", cwd=cls.place)

    def test_its_tests_alone_and_on_two_to_eight_ranks(self):
        for target in "check", "ptests":
            with self.subTest(target):
                said = run("make", target, f"TESTMPIRUN={MPIEXEC} --timeout 600 -n NP", cwd=self.place)
                failed = re.findall(r"^(?:FAIL|ERROR): .*|.*--- fail.*", said, re.MULTILINE)
                self.assertEqual(failed, [])
                self.assertGreater(len(re.findall(r"-{3,} pass|^PASS", said, re.MULTILINE)), 40)


if __name__ == "__main__":
    unittest.main(verbosity=1)
