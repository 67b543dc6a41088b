"""Machines that are modelled: their files, and the program that simulates cases on them."""
import hashlib
import json
import os
import tempfile

from lab.frame.charts import table
from lab.frame.errors import StepFailed
from lab.frame.page import paragraph, section

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


def parameters_section(described, more=()):
    """What a model was told: each number with its reference, and rows of the study's own."""
    rows = []
    for name, parameter in described["parameters"].items():
        value = f"{parameter['value']:.4g}" if "range" not in parameter else \
            f"{parameter['range'][0]:g} to {parameter['range'][1]:g}"
        rows.append([name, f"{value} {parameter['unit']}", parameter["source"], parameter.get("words", "")])
    about = f"What the model is told: {described['title']}" if "title" in described else "What the model is told"
    return section(about, paragraph("Of a range, for which no value was found, the geometric middle leads."),
                   table(["parameter", "value", "source", "words"], [*rows, *more], stacked=True))
