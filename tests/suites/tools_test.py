#!/usr/bin/env python3
"""Programs by others that read the tool interface: MPICH's mpivars, which lists what a library shows, and MPICH's tests of
the interface, built from the distribution's source package. What is built stays in BIN_FOLDER/../suites.
Usage: tools_test.py BIN_FOLDER [unittest's]"""
import json
import os
import subprocess
import sys
import unittest

import source_package

BIN = os.path.abspath(sys.argv.pop(1))
KEPT = os.path.join(os.path.dirname(BIN), "suites")
MPICC, MPIEXEC = os.path.join(BIN, "mpicc"), os.path.join(BIN, "mpiexec")
# What its configure would find out, as far as these programs ask.
CONFIGURATION = """#define HAVE_UNISTD_H 1
#define HAVE_STDLIB_H 1
#define STDC_HEADERS 1
#define HAVE_STDARG_H 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
# Left out: cvarwrite, which takes it that every value of an int can be written to every setting; qmpi_test, MPICH's own.
TESTS = (("mpi_t_str", 1), ("getindex", 1), ("mpit_vars", 1), ("mpit_isendirecv", 2, "0", "1"))


class Mpich(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = source_package.fetch("mpich", KEPT)
        cls.place = os.path.join(KEPT, "mpich_tools")
        os.makedirs(cls.place, exist_ok=True)

    def build(self, name, *words):
        program = os.path.join(self.place, name)
        source_package.run(MPICC, "-w", *words, "-o", program)
        return program

    def test_mpivars_lists_all_settings_and_categories(self):
        program = self.build("mpivars", os.path.join(self.source, "src/env/mpivars.c"))
        done = subprocess.run([program], capture_output=True, text=True, timeout=source_package.SECONDS)
        # What it finds wrong, of types and classes, or of lengths of texts, it says on standard error.
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = done.stdout
        shown = json.loads(source_package.run(os.path.join(BIN, "baton"), "settings", "--json"))["settings"]
        self.assertIn(f"{len(shown)} MPI Control Variables", said)
        for row in shown:
            self.assertRegex(said, rf"(?m)^\t{row['variable'].removeprefix('BATON_').lower()} ")
        self.assertIn("Enum order (4) values: auto(0),rank(1),status(2),blocking(3)", said)
        self.assertRegex(said, r"(?m)^\tunexpected_messages .*CLASS_HIGHWATERMARK\tMPI_COMM")
        self.assertRegex(said, r"Category messages has \d+ control variables, \d+ performance variables, and 2 subcat")

    def test_its_tests_pass(self):
        tests = os.path.join(self.source, "test/mpi")
        with open(os.path.join(self.place, "mpitestconf.h"), "w") as file:
            file.write(CONFIGURATION)
        common = [os.path.join(tests, "util", name) for name in ("mtest.c", "mtest_common.c", "mtest_thread.c")]
        for name, ranks, *words in TESTS:
            with self.subTest(name):
                program = self.build(name, os.path.join(tests, "mpi_t", name + ".c"), *common, f"-I{self.place}",
                                     f"-I{tests}/include", "-lpthread", "-lm")
                said = source_package.run(MPIEXEC, "--timeout", "600", "-n", ranks, program, *words)
                self.assertIn("No Errors", said)


if __name__ == "__main__":
    unittest.main(verbosity=1)
