"""What the source says: `parameters`, which the model may use, and `outputs`, which only the page reads."""
import json
import math
import os

from lab.frame.inputs import ends_of

NAME = "deposit"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def checked(name, parameter):
    """With its value; of a range that is the geometric middle."""
    return {**parameter, "value": math.sqrt(math.prod(ends_of(name, parameter)))}


def parameters():
    return {name: checked(name, parameter) for name, parameter in read("inputs.json")["parameters"].items()}


def outputs():
    return read("outputs.json")


def figures():
    return [(f"{kind} {number}", words) for kind, kinds in (("figure", "figures"), ("table", "tables"))
            for number, words in outputs()[kinds].items()]
