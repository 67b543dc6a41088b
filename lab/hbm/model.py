"""The step that simulates: pairs of ranks on a KNL as flows, from published figures only. Reads nothing of the source."""
from lab.frame.machines import PROGRAM, run_cases, step_key
from lab.frame.steps import Step

MACHINE = "knl-flat"
FORMAT = 1  # of what we keep
BYTES = 1e9  # that each pair sends
WHAT = "pairs of ranks in and across tiles on a model of a KNL, planned by Baton"
DRAM = "queues=near,heap=near"
FAST = "queues=hbm,heap=hbm"
# Name -> pairs, where, what lies in MCDRAM; each is compared with the same pairs, all in DDR4.
CASES = {
    "1 pair, all in MCDRAM": (1, "in tiles", FAST),
    "17 pairs, all in MCDRAM": (17, "in tiles", FAST),
    "34 pairs, all in MCDRAM": (34, "in tiles", FAST),
    "34 pairs, segments only": (34, "in tiles", "queues=hbm,heap=near"),
    "34 pairs across tiles, all in MCDRAM": (34, "across tiles", FAST),
    "34 pairs across tiles, segments only": (34, "across tiles", "queues=hbm,heap=near"),
    "34 pairs, whole processes in MCDRAM": (34, "in tiles", "all=hbm"),
}
# How much of a segment goes to memory: none while it stays in the tile's cache; all of it where another tile reads what
# this one has just written, since its protocol has no state in which two caches hold what memory does not.
WRITTEN_BACK = {"in tiles": 0, "across tiles": 1}
VARIANTS = {
    "base": {},
    "a pair copies 2 GB/s": {"set": {"pair.bandwidth": 2}},
    "a pair copies 3 GB/s": {"set": {"pair.bandwidth": 3}},
    "a pair copies 4 GB/s": {"set": {"pair.bandwidth": 4}},
    "a pair copies 5.9 GB/s": {"set": {"pair.bandwidth": 5.9}},
    "a third of a segment leaves its tile": {"in tiles": 1 / 3},
    "no segment is written back": {"across tiles": 0},
    "segments are written back and read again": {"across tiles": 2},
    "MCDRAM 447 GB/s (BabelStream's triad)": {"set": {"MCDRAM.bandwidth": 447.4}},
    "DDR4 78 GB/s (Chips and Cheese)": {"set": {"DDR4.bandwidth": 78}},
}


def cases():
    made = []
    for label, change in VARIANTS.items():
        for name, (pairs, placed, memory) in CASES.items():
            back = change.get(placed, WRITTEN_BACK[placed])
            made += [{"name": f"{label}: {name}: {which}", "pairs": pairs, "placed": placed, "memory": where, "bytes": BYTES,
                      "written_back": back, **({"set": change["set"]} if "set" in change else {})}
                     for which, where in (("fast", memory), ("slow", DRAM))]
    return made


def predict(context, heard):
    report = run_cases(context.programs, MACHINE, cases(), heard, steps=20)
    table = {}
    for case in report["cases"]:
        label, name, which = case["name"].split(": ")
        table.setdefault(label, {}).setdefault(name, {})[which] = case["pairs"] * BYTES / case["seconds"] / 1e9
    return {"machine": report["machine"], "bandwidth": table}


def steps(context):
    return [Step("model", WHAT, "simulated", lambda heard: predict(context, heard),
                 {"format": FORMAT, **step_key(context.programs, MACHINE, cases())}, f"{PROGRAM} run --machine {MACHINE}.json")]


def gain(bandwidth):
    """In percent over all in DDR4."""
    return 100 * (bandwidth["fast"] / bandwidth["slow"] - 1)


def in_a_tile_over_across(table):
    return 100 * (table["34 pairs, all in MCDRAM"]["fast"] / table["34 pairs across tiles, all in MCDRAM"]["fast"] - 1)


def pair_that_explains(table, name, percent):
    """GB/s of one pair at which a gain would be so much, where its pairs and not the memory were the limit: from an
    output, so no prediction."""
    return (1 + percent / 100) * table[name]["slow"] / CASES[name][0]
