"""The step for what the source left for later: collectives on the KNL. A long one is copies: each rank takes what it gets straight
from where it lies, so what counts is how many ranks copy at the same time."""
from lab.frame import charts
from lab.frame.findings import Finding
from lab.frame.machines import PROGRAM, run_cases, step_key
from lab.frame.page import paragraph
from lab.frame.steps import Step
from lab.hbm import source
from lab.hbm.model import MACHINE, gain

FORMAT = 1  # of what we keep
WHAT = "ranks of a KNL that all copy at the same time, as in a long allgather or alltoall, planned by Baton"
RANKS = (2, 17, 34, 68)
BYTES = 1e8  # that each rank copies
MEMORY = {"slow": "all=near", "fast": "all=hbm"}
ENDS = {"middle": {}, "few lines": {"core.lines": 25}, "many lines": {"core.lines": 33}}


def cases():
    return [{"name": f"{ranks}: {end}: {which}", "ranks": ranks, "memory": memory, "program": {"bytes": BYTES, "reads": 1, "writes": 1},
             **({"set": changes} if changes else {})}
            for ranks in RANKS for end, changes in ENDS.items() for which, memory in MEMORY.items()]


def predict(context, heard):
    report = run_cases(context.programs, MACHINE, cases(), heard, steps=2)
    table = {}
    for case in report["cases"]:
        ranks, end, which = case["name"].split(": ")
        table.setdefault(f"{ranks} ranks", {}).setdefault(end, {})[which] = case["ranks"] * BYTES / case["seconds"] / 1e9
    return {"bandwidth": table}


def steps(context):
    return [Step("collectives", WHAT, "simulated", lambda heard: predict(context, heard),
                 {"format": FORMAT, **step_key(context.programs, MACHINE, cases())}, f"{PROGRAM} run --machine {MACHINE}.json")]


def table_of(done):
    return done["collectives"].data["bandwidth"] if done["collectives"].data else {}


def rows(done):
    return [{"table": "collectives", "kind": "simulated", "case": name, "assumption": end, "gain_percent": gain(bandwidth),
             "slow_gbs": bandwidth["slow"], "fast_gbs": bandwidth["fast"]}
            for name, ends in table_of(done).items() for end, bandwidth in ends.items()]


def findings(done):
    return [Finding(source.NAME, f"long collectives of {name}, buffers in MCDRAM: gain over DDR4", "left to later work",
                    round(gain(ends["middle"]), 1), "simulated", "%",
                    f"{ends['middle']['fast']:.0f} instead of {ends['middle']['slow']:.0f} GB/s copied by all")
            for name, ends in table_of(done).items()]


def drawing(done):
    if done["collectives"].problem:
        return paragraph(done["collectives"].problem, "problem")
    lines = []
    for name, ends in table_of(done).items():
        least, most = (f(gain(bandwidth) for bandwidth in ends.values()) for f in (min, max))
        lines.append((name, round(gain(ends["middle"]), 1) + 0.0, f"{least:.0f} to {most:.0f} %"))
    return charts.bars("gain of long collectives with buffers in MCDRAM", lines, " %", digits=0)
