"""The live step: pairs and collectives with buffers that are not used twice, in two copies as the source's MPI sent them and as
Baton does itself; where the machine has fast memory, in each way of using it. `live.c` beside this is the program."""
from lab.frame import charts, live
from lab.frame.findings import Finding
from lab.frame.medians import spread, with_interval
from lab.frame.page import paragraph
from lab.hbm import source
from lab.hbm.guest import WAYS

PROGRAM = "baton-hbm-live"
FORMAT = 1  # of what we keep
SECONDS = 300  # after which a job is given up
WHAT = "pairs and collectives of this machine's ranks, no buffer used twice: two copies and Baton's own ways, in turn"
DRAM = "all in DRAM"
TWO_COPIES, OWN = "two copies", "Baton's own ways"
PROTOCOLS = {TWO_COPIES: ["-genv", "BATON_CMA", "0", "-genv", "BATON_RECEIVER_INITIATED", "0"], OWN: []}
QUICK = {"rounds": 3, "seconds": 0.01, "mib": 64, "sizes": [1 << 10, 32 << 10, 1 << 20]}
FULL = {"rounds": 9, "seconds": 0.03, "mib": 256, "sizes": [1 << power for power in range(10, 23, 2)] + [32 << 10]}


def memories(machine):
    """Name -> options of mpiexec; the ways of the source where there is fast memory."""
    has_fast = any(node["tier"] == "hbm" for node in machine["memory"])
    return {DRAM: [], **({name: ["--memory", memory] for name, memory in WAYS.items()} if has_fast else {})}


def rank_counts(machine):
    """One pair, half and all of the cores."""
    cores = len({cpu["core"] for cpu in machine["cpus"]}) // 2 * 2
    return sorted({2, max(2, cores // 4 * 2), max(2, cores)})


def measure(context, machine, size, heard):
    jobs = [(ranks, memory, protocol) for ranks in rank_counts(machine) for memory in memories(machine) for protocol in PROTOCOLS]
    words = [str(size["seconds"]), str(size["mib"]), *map(str, size["sizes"])]
    cells = {}
    for number in range(size["rounds"] * len(jobs)):
        ranks, memory, protocol = jobs[number % len(jobs)]  # interleaved: what changes meanwhile changes all
        heard(f"{number} of {size['rounds'] * len(jobs)}")
        launch = [*memories(machine)[memory], *PROTOCOLS[protocol]]
        for cell in context.programs.job(ranks, PROGRAM, words, SECONDS, heard, launch)["cells"]:
            name = f"{ranks} ranks, {cell['operation']}, {cell['bytes']}"
            cells.setdefault(name, {}).setdefault(memory, {}).setdefault(protocol, []).append(cell["mbs"])
    return {"measured": True, "cells": cells}


def steps(context):
    size = QUICK if context.quick else FULL
    machine = context.programs.answer("baton", ["topo", "--json"]) if context.programs.has("baton") else {"memory": [], "cpus": []}
    return [live.live_step(context, "live", WHAT, PROGRAM, {"format": FORMAT, "size": size, "machine": machine},
                           lambda heard: measure(context, machine, size, heard), f"mpiexec -n RANKS [--memory WHERE] {PROGRAM} {size['seconds']} {size['mib']} BYTES...")]


def why_not(done):
    return live.why_not(done, "live")


def cells(done):
    """(ranks, operation, bytes) -> memory -> protocol -> rates of all rounds."""
    for name, memories_of in done["live"].data["cells"].items():
        ranks, operation, size = name.split(", ")
        yield (int(ranks.split()[0]), operation, int(size)), memories_of


def ratio(over, under):
    return spread([ours / theirs for ours, theirs in zip(over, under)])


def rows(done):
    if why_not(done):
        return []
    return [{"table": "live", "kind": "measured", "ranks": ranks, "operation": operation, "bytes": size, "memory": memory, "protocol": protocol,
             **dict(zip(("mbs", "mbs_low", "mbs_high"), spread(values)))}
            for (ranks, operation, size), memories_of in cells(done) for memory, protocols in memories_of.items()
            for protocol, values in protocols.items()]


def own_over_two_copies(done):
    """Cell -> (median, low, high), all in DRAM."""
    return {cell: ratio(memories_of[DRAM][OWN], memories_of[DRAM][TWO_COPIES]) for cell, memories_of in cells(done)}


def gains(done):
    """(cell, memory, protocol) -> (median, low, high) over all in DRAM; empty without fast memory."""
    return {(cell, memory, protocol): ratio(values, memories_of[DRAM][protocol]) for cell, memories_of in cells(done)
            for memory, protocols in memories_of.items() if memory != DRAM for protocol, values in protocols.items()}


def name_of(cell):
    return f"{cell[0]} ranks, {cell[1]}, {charts.in_bytes(cell[2])}"


def findings(done):
    why = why_not(done)
    if why:
        return [Finding(source.NAME, "on this machine", None, None, "measured", note=why)]
    found = []
    if not gains(done):
        found.append(Finding(source.NAME, "gain of fast memory on this machine", None, None, "measured",
                             note="this machine has none beside its DRAM; on one, this study measures all four ways"))
    for (cell, memory, protocol), values in gains(done).items():
        if cell[1] == "pairs" and cell[2] == 32 << 10:
            found.append(Finding(source.NAME, f"on this machine: {memory}, {protocol}: {name_of(cell)}", None, with_interval(values), "measured",
                                 note="times all in DRAM; the median of the rounds' ratios and its interval"))
    for cell, values in own_over_two_copies(done).items():
        if cell[1] == "pairs" and cell[2] >= 32 << 10:
            found.append(Finding(source.NAME, f"on this machine: Baton's own ways over two copies: {name_of(cell)}", None, with_interval(values), "measured",
                                 note="the median of the rounds' ratios and its interval"))
    return found


def verdict(done):
    why = why_not(done)
    if why:
        return f"On this machine: {why}."
    table = gains(done)
    if not table:
        return "Of fast memory no speed was measured: this machine has none beside its DRAM."
    (cell, memory, protocol), values = max(((name, each) for name, each in table.items() if name[0][1] == "pairs"), key=lambda each: each[1][0])
    return f"On this machine {memory} gain the most for pairs: {with_interval(values)} times all in DRAM ({name_of(cell)}, {protocol})."


def drawing(done):
    why = why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    lines = [[name_of(cell), memory, protocol, f"{spread(values)[0]:.0f}",
              with_interval(ratio(values, memories_of[DRAM][TWO_COPIES]))]
             for cell, memories_of in cells(done) for memory, protocols in memories_of.items() for protocol, values in protocols.items()]
    return charts.table(["", "memory", "protocol", "MB/s#", "over two copies in DRAM#"], lines, stacked=True)
