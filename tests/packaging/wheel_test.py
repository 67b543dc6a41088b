#!/usr/bin/env python3
"""The wheel installs into a fresh virtual environment and is whole there. Usage: wheel_test.py BUILD_FOLDER [unittest's]"""
import ast
import os
import re
import shutil
import sys
import tempfile
import unittest

from package import FORTRAN_HELLO, HELLO, ROOT, make, run

BUILD = os.path.abspath(sys.argv.pop(1))
GLIBC = (2, 28)
MPI4PY = "mpi4py==4.1.2"
ASK_MPI4PY = "from mpi4py import MPI; print(MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, MPI.Get_library_version())"
# What the C library has everywhere.
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "libmpi_abi.so.1"}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.wheel = make("wheel", BUILD, os.path.join(cls.folder.name, "packages"))
        cls.venv = os.path.join(cls.folder.name, "venv")
        run(sys.executable, "-m", "venv", cls.venv)
        run(cls.bin("python"), "-m", "pip", "install", "--quiet", cls.wheel)
        cls.hello = os.path.join(cls.folder.name, "hello")
        with open(cls.hello + ".c", "w") as file:
            file.write(HELLO)
        # As in a shell where the environment is active, and nothing else leads there.
        cls.environment = {"PATH": os.path.join(cls.venv, "bin") + os.pathsep + "/usr/bin:/bin", "HOME": cls.folder.name}
        run(cls.bin("mpicc"), cls.hello + ".c", "-o", cls.hello, env=cls.environment)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def bin(cls, name):
        return os.path.join(cls.venv, "bin", name)

    def mpiexec(self, *words):
        return run(self.bin("mpiexec"), "--timeout", 60, *words, env=self.environment)

    def objects(self):
        for folder, _, names in os.walk(self.venv):
            for path in (os.path.join(folder, name) for name in names):
                if "site-packages" in path or os.path.islink(path):
                    continue
                with open(path, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        yield path

    def test_its_name_says_what_it_serves(self):
        self.assertRegex(os.path.basename(self.wheel), r"baton_mpi-[\d.]+-py3-none-manylinux_2_28_x86_64\.whl")

    def test_programs_run_on_its_library(self):
        said = self.mpiexec("-n", 3, self.hello)
        self.assertEqual(sorted(re.findall(r"(\d) of 3: Baton ", said)), ["0", "1", "2"], said)

    def test_programs_in_fortran_do_too(self):
        if not shutil.which("gfortran"):
            self.skipTest("there is no gfortran")
        program = os.path.join(self.folder.name, "fortran_hello")
        with open(program + ".f90", "w") as file:
            file.write(FORTRAN_HELLO)
        run(self.bin("mpifort"), program + ".f90", "-o", program, env=self.environment)
        said = self.mpiexec("-n", 3, program)
        self.assertEqual(sorted(re.findall(r"(\d) of 3: Baton ", said)), ["0", "1", "2"], said)

    def test_options_that_need_other_files_of_it_find_them(self):
        self.assertIn("0 of 1: Baton", self.mpiexec("--export-heap", "-n", 1, self.hello))
        told = dict(re.findall(r"(?m)^(\w[\w ]*?)  +(.*)$", run(self.bin("baton"), "info", env=self.environment)))
        self.assertEqual(told["library"], os.path.join(os.path.realpath(self.venv), "lib", "libmpi_abi.so.1"))
        self.assertTrue(os.path.exists(os.path.join(told["documents"], "coverage.md")), told)
        self.assertIn("scatter", run(self.bin("baton"), "lab", env=self.environment))
        self.assertIn("jobs run here", run(self.bin("baton"), "doctor", env=self.environment))

    def test_a_failure_inside_is_told_and_not_a_crash(self):
        # CLI11 throws here: the way up the stack is found without the newer C library's help.
        self.assertIn("did you mean doctor?", run(self.bin("baton"), "doctr", fails=True, env=self.environment))

    def test_it_needs_an_old_c_library_and_nothing_else(self):
        seen = 0
        for path in self.objects():
            seen += 1
            needed = set(re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", path)))
            self.assertLessEqual(needed, SYSTEM, path)
            for version in re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", path)):
                self.assertLessEqual(tuple(map(int, version.split("."))), GLIBC, (path, version))
            self.assertNotRegex(run("readelf", "--wide", "-r", path), r"R_X86_64_COPY.* environ", path)
        self.assertGreaterEqual(seen, 6)

    def test_mpi4py_built_here_finds_it(self):
        how = {**self.environment, "MPI4PY_BUILD_MPIABI": "1", "MPI4PY_BUILD_MPICC": self.bin("mpicc"), "CFLAGS": "-O0",
               **{name: value for name, value in os.environ.items() if name.startswith("PIP_")}}
        run(self.bin("python"), "-m", "pip", "install", "--quiet", "--no-binary", "mpi4py", MPI4PY, env=how)
        said = self.mpiexec("-n", 2, self.bin("python"), "-c", ASK_MPI4PY)
        self.assertEqual(sorted(re.findall(r"(\d) 2 Baton ", said)), ["0", "1"], said)
        self.assertIn("0 1 Baton", run(self.bin("python"), "-c", ASK_MPI4PY, env=self.environment))

    def test_another_mpis_files_in_its_places_are_noticed(self):
        for name, told in (("mpiexec", "bin/mpiexec is another MPI's"), ("../lib/libmpi_abi.so.1", "libmpi_abi.so.1 is another MPI's")):
            path = self.bin(name)
            os.rename(path, path + ".kept")
            try:
                with open(path, "w") as file:
                    file.write("another\n")
                self.assertIn(told, run(self.bin("baton"), "doctor", fails=True, env=self.environment))
            finally:
                os.rename(path + ".kept", path)

    def test_pip_takes_all_of_it_away_again(self):
        venv = os.path.join(self.folder.name, "other")
        run(sys.executable, "-m", "venv", venv)
        files = [os.path.join(venv, name) for name in (
            "bin/mpiexec", "bin/mpirun", "bin/mpicc", "bin/mpicxx", "bin/baton", "lib/libmpi_abi.so.1", "lib/libmpi_abi.so",
            "lib/pkgconfig/baton.pc", "include/mpi.h", "include/mpi-ext.h", "share/man/man1/mpiexec.1", "share/doc/baton/LICENSE")]
        run(os.path.join(venv, "bin", "pip"), "install", "--quiet", self.wheel)
        self.assertEqual([name for name in files if not os.path.exists(name)], [])
        run(os.path.join(venv, "bin", "pip"), "uninstall", "--quiet", "--yes", "baton-mpi")
        self.assertEqual([name for name in files if os.path.exists(name)], [])


class Spack(unittest.TestCase):
    def test_the_recipe_is_python(self):
        with open(os.path.join(ROOT, "packaging", "spack", "package.py")) as file:
            tree = ast.parse(file.read())
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        self.assertEqual(classes, ["BatonMpi"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
