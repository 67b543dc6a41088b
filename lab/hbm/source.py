"""What the source says: `outputs`, which only the page reads. Its model takes nothing from the source but what was done:
pairs, their places, and which memory holds what."""
import json
import os

NAME = "hbm"
FOLDER = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 0.20  # of a gain
POINTS_OF_NOTHING = 5  # where the source has no gain, ours may have so many percent


def outputs():
    with open(os.path.join(FOLDER, "outputs.json"), encoding="utf-8") as file:
        return json.load(file)


def figures():
    return [(f"figure {number}", words) for number, words in outputs()["figures"].items()]
