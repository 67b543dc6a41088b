"""The fabrics that are described, and the program that simulates jobs on them."""
import hashlib
import json
import os
import tempfile

from lab.frame.errors import StepFailed

PROGRAM = "baton-cluster"
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fabrics")
MISSING = (f"not simulated: {PROGRAM} is missing; packages do not have it. In Baton's sources `./dev build lab` builds "
           "it, with SimGrid (on Debian: libsimgrid-dev)")
WORDS = {"hdr-fat-tree": "HDR fat tree", "slingshot-dragonfly": "Slingshot dragonfly", "myrinet": "Myrinet"}
NAMES = tuple(WORDS)


def path_of(name):
    return os.path.join(FOLDER, f"{name}.json")


def described(name):
    with open(path_of(name), encoding="utf-8") as file:
        return json.load(file)


def ranks_per_node(name):
    return described(name)["ranks_per_node"]


def key_of(programs, file, questions):
    """Another program, fabric or question, another step."""
    with open(file, "rb") as opened:
        fabric = hashlib.sha256(opened.read()).hexdigest()
    return {"program": programs.fingerprint(PROGRAM), "fabric": fabric, "questions": questions}


def ask_described(programs, fabric, questions, heard):
    """Of a fabric that is given in full."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "fabric.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(fabric, out)
        return ask(programs, file, questions, heard)


def ask(programs, file, questions, heard):
    """The report on a fabric's file: its numbers, and an answer to each question."""
    if not programs.has(PROGRAM):
        raise StepFailed(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        asked = os.path.join(folder, "questions.json")
        with open(asked, "w", encoding="utf-8") as out:
            json.dump(questions, out)
        return programs.report(PROGRAM, ["run", "--fabric", file, "--questions", asked], heard)
