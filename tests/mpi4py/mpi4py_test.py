#!/usr/bin/env python3
"""mpi4py's own tests on Baton. Builds mpi4py from source with Baton's mpicc (kept in the build folder), then
runs all modules at the given numbers of ranks (by default 1, 2 and 5): what not_yet.txt does not list must pass, what it
lists must fail.
usage: mpi4py_test.py [--ranks N,N...] BUILD_FOLDER [MODULE ...]"""
import argparse
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "4.1.2"
NUMPY = "numpy>=1.26,<3"  # without it tests of buffers and of datatypes' bounds skip themselves
RANKS = (1, 2, 5)
LISTED_RANKS = (1, 2, 4)  # where what is listed is tried: it has to fail at one of them
ALL_SECONDS = 900      # watchdogs, not measures
MODULE_SECONDS = 240
LISTED_SECONDS = 20
LISTED_AT_ONCE = 4     # they mostly wait
TIMEOUT_CODE = 124     # mpiexec's
# Not about this library: C interfaces of other packages, other MPIs' names, documentation.
NOT_OURS = {"test_doc", "test_mpiapi"}
# mpi4py looks for these under Open MPI's macros only (docs/faults.md).
FAULT_TOLERANCE = ["ERR_REVOKED", "ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "Comm_revoke", "Comm_is_revoked", "Comm_get_failed",
                   "Comm_ack_failed", "Comm_agree", "Comm_iagree", "Comm_shrink", "Comm_ishrink"]
# Send nothing and try many types: the same on any number of ranks.
ONE_RANK = {"test_datatype", "test_pack", "test_util_dtlib"}


