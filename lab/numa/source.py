"""What the source says: `inputs`, which the model may use, and `outputs`, which only the page reads."""
import json
import os

NAME = "numa"
FOLDER = os.path.dirname(os.path.abspath(__file__))
CONFIGURATIONS = {"local": 1, "interleave": 2, "spread": 3, "spread-interleave": 4, "remote": 5}
TOLERANCE = 0.10


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def inputs():
    return read("inputs.json")


def outputs():
    return read("outputs.json")


def figures():
    return [*[(f"figure {number}", words) for number, words in outputs()["figures"].items()],
            ("table 1", "names the events that the source counted; above, where this machine counts them"),
            ("table 2", "redrawn above: times; hit ratios, references and requests are inputs or not predicted")]
