"""Machines that are modelled: their files, and the program that simulates cases on them."""
import hashlib
import json
import os
import tempfile

from lab.frame.errors import StepFailed

PROGRAM = "baton-machine"
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "machines")
MISSING = (f"not simulated: {PROGRAM} is missing; packages do not have it. In Baton's sources `./dev build lab` builds "
           "it, with SimGrid (on Debian: libsimgrid-dev)")


def path_of(name):
    return os.path.join(FOLDER, f"{name}.json")


def step_key(programs, machine, cases):
    """Another program, machine or case, another step."""
    with open(path_of(machine), "rb") as file:
        described = hashlib.sha256(file.read()).hexdigest()
    return {"program": programs.fingerprint(PROGRAM), "machine": described, "cases": cases}


def run_cases(programs, machine, cases, heard, steps=100):
    if not programs.has(PROGRAM):
        raise StepFailed(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cases.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(cases, out)
        return programs.report(PROGRAM, ["run", "--machine", path_of(machine), "--cases", file, "--steps", str(steps)], heard)
