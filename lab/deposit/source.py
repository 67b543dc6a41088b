"""What the source says: `parameters`, which the model may use, and `outputs`, which only the page reads."""
import json
import math
import os

from lab.frame.errors import LabError

NAME = "deposit"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def checked(name, parameter):
    """With its value; of a range that is the geometric middle."""
    for part in ("unit", "source", "words"):
        if not parameter.get(part):
            raise LabError(f"inputs.json: parameter {name!r} has no {part!r}; a number without a reference is not used")
    ends = parameter.get("range", [parameter.get("value")])
    if not all(isinstance(end, (int, float)) and end > 0 for end in ends):
        raise LabError(f"inputs.json: parameter {name!r} has neither a positive value nor a range of such")
    return {**parameter, "value": math.prod(ends) ** (1 / len(ends))}


def parameters():
    return {name: checked(name, parameter) for name, parameter in read("inputs.json")["parameters"].items()}


def outputs():
    return read("outputs.json")


def figures():
    return [(f"{kind} {number}", words) for kind, kinds in (("figure", "figures"), ("table", "tables"))
            for number, words in outputs()[kinds].items()]
