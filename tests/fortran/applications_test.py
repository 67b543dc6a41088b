#!/usr/bin/env python3
"""Quantum ESPRESSO, built with mpifort as its manual says from the distribution's source package, passes tests of its own.
Apt fetches the source; where it cannot, the test is skipped and says why. What is built stays in BIN_FOLDER/../applications.
Usage: applications_test.py BIN_FOLDER [unittest's]"""
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
KEPT = os.path.join(os.path.dirname(BIN), "applications")
SECONDS = 1500  # far
ENVIRONMENT = {**os.environ, "PATH": BIN + os.pathsep + os.environ["PATH"], "OMP_NUM_THREADS": "1"}


def run(*words, **more):
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=SECONDS, **{"env": ENVIRONMENT, **more})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words[:4]))}: code {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def source_packages(folder):
    """A configuration of apt's own that knows the sources of the distribution's main packages, in this folder."""
    form = "$(REPO_URI) $(CODENAME) $(COMPONENT)"
    targets = {tuple(line.split()) for line in run("apt-get", "indextargets", "--format", form,
                                                   "Created-By: Packages").splitlines()}
    keys = [f"/usr/share/keyrings/{name}-archive-keyring.gpg" for name in ("debian", "ubuntu")]
    signed = "".join(f"[signed-by={path}] " for path in keys if os.path.exists(path))
    lists = os.path.join(folder, "sources.list")
    with open(lists, "w") as file:
        for target in targets:
            if len(target) == 3 and target[2] == "main":
                uri, suite, component = target
                file.write(f"deb-src {signed}{uri} {suite} {component}\n")
    for name in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    return [f"-oDir::Etc::sourcelist={lists}", "-oDir::Etc::sourceparts=-", f"-oDir::State::Lists={folder}/lists",
            f"-oDir::Cache={folder}"]


def fetch(package):
    """The package's folder, unpacked, with what Debian adds in `debian`."""
    place = os.path.join(KEPT, package)
    if os.path.exists(place):
        return place
    if not shutil.which("apt-get"):
        raise unittest.SkipTest("there is no apt-get to fetch sources with")
    os.makedirs(KEPT, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        try:
            options = source_packages(folder)
            run("apt-get", *options, "update", cwd=folder)
            run("apt-get", *options, "source", "--download-only", package, cwd=folder)
        except AssertionError as failure:
            raise unittest.SkipTest(f"{package} cannot be fetched: {str(failure).splitlines()[-1]}") from None
        unpacked = os.path.join(folder, "unpacked")
        for pattern in "*.orig.tar.*", "*.debian.tar.*":
            with tarfile.open(glob.glob(os.path.join(folder, pattern))[0]) as file:
                file.extractall(unpacked)
        program = next(name for name in os.listdir(unpacked) if name != "debian")
        shutil.move(os.path.join(unpacked, "debian"), os.path.join(unpacked, program))
        os.rename(os.path.join(unpacked, program), place)
    return place


class QuantumEspresso(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place = fetch("espresso")
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
