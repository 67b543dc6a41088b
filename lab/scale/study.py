"""The scale study: which steps it has, and what is made of them."""
import csv
import io
import os

from lab.frame.files import write
from lab.frame.run import Result
from lab.scale import found, hosts_live, live, model, sections, told
from lab.scale.fabrics import PROGRAM

ABOUT = ("Barrier, broadcast, allreduce, alltoall and scatter, the start of a job and the memory of its ranks, to 100 000 ranks on "
         "fabrics that are described: an HDR fat tree, a Slingshot dragonfly, the deposit study's Myrinet. What Baton takes is "
         "said by its own selection, linked in; what else could be taken stands beside it. Where it can be, the model is checked against "
         "live runs over hosts that are namespaces of this machine.")
ABOUT_SOURCE = "There is no source: the question is ours. Fabrics are described by published numbers where some were found, else by guesses."
PROGRAMS = (PROGRAM, hosts_live.PROGRAM)
POINTS = "points.csv"


def figures():
    """None: no source has any."""
    return []


def steps(context):
    return [*model.steps(context), *hosts_live.steps(context), *live.steps(context)]


def as_csv(rows):
    flat = [{name: value for name, value in row.items() if not isinstance(value, (dict, list))} for row in rows]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def result(done, context):
    all_found = found.of_steps(done)
    rows = found.rows_of(all_found) + hosts_live.rows(done)
    if done.get("live") and done["live"].data:
        rows += [{"fabric": "live", "kind": "measured", **point} for point in done["live"].data["points"]]
    write(os.path.join(context.folder, POINTS), as_csv(rows))
    verdict = told.verdict_of(all_found)
    why = hosts_live.why_not(done)
    missing = {"hosts": why} if why and not done["hosts"].problem else None
    return Result(told.findings_of(all_found), rows, verdict, sections.sections_of(all_found, done), verdict[0], missing)
