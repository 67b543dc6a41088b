"""Shared by the tests of studies: `baton lab` as a user calls it, from the folder of programs that is the first argument."""
import json
import os
import subprocess
import sys
import tempfile

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIBEXEC = os.path.join(BIN, "..", "libexec", "baton")
WATCHDOG_SECONDS = 1200
sys.path.insert(0, ROOT)


def lab(*words, **more):
    return subprocess.run([os.path.join(BIN, "baton"), "lab", *words], capture_output=True, text=True,
                          timeout=WATCHDOG_SECONDS, stdin=subprocess.DEVNULL, **more)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def run_quick(case, study):
    """For a test case's setUpClass: a quick run of the study, its data and its page."""
    kept = tempfile.TemporaryDirectory()
    case.addClassCleanup(kept.cleanup)
    case.folder = kept.name
    done = lab(study, "--quick", "--out", case.folder)
    assert done.returncode == 0, done.stderr
    case.data, case.page = json.loads(read(case.folder, "data.json")), read(case.folder, "index.html")
