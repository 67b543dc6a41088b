"""One rank of a run of mpi4py's own tests: its main.py with the tests picked and each outcome written down.

usage: run_module.py TEST_FOLDER RESULT_PREFIX (without|only) LINES_FILE MODULE ...
LINES_FILE holds module, module.Class or module.Class.test a line, * standing for any text: what to leave
out, or to run alone.
"""
import fnmatch
import os
import re
import sys
import unittest

FOLDER, PREFIX, MODE, LINES = sys.argv[1:5]
with open(LINES, encoding="utf-8") as file:
    listed = file.read().split()

os.chdir(FOLDER)
sys.path.insert(0, FOLDER)
os.environ["PYTHONPATH"] = FOLDER  # for workers that tests spawn
sys.dont_write_bytecode = True
import main  # noqa: E402  mpi4py's

# Under Baton's mpiexec, PMI, PMIx, Slurm.
rank = next(os.environ[name] for name in ("BATON_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID") if name in os.environ)
report = open(f"{PREFIX}.{rank}", "w", buffering=1, encoding="utf-8")


def name_of(test):
    """module.Class.test, also for what stands for a module or a class that could not be set up."""
    name = re.sub(r"^\w+ \(([\w.]+)\)$", r"\1", test.id())
    return name.replace("unittest.loader._FailedTest.", "")


def is_listed(name):
    return any(fnmatch.fnmatchcase(name, line) or fnmatch.fnmatchcase(name, line + ".*") for line in listed)


def pick(suite):
    """The suite without, or with only, what is listed."""
    kept = unittest.TestSuite()
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            kept.addTest(pick(test))
        elif is_listed(name_of(test)) == (MODE == "only"):
            kept.addTest(test)
    return kept


class Result(unittest.TextTestResult):
    """One line a test as it ends: a run that hangs or dies later has still said so much."""

    reason, skip = None, False

    def startTest(self, test):
        self.reason, self.skip = None, False
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        word = "failed" if self.reason else "skipped" if self.skip else "passed"
        report.write(f"{word} {name_of(test)} {self.reason or ''}\n")

    def addSkip(self, test, reason):
        self.skip = True
        super().addSkip(test, reason)

    def note(self, test, error):
        lines = str(error[1]).splitlines() or [""]
        self.reason = f"{error[0].__name__}: {lines[0]}"
        if not isinstance(test, unittest.TestCase):
            report.write(f"failed {name_of(test)} {self.reason}\n")

    def addFailure(self, test, error):
        self.note(test, error)
        super().addFailure(test, error)

    def addError(self, test, error):
        self.note(test, error)
        super().addError(test, error)

    def addSubTest(self, test, subtest, error):
        if error:
            self.note(test, error)
        super().addSubTest(test, subtest, error)

    def addUnexpectedSuccess(self, test):
        self.reason = "unexpected success"
        super().addUnexpectedSuccess(test)


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        return super().run(pick(test))


main.TestProgram(module=None, argv=["main.py", "-q", *sys.argv[5:]], testRunner=Runner)
