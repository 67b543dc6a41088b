"""Shared by the tests of studies: `baton lab` as a user calls it, from the folder of programs that is the first argument."""
import os
import subprocess
import sys

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIBEXEC = os.path.join(BIN, "..", "libexec", "baton")
WATCHDOG_SECONDS = 240
sys.path.insert(0, ROOT)


def lab(*words, **more):
    return subprocess.run([os.path.join(BIN, "baton"), "lab", *words], capture_output=True, text=True,
                          timeout=WATCHDOG_SECONDS, stdin=subprocess.DEVNULL, **more)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()
