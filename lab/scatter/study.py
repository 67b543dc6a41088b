"""The scatter study: which steps it has, and what is made of them."""
from lab.frame.run import Result
from lab.scatter import live, model, source, synthesis
from lab.scatter.findings import findings_of
from lab.scatter.sections import sections_of
from lab.scatter.verdict import verdict_of

ABOUT = ("An ordinary scatter sends in order of rank and, as the source describes it, starts when every node's earlier "
         "transfer has ended. The source's root looks at all channels first: idle nodes come first, then busy ones, "
         "those with the least left before the others. It is rerun here in a model of the bus that the source used, in "
         "which nothing is fitted to its numbers, and on real ranks of this machine.")
ABOUT_SOURCE = "The source's numbers come from its own simulation; ours are marked."
PROGRAMS = (model.PROGRAM, live.PROGRAM)
figures = source.figures


def steps(context):
    return [*model.steps(context), *synthesis.steps(context), *live.steps(context)]


def rows_of(done):
    """One list for data.json; `table` says which question a row belongs to."""
    rows = []
    sweep, beyond = done["sweep"].data, done["beyond"].data
    if sweep:
        for table, key in (("sweep, scatter", "rows"), ("sweep, gather", "rows_gather")):
            rows += [{"table": table, "kind": "simulated", **row} for row in sweep[key]]
        rows += [{"table": "sensitivity", "kind": row.get("kind", "simulated"),
                  **{name: row[name] for name in ("name", "what", "moved_points", "from_source_points")}}
                 for row in sweep["sensitivity"]]
    if beyond:
        for part in ("scale", "topology", "status", "roots", "packing"):
            rows += [{"table": part, "kind": "simulated", "name": line["name"], **mean}
                     for line in beyond[part]["lines"] for mean in line["means"]]
        rows += [{"table": "hardware", "kind": "modelled", "nodes": size["nodes"], **design}
                 for size in beyond["hardware"]["by_nodes"] for design in size["designs"]]
    rows += [{"table": "synthesis", "kind": "modelled", **size} for size in synthesis.sizes(done)]
    return rows + [{"table": "live", "kind": "measured", **row} for row in live.rows_of(done)]


def result(done, context):
    findings = findings_of(done)
    verdict = verdict_of(done)
    why = live.why_not(done)
    missing = {live.name_of(ranks): why for ranks in live.RANKS} if why else {}
    if synthesis.why_not(done):
        missing["synthesis"] = synthesis.why_not(done)
    return Result(findings, rows_of(done), verdict, sections_of(done, context.quick), " ".join(verdict), missing)
