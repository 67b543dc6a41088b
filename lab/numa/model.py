"""The step that simulates: two X5570 as flows, from published figures and the source's configurations 1 and 5. Reads
inputs.json only."""
import math

from lab.frame.machines import PROGRAM, run_cases, step_key
from lab.frame.steps import Step
from lab.numa.source import CONFIGURATIONS, inputs

MACHINE = "two-x5570"
FORMAT = 1  # of what we keep
LINE_BYTES = 64
STEPS = 3000  # of a rank; of pages in turn, whose order is drawn, the mean needs many
WHAT = "lbm and four small programs in the five configurations on a model of two X5570, planned by Baton"
# A byte of each program: what it reads and writes of memory, and with how many lines under way.
PROGRAMS = {
    "stream": {"bytes": 1e9, "reads": 2, "writes": 1},
    "stencil": {"bytes": 1e9, "reads": 1, "writes": 1},
    "pointer chase": {"bytes": 1e7, "reads": 1, "lines": 1},
}


def two_caches(name):
    return name.startswith("spread")


def lbm_bytes(known, name, cache_share):
    """What each process of lbm moves: configuration 1's requests, less where it has more of a cache."""
    local = known["configurations"]["local"]
    requests = local["local_requests"] + local["remote_requests"]
    return requests * LINE_BYTES / known["processes"] * (cache_share if two_caches(name) else 1)


def lbm_cases(known, label, cache_share, nodes, changes=None):
    return [{"name": f"{label}: {name}", "configuration": name, "ranks": known["processes"],
             "program": {"bytes": lbm_bytes(known, name, cache_share), "nodes": nodes},
             **({"set": changes} if changes else {})} for name in CONFIGURATIONS]


def variants(known):
    """Label -> share of the traffic that is left, how pages are used, other values. The first one leads."""
    low, high = known["cache_share"]["range"]
    middle = math.sqrt(low * high)
    return {
        "base": (middle, "in turn", None),
        "all of the traffic is left": (high, "in turn", None),
        "least of the traffic is left": (low, "in turn", None),
        "both nodes at once": (middle, "at once", None),
        "at once, all traffic left": (high, "at once", None),
        "8 lines a core": (middle, "in turn", {"core.lines": 8}),
        "16 lines a core": (middle, "in turn", {"core.lines": 16}),
        "QPI 10 % slower": (middle, "in turn", {"link.bandwidth": 11.52}),
        "remote latency 160 ns": (middle, "in turn", {"DDR3.remote_latency": 160}),
    }


def cases():
    known = inputs()
    made = [case for label, (share, nodes, changes) in variants(known).items()
            for case in lbm_cases(known, label, share, nodes, changes)]
    made += [{"name": f"{program}: {name}", "configuration": name, "ranks": known["processes"],
              "program": {**words, "nodes": "in turn"}} for program, words in PROGRAMS.items() for name in CONFIGURATIONS]
    return made


def predict(context, heard):
    report = run_cases(context.programs, MACHINE, cases(), heard, STEPS)
    table = {}
    for case in report["cases"]:
        label, name = case["name"].split(": ")
        table.setdefault(label, {})[name] = case["seconds"]
    return {"machine": report["machine"], "seconds": table,
            "placed": {case["configuration"]: case["where"] for case in report["cases"][:len(CONFIGURATIONS)]}}


def steps(context):
    made = cases()
    return [Step("model", WHAT, "simulated", lambda heard: predict(context, heard),
                 {"format": FORMAT, **step_key(context.programs, MACHINE, made)}, f"{PROGRAM} run --machine {MACHINE}.json")]
