#!/usr/bin/env python3
"""mpi4py.futures: its own tests and the example of dask, with workers that are ranks and workers that are spawned.
usage: futures_test.py BUILD_FOLDER EXAMPLE"""
import os
import re
import subprocess
import sys
import unittest

import mpi4py_test

BUILD, EXAMPLE = sys.argv[1:3]
del sys.argv[1:3]
WATCHDOG_SECONDS = 300


class Futures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.installation = mpi4py_test.Installation(os.path.abspath(BUILD))
        cls.installation.make()
        mpi4py_test.library_version(cls.installation)
        mpi4py_test.call([cls.installation.python, "-m", "pip", "install", "--quiet", "dask[array]"], "installing dask")

    def run_python(self, ranks, *words, **variables):
        """What it says, standard error included. Ranks 0: the program alone, which spawns its workers."""
        mpiexec = [os.path.join(BUILD, "bin", "mpiexec"), "--timeout", "200", "-n", str(ranks)] if ranks else []
        how = ["-m", "mpi4py.futures"] if ranks else []
        done = subprocess.run([*mpiexec, self.installation.python, *how, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, timeout=WATCHDOG_SECONDS,
                              env={**self.installation.environment, **variables})
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_its_own_tests_pass_with_workers_that_are_spawned_or_ranks(self):
        tests = os.path.join(os.path.dirname(self.installation.tests), "demo", "futures", "test_futures.py")
        for ranks in 0, 2, 4:
            with self.subTest(ranks=ranks):
                said = self.run_python(ranks, tests)
                self.assertGreater(int(re.search(r"Ran (\d+) tests", said)[1]), 100)
                self.assertRegex(said, r"\nOK")

    def test_dask_computes_in_a_pool(self):
        for ranks, workers in ((0, "rank 0 of 3, rank 1 of 3, rank 2 of 3"), (4, "rank 1 of 4, rank 2 of 4, rank 3 of 4")):
            with self.subTest(ranks=ranks):
                said = self.run_python(ranks, EXAMPLE, "600")
                self.assertIn("Baton", said)
                self.assertIn(f"workers: {workers}\n", said)
                found = re.search(r"sum of the table: (\d+)\nit should be: +(\d+)\n", said)
                self.assertTrue(found, said)
                self.assertEqual(found[1], found[2])


if __name__ == "__main__":
    unittest.main()