def call(words, what, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        sys.exit(f"{what} failed with code {done.returncode}:\n" + "\n".join(done.stdout.splitlines()[-30:]))
    return done.stdout


class Installation:
    """A virtual environment with mpi4py built against Baton's header, and the tests of the same version."""

    def __init__(self, build):
        self.build = build
        self.folder = os.path.join(build, "mpi4py")
        self.python = os.path.join(self.folder, "venv", "bin", "python")
        self.tests = os.path.join(self.folder, f"mpi4py-{VERSION}", "test")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.environment["LD_LIBRARY_PATH"] = os.path.join(build, "lib")

    def version(self):
        done = subprocess.run([self.python, "-c", "import mpi4py; print(mpi4py.__version__)"], capture_output=True,
                              text=True) if os.path.exists(self.python) else None
        return done.stdout.strip() if done and done.returncode == 0 else None

    def make(self):
        os.makedirs(self.folder, exist_ok=True)
        if self.version() != VERSION:
            self.build_package()
        if not self.has_numpy():
            call([self.python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", NUMPY], "installing numpy")
        if not os.path.exists(os.path.join(self.tests, "main.py")):
            self.unpack_tests()

    def has_numpy(self):
        return subprocess.run([self.python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0

    def build_package(self):
        print(f"building mpi4py {VERSION} from source (some minutes) into {self.folder}", flush=True)
        shutil.rmtree(os.path.join(self.folder, "venv"), ignore_errors=True)
        call([sys.executable, "-m", "venv", os.path.join(self.folder, "venv")],
             "python3 -m venv (Debian: apt-get install python3-venv)")
        how = {**self.environment, "MPI4PY_BUILD_MPIABI": "1",
               "MPI4PY_BUILD_MPICC": os.path.join(self.build, "bin", "mpicc"),
               # -O0: its one large source takes minutes else.
               "CFLAGS": " ".join(["-O0", "-include mpi-ext.h", *(f"-DPyMPI_HAVE_MPIX_{name}=1" for name in FAULT_TOLERANCE)])}
        call([self.python, "-m", "pip", "install", "--quiet", "--no-binary", "mpi4py", f"mpi4py=={VERSION}"],
             "building mpi4py", env=how)

    def unpack_tests(self):
        call([self.python, "-m", "pip", "download", "--quiet", "--no-binary", "mpi4py", "--no-deps", "--dest",
              self.folder, f"mpi4py=={VERSION}"], "fetching mpi4py's sources")
        with tarfile.open(os.path.join(self.folder, f"mpi4py-{VERSION}.tar.gz")) as archive:
            archive.extractall(self.folder, filter="data") if hasattr(tarfile, "data_filter") else \
                archive.extractall(self.folder)

    def modules(self):
        return sorted(name[:-3] for name in os.listdir(self.tests)
                      if re.fullmatch(r"test_\w+\.py", name) and name[:-3] not in NOT_OURS)


class Outcome:
    """What the ranks of one run said, and how mpiexec ended."""

    def __init__(self, modules, code, output, reports):
        self.code, self.output = code, output
        self.failed = {name: reason for word, name, reason in reports if word == "failed"}
        self.passed = {name for word, name, _ in reports if word == "passed"} - set(self.failed)
        if code != 0 and not self.failed:
            lines = [line for line in output.splitlines() if line.strip()]
            errors = [line for line in lines if "Exception" in line or "Error" in line]
            self.failed[" ".join(modules)] = (errors or lines or ["nothing said"])[-1]


def fits_any(line, names):
    return any(fnmatch.fnmatchcase(name, line) or fnmatch.fnmatchcase(name, line + ".*") for name in names)


class Tests:
    def __init__(self, installation, ranks=RANKS):
        self.installation, self.ranks = installation, ranks
        self.lines_file = os.path.join(HERE, "not_yet.txt")
        with open(self.lines_file, encoding="utf-8") as file:
            self.listed = [line.split()[0] for line in file if line.strip() and not line.startswith("#")]
        self.lines = {}  # the file of tests to run alone, or to leave out
        for mode, lines in ("only", self.listed), ("without", self.listed):
            self.lines[mode] = os.path.join(installation.folder, f"{mode}.txt")
            with open(self.lines[mode], "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
        self.problems = []

    def run(self, modules, ranks, mode, seconds):
        with tempfile.TemporaryDirectory(dir=self.installation.folder) as folder:
            prefix = os.path.join(folder, "result")
            code, output = self.run_job(ranks, [self.installation.python, os.path.join(HERE, "run_module.py"),
                                                self.installation.tests, prefix, mode, self.lines[mode], *modules], seconds)
            reports = []
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    reports += [(line + "  ").split(" ", 2) for line in file.read().splitlines()]
        return Outcome(modules, code, output, reports)

    def run_job(self, ranks, words, seconds):
        """A job's exit code and output."""
        mpiexec = [os.path.join(self.installation.build, "bin", "mpiexec"), "--timeout", str(seconds), "-n", str(ranks)]
        done = subprocess.run([*mpiexec, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", env=self.installation.environment, stdin=subprocess.DEVNULL,
                              timeout=seconds + 30)
        return done.returncode, done.stdout

    def lines_for(self, module):
        return [line for line in self.listed if line.split(".")[0] == module]

    def must_pass(self, modules):
        """All that is not listed, at every number of ranks, in one job each; where that fails, every module in a
        job of its own says which."""
        for ranks in self.ranks if modules else ():
            here = [module for module in modules if ranks == self.ranks[0] or module not in ONE_RANK]
            if not here:
                continue
            together = self.run(here, ranks, "without", ALL_SECONDS)
            print(f"{ranks} ranks: {len(together.passed)} passed", flush=True)
            if not together.passed:
                self.problems.append(f"nothing ran on {ranks} ranks")
            if self.went_well(together):
                continue
            said = len(self.problems)
            for module in here:
                alone = self.run([module], ranks, "without", MODULE_SECONDS)
                if not self.went_well(alone):
                    self.note(module, ranks, alone)
            if len(self.problems) == said:
                self.note("all modules in one job, but none alone,", ranks, together)

    @staticmethod
    def went_well(outcome):
        return outcome.code == 0 and not outcome.failed

    def note(self, what, ranks, outcome):
        said = "".join(f"\n  {name}: {reason.strip()}" for name, reason in sorted(outcome.failed.items()))
        self.problems.append(f"{what} on {ranks} ranks ended with code {outcome.code}:{said}")

    def must_fail(self, module):
        """All that is listed; each test at one number of ranks at least, and at no more than that takes."""
        lines = self.lines_for(module)
        good, bad, hung = set(), {}, False
        if not lines:
            return
        for ranks in LISTED_RANKS:
            outcome = self.run([module], ranks, "only", LISTED_SECONDS)
            bad |= outcome.failed
            good |= outcome.passed
            hung |= outcome.code == TIMEOUT_CODE
            # A module or a class that failed as a whole stands for all in it.
            good = {name for name in good if not any(name == what or name.startswith(what + ".") for what in bad)}
            wrongly_listed = [line for line in lines if not fits_any(line, bad) and not (hung and line == module)]
            if not wrongly_listed and (hung or not good):
                return
        self.problems += [f"{line} in not_yet.txt names nothing that fails: take it out" for line in wrongly_listed]
        if not hung:
            self.problems += [f"{name} is in not_yet.txt and passes: take it out" for name in sorted(good)]

    def all(self, modules):
        self.must_pass([module for module in modules if module not in self.listed])
        with concurrent.futures.ThreadPoolExecutor(LISTED_AT_ONCE) as at_once:
            list(at_once.map(self.must_fail, modules))
        unknown = {line.split(".")[0] for line in self.listed} - set(self.installation.modules())
        self.problems += [f"not_yet.txt names {name}, and there is no such module" for name in sorted(unknown)]


def library_version(installation):
    """What mpi4py finds must be Baton, and nothing else that lies around."""
    text = call([os.path.join(installation.build, "bin", "mpiexec"), "-n", "1", "--timeout", "60", installation.python,
                 "-c", "from mpi4py import MPI; print(MPI.Get_library_version())"], "importing mpi4py.MPI",
                env=installation.environment)
    print(text.strip(), flush=True)
    if not text.startswith("Baton"):
        sys.exit("mpi4py uses another MPI than Baton")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=lambda text: tuple(map(int, text.split(","))), default=RANKS,
                        help="only these numbers of ranks, such as 3,5")
    parser.add_argument("build", help="the build folder")
    parser.add_argument("modules", nargs="*", help="only these modules, such as test_comm")
    options = parser.parse_args()
    installation = Installation(os.path.abspath(options.build))
    installation.make()
    library_version(installation)
    tests = Tests(installation, options.ranks)
    modules = options.modules or installation.modules()
    tests.all(modules)
    for problem in tests.problems:
        print(f"\n{problem}")
    print(f"{len(modules)} modules, {len(tests.problems)} problems")
    return 1 if tests.problems else 0


if __name__ == "__main__":
    sys.exit(main())
