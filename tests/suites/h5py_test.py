#!/usr/bin/env python3
"""The example examples/h5py, with h5py built as its README says: on parallel HDF5 and mpi4py, all three with mpicc. What is
built stays in BUILD_FOLDER/suites and BUILD_FOLDER/mpi4py. Usage: h5py_test.py BUILD_FOLDER [unittest's]"""
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "mpi4py"))
import parallel_hdf5  # noqa: E402
import source_package  # noqa: E402
from mpi4py_test import Installation  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(1))
BIN, KEPT = os.path.join(BUILD, "bin"), os.path.join(BUILD, "suites")
PROGRAM = os.path.join(HERE, "..", "..", "examples", "h5py", "rows_and_columns.py")
VERSION = "3.16.0"
BUILD_PACKAGES = ("cython<4", "pkgconfig", "setuptools>=77.0.1", "packaging")
LIBRARIES = """import h5py, mpi4py.MPI
assert h5py.get_config().mpi and h5py.__version__ == %r, h5py.version.info
print([line.split()[-1] for line in open("/proc/self/maps") if "libmpi" in line or "libhdf5" in line])""" % VERSION


class H5py(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hdf5 = parallel_hdf5.build(BIN, KEPT)[1]
        installation = Installation(BUILD)
        installation.make()
        cls.python, folder = installation.python, os.path.join(KEPT, f"h5py-{VERSION}")
        cls.environment = {**installation.environment, "PYTHONPATH": folder}
        if not os.path.exists(folder):
            cls.build(folder)

    @classmethod
    def build(cls, folder):
        """Without build isolation, which would build another mpi4py for h5py alone."""
        how = {**cls.environment, "HDF5_MPI": "ON", "HDF5_DIR": cls.hdf5, "CC": os.path.join(BIN, "mpicc"), "CFLAGS": "-O0"}
        pip = [cls.python, "-m", "pip", "install", "--quiet", "--target", folder]
        try:
            source_package.run(*pip, "--only-binary=:all:", *BUILD_PACKAGES, env=how)
            source_package.run(*pip, "--no-build-isolation", "--no-deps", "--no-binary=h5py", f"h5py=={VERSION}", env=how)
        except AssertionError as failure:
            shutil.rmtree(folder, ignore_errors=True)
            if "No matching distribution found" not in str(failure):
                raise
            raise unittest.SkipTest(f"h5py cannot be fetched: {str(failure).splitlines()[-1]}") from None

    def run_job(self, ranks, *words, options=()):
        return source_package.run(os.path.join(BIN, "mpiexec"), "--timeout", "600", *options, "-n", ranks, self.python, *words,
                                  env=self.environment)

    def test_it_runs_on_this_library(self):
        said = self.run_job(1, "-c", LIBRARIES)
        self.assertIn(os.path.join(BUILD, "lib", "libmpi_abi.so.1"), said)
        self.assertIn(os.path.join(self.hdf5, "lib", "libhdf5.so"), said)

    def test_what_is_written_by_rows_is_read_by_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks in range(1, 6):
                with self.subTest(ranks=ranks):
                    said = self.run_job(ranks, PROGRAM, os.path.join(folder, "table.h5"))
                    self.assertEqual(said, f"{ranks} ranks wrote 1201 rows and read 1003 columns: right\n")

    def test_writing_and_reading_are_collective(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_job(3, PROGRAM, os.path.join(folder, "table.h5"), options=["--explain"])
            for what in r"writes \d+, collective 3,", r"reads \d+, collective 3,":
                self.assertRegex(said, what)


if __name__ == "__main__":
    unittest.main(verbosity=1)
