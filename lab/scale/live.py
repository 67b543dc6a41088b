"""Live measurements over some hosts, beside what the model says of the same points. They come from a file that somebody has put
into the study's folder, live.json:
  {"about": which hosts and network, and when,
   "fabric": one of lab/scale/fabrics by its name, or a fabric in full,
   "points": [{"operation", "bytes": as in MPI's call of one rank; of an alltoall all blocks of a rank,
               "ranks", "ranks_per_node", "algorithm": of Baton, "seconds"}, ...]}
Nothing is measured here."""
import json
import os

from lab.frame.errors import StepFailed
from lab.frame.steps import Step
from lab.scale import fabrics

FILE = "live.json"
ASKED = ("operation", "bytes", "ranks", "ranks_per_node", "algorithm")


def path_in(context):
    return os.path.join(context.folder, FILE)


def read(path):
    """Throws StepFailed, in one line, for what is wrong."""
    try:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
    except (OSError, ValueError) as error:
        raise StepFailed(f"{FILE}: {error}") from None
    if not isinstance(given, dict) or not isinstance(given.get("points"), list) or not given["points"]:
        raise StepFailed(f"{FILE}: has no list \"points\"")
    for at, point in enumerate(given["points"], 1):
        missing = [name for name in (*ASKED, "seconds") if not isinstance(point, dict) or name not in point]
        if missing:
            raise StepFailed(f"{FILE}: point {at} has no {', '.join(missing)}")
        if not isinstance(point["seconds"], (int, float)) or not point["seconds"] > 0:
            raise StepFailed(f"{FILE}: point {at}: \"seconds\" must be positive")
    if not (given.get("fabric") in fabrics.NAMES or isinstance(given.get("fabric"), dict)):
        raise StepFailed(f"{FILE}: \"fabric\" is one of {', '.join(fabrics.NAMES)}, or a fabric in full")
    return given


def compare(context, heard):
    """Each point with the model's seconds beside it."""
    given = read(path_in(context))
    wanted = [{name: point[name] for name in ASKED} for point in given["points"]]
    if isinstance(given["fabric"], str):
        answers = fabrics.ask(context.programs, fabrics.path_of(given["fabric"]), wanted, heard)["answers"]
    else:
        answers = fabrics.ask_described(context.programs, given["fabric"], wanted, heard)["answers"]
    return {"about": given.get("about", ""), "points": [
        {**point, "model_seconds": answer["seconds"], "model_kind": answer["kind"], "model_by": answer["by"]}
        for point, answer in zip(given["points"], answers)]}


def steps(context):
    """None where nobody has measured."""
    if not os.path.exists(path_in(context)):
        return []
    with open(path_in(context), "rb") as file:
        content = file.read().decode("utf-8", "replace")
    return [Step("live", f"the points of {FILE}, measured elsewhere, and the model of the same", "measured",
                 lambda heard: compare(context, heard), {"program": context.programs.fingerprint(fabrics.PROGRAM), "file": content})]
