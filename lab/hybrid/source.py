"""What the source says: `parameters` and `shares`, which the model may use, and `outputs`, which only the page reads."""
import json
import math
import os

from lab.frame.inputs import ends_of

NAME = "hybrid"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def checked(name, parameter):
    """With its ends and its value; of a range that is the geometric middle. What is in percent becomes a part of 1."""
    scale = 0.01 if parameter.get("unit") == "%" else 1
    low, high = (end * scale for end in ends_of(name, parameter))
    return {**parameter, "low": low, "high": high, "middle": math.sqrt(low * high)}


def inputs():
    known = read("inputs.json")
    for part in ("shares", "parameters"):
        known[part] = {name: checked(name, parameter) for name, parameter in known[part].items()}
    return known


def outputs():
    return read("outputs.json")


def figures():
    found = outputs()
    return [*((f"figure {number}", words) for number, words in found["figures"].items()),
            ("table 1", "an input: messages of the machines' files"), ("table 2", "an input: memory of the machines' files"),
            *((table["place"].split(",")[0], "redrawn: every number beside the model's") for table in found["tables"].values())]
