"""What checks are made of: each is a function with a sentence that it proves, run in the guest one after the other.
What it returns, if anything, is shown with its success: numbers that are told, not judged.
"""
import json
import os
import re
import subprocess
import time
import traceback

SECONDS = 90  # a check's job; emulated, on a busy machine

OOM_SCORE = "/proc/self/oom_score_adj"

checks = []


class Wrong(Exception):
    """The sentence does not hold; says what is instead."""


class Skip(Exception):
    """This machine or build lacks what the sentence is about."""


def check(sentence):
    def add(function):
        checks.append((sentence, function))
        return function
    return add


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def spare_from_kills():
    """When memory runs short, not who looks on is killed but who was placed wrongly."""
    with open(OOM_SCORE, "w") as file:
        file.write("-1000")


def be_killed_as_others():
    with open(OOM_SCORE, "w") as file:
        file.write("0")


class Guest:
    """The build under test, and how its programs are run."""

    def __init__(self, build):
        self.bin = os.path.join(build, "bin")
        self.programs = os.path.join(build, "tests", "bin")

    def run(self, words, seconds=SECONDS, **environment):
        """The finished process. What does not end in time is ended, with all that it started."""
        # Ranks are bound, however busy a machine is that has just been started.
        everywhere = {**os.environ, "BATON_OTHER_JOBS": "ignore"}
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL, env={**everywhere, **environment},
                                   preexec_fn=be_killed_as_others)
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec then ends its ranks
            try:
                output, errors = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                output, errors = process.communicate()
            raise Wrong(f"{words[0]} did not end within {seconds} s\n{output[-500:]}{errors[-500:]}") from None
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def baton(self, *words):
        return self.run([os.path.join(self.bin, "baton"), *words])

    def job(self, options, program=(), seconds=SECONDS, **environment):
        """mpiexec with these options; the program is one of the tests'."""
        where = [os.path.join(self.programs, program[0]), *program[1:]] if program else []
        return self.run([os.path.join(self.bin, "mpiexec"), *options, *where], seconds, **environment)

    def succeed(self, done):
        demand(done.returncode == 0, f"code {done.returncode}: {' '.join(map(str, done.args))}\n"
               f"{done.stdout[-400:]}{done.stderr[-800:]}")
        return done


def outcome_of(function, guest):
    try:
        return "passed", function(guest) or ""
    except Skip as skip:
        return "skipped", str(skip)
    except Wrong as wrong:
        return "failed", str(wrong).strip()
    except Exception:  # whatever goes wrong in a check is its failure, and the next one runs
        return "failed", traceback.format_exc(limit=-3).strip()


def run_all(guest, pattern, tell):
    """True when none failed."""
    good = True
    for sentence, function in checks:
        if not re.search(pattern, sentence):
            continue
        tell({"begun": sentence})
        began = time.monotonic()
        outcome, why = outcome_of(function, guest)
        good = good and outcome != "failed"
        tell({"sentence": sentence, "outcome": outcome, "why": why, "seconds": round(time.monotonic() - began, 1)})
    return good


class Teller:
    """Writes lines of JSON where the host reads them."""

    def __init__(self, path):
        self.file = open(path, "a")

    def __call__(self, record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()
