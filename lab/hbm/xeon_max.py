"""The step that says what Baton would gain today: pairs on one socket of a Xeon Max. Hardly any figure of that machine was
found, so all that comes out is a band: the least and the most that the ranges of its file allow."""
from lab.frame import charts
from lab.frame.findings import Finding
from lab.frame.machines import PROGRAM, run_cases, step_key
from lab.frame.page import paragraph
from lab.frame.steps import Step
from lab.hbm import source
from lab.hbm.model import BYTES, DRAM, FAST, gain

MACHINE = "xeon-max-flat"
FORMAT = 1  # of what we keep
WHAT = "pairs of ranks on one socket of a Xeon Max, planned by Baton, within what is known of it"
PAIRS = (1, 14, 28)
# Of a long message in one copy, or of a segment that stays in caches, nothing is written back; else all of it.
WAYS = {"one copy": 0, "two copies, segments written back": 1}
ENDS = {"middle": {}, "least": {"HBM.bandwidth": 600, "DDR5.bandwidth": 307, "pair.bandwidth": 4},
        "most": {"HBM.bandwidth": 1000, "DDR5.bandwidth": 200, "pair.bandwidth": 9.5}}


def cases():
    return [{"name": f"{pairs}: {way}: {end}: {which}", "pairs": pairs, "placed": "across tiles", "memory": memory, "bytes": BYTES,
             "written_back": back, **({"set": changes} if changes else {})}
            for pairs in PAIRS for way, back in WAYS.items() for end, changes in ENDS.items()
            for which, memory in (("fast", FAST), ("slow", DRAM))]


def predict(context, heard):
    report = run_cases(context.programs, MACHINE, cases(), heard, steps=20)
    table = {}
    for case in report["cases"]:
        pairs, way, end, which = case["name"].split(": ")
        table.setdefault(f"{pairs} {'pair' if pairs == '1' else 'pairs'}, {way}", {}).setdefault(end, {})[which] = case["pairs"] * BYTES / case["seconds"] / 1e9
    return {"machine": report["machine"], "bandwidth": table}


def steps(context):
    return [Step("xeon-max", WHAT, "simulated", lambda heard: predict(context, heard),
                 {"format": FORMAT, **step_key(context.programs, MACHINE, cases())}, f"{PROGRAM} run --machine {MACHINE}.json")]


def bands(done):
    """Name -> the gain in percent in the middle, at least and at most."""
    data = done["xeon-max"].data
    return {name: [round(gain(ends[end]), 1) + 0.0 for end in ENDS] for name, ends in data["bandwidth"].items()} if data else {}


def findings(done):
    if not done["xeon-max"].data:
        return [Finding(source.NAME, "gain on a Xeon Max", None, None, "simulated", note=done["xeon-max"].problem)]
    return [Finding(source.NAME, f"gain on a Xeon Max: {name}", None, f"{low:.0f} to {high:.0f} %", "simulated",
                    note=f"a band, as hardly any figure was found; {middle:.0f} % in the middle of all ranges")
            for name, (middle, low, high) in bands(done).items()]


def rows(done):
    return [{"table": "xeon-max", "kind": "simulated", "case": name, "gain_percent": middle, "least": low, "most": high}
            for name, (middle, low, high) in bands(done).items()]


def drawing(done):
    if not done["xeon-max"].data:
        return paragraph(done["xeon-max"].problem, "problem")
    lines = []
    for name, (middle, low, high) in bands(done).items():
        lines += [name, ("least", low, ""), ("middle", middle, ""), ("most", high, "")]
    return charts.bars("gains on a Xeon Max", lines, " %", digits=0)
