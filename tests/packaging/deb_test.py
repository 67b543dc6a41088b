#!/usr/bin/env python3
"""The Debian package installs into a fresh Debian, made by mmdebstrap, as the container image of it; there it compiles and
runs programs. Usage: deb_test.py BUILD_FOLDER [unittest's]"""
import os
import re
import sys
import tempfile
import unittest

from package import FORTRAN_HELLO, HELLO, make, run

BUILD = os.path.abspath(sys.argv.pop(1))


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.archive = make("image", BUILD, cls.folder.name)
        cls.buildah = ["buildah", "--storage-driver", "vfs", "--root", os.path.join(cls.folder.name, "storage"),
                       "--runroot", os.path.join(cls.folder.name, "run")]
        cls.container = run(*cls.buildah, "from", "--quiet", f"oci-archive:{cls.archive}").split()[-1]

    @classmethod
    def tearDownClass(cls):
        run(*cls.buildah, "rm", cls.container)
        cls.folder.cleanup()

    def inside(self, *words, **more):
        return run(*self.buildah, "run", "--isolation", "chroot", self.container, "--", *words, **more)

    def test_jobs_run_in_it(self):
        said = self.inside("mpiexec", "--timeout", 60, "-n", 2, "sh", "-c", "echo rank $BATON_RANK")
        self.assertEqual(sorted(re.findall(r"rank (\d)", said)), ["0", "1"], said)
        self.assertIn("/usr/lib/libmpi_abi.so.1", self.inside("baton", "info"))

    def test_the_distributions_compilers_build_programs_with_it(self):
        self.inside("sh", "-c", "apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc gfortran libc6-dev")
        for wrapper, name, text in ("mpicc", "hello.c", HELLO), ("mpifort", "hello.f90", FORTRAN_HELLO):
            source = os.path.join(self.folder.name, name)
            with open(source, "w") as file:
                file.write(text)
            run(*self.buildah, "copy", "--quiet", self.container, source, f"/tmp/{name}")
            self.inside(wrapper, f"/tmp/{name}", "-o", "/tmp/hello")
            said = self.inside("mpiexec", "--timeout", 60, "-n", 2, "/tmp/hello")
            self.assertEqual(sorted(re.findall(r"(\d) of 2: Baton ", said)), ["0", "1"], said)

    def test_the_package_is_known_and_goes_again(self):
        self.assertRegex(self.inside("dpkg", "--status", "baton-mpi"), r"Depends: .*libhwloc15")
        self.inside("dpkg", "--remove", "baton-mpi")
        self.assertNotIn("mpiexec", self.inside("ls", "/usr/bin"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
