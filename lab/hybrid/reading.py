"""The reading step: the seismic program reads the file of a model in each way that it knows, by ranks alone, ranks with
threads, and threads alone. And what each way takes of a node in a job on several, from how the ways work."""
import os
import re
import statistics
import tempfile

from lab.frame.errors import StepFailed
from lab.frame.medians import spread
from lab.frame.steps import Step
from lab.hybrid.layouts import layouts_on
from lab.hybrid.live import ENVIRONMENT, SECONDS, cpus_here

NAME = "reading"
FORMAT = 1  # of what we keep
PROGRAM, SERIAL_PROGRAM = "baton-seismic", "baton-seismic-serial"
WAYS = {"each": "every rank reads all of the file", "one": "rank 0 reads all of it and broadcasts it",
        "collective": "the ranks read it together, each only its rows"}
PLACES = {"storage": "not in memory before", "memory": "in the page cache"}  # where the file is
CELLS = {"quick": 2800, "full": 5600}  # across the model
ROUNDS = {"quick": 1, "full": 5}
CPUS = 4  # at least: of fewer there is no layout of ranks with threads
TOLD = {"seconds": re.compile(r"^reading: ([0-9.]+) s$", re.M),
        "memory": re.compile(r"^memory for it: ([0-9.]+) MB in all ranks", re.M)}


def layouts(cpus):
    """Those that fill the CPUs, or CPUS of them if there are fewer: threads wait while their rank reads."""
    used = max(cpus, CPUS)
    return [layout for layout in layouts_on(used, False) if layout.cpus == used]


def form_of(layout):
    return "threads only" if layout.ranks == 1 else "ranks only" if layout.threads == 1 else "hybrid"


# ---- what is measured ----


def taken():
    """MB that this process and its children that have ended have read, and those that came from storage; None: not counted."""
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            counts = dict(line.split(": ") for line in file)
    except OSError:
        return None
    return {"asked": int(counts["rchar"]) / 1e6, "stored": int(counts["read_bytes"]) / 1e6}


def forget(path):
    """The kernel keeps no page of the file in memory, if its file system has them elsewhere."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)


def remember(path):
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def measure_one(context, layout, way, file, heard):
    words = [context.programs.path("mpiexec"), "--timeout", str(SECONDS), "--layout", layout.name, "--bind-to", "none",
             *[word for name, value in ENVIRONMENT.items() for word in ("-genv", name, value)],
             context.programs.path(PROGRAM), "--model", file, "--read", way, "--steps", "1"]
    before = taken()
    output = context.programs.output(words, heard)
    after = taken()
    found = {name: pattern.search(output) for name, pattern in TOLD.items()}
    if not all(found.values()):
        raise StepFailed(f"{PROGRAM} did not say what reading took")
    run = {name: float(match[1]) for name, match in found.items()}
    return {**run, **{name: after[name] - before[name] for name in after or {} if before}}


def measure(context, heard):
    size, found, cpus = "quick" if context.quick else "full", {}, cpus_here()
    cases = [(layout, way, place) for layout in layouts(cpus) for way in WAYS for place in PLACES]
    with tempfile.TemporaryDirectory(dir=context.folder) as folder:  # often on a disk, which /tmp may not be
        file = os.path.join(folder, "model")
        context.programs.output([context.programs.path(SERIAL_PROGRAM), "--make-model", file, "--cells", str(CELLS[size])], heard)
        for round_number in range(ROUNDS[size]):
            for at, (layout, way, place) in enumerate(cases):  # in turn: what changes meanwhile changes all
                heard(f"{round_number * len(cases) + at} of {ROUNDS[size] * len(cases)}")
                (forget if place == "storage" else remember)(file)
                run = measure_one(context, layout, way, file, heard)
                found.setdefault(f"{layout.name} {way} {place}", []).append(run)
        megabytes = os.path.getsize(file) / 1e6
    return {"cpus": cpus, "megabytes": megabytes, "runs": found}


def step(context):
    key = {"format": FORMAT, "cells": CELLS["quick" if context.quick else "full"], "cpus": cpus_here(),
           "program": context.programs.fingerprint(PROGRAM), "library": context.programs.fingerprint("../lib/libmpi_abi.so.1")}
    return Step(NAME, "seismic: its ranks read the file of a model in three ways, from storage and from memory, in turn", "measured",
                lambda heard: measure(context, heard), key,
                f"mpiexec --layout MxN --bind-to none {PROGRAM} --model FILE --read HOW --steps 1")


class Measured:
    """What the runs say."""

    def __init__(self, data):
        self.cpus, self.megabytes, self.runs = data["cpus"], data["megabytes"], data["runs"]
        self.layouts = layouts(self.cpus)

    def spread(self, layout, way, place, name="seconds"):
        """Median and interval over the rounds; None where the kernel does not count it."""
        runs = self.runs[f"{layout.name} {way} {place}"]
        return spread([run[name] for run in runs]) if name in runs[0] else None

    def most_ranks(self):
        return max(self.layouts, key=lambda layout: layout.ranks)

    def from_storage(self):
        """Whether the file ever came from storage: that of some file systems is memory."""
        return any(run.get("stored", 0) > self.megabytes / 2 for runs in self.runs.values() for run in runs)


# ---- what follows for a job on several nodes ----


def of_node(way, nodes, ranks):
    """Of one node with so many ranks, in lengths of the file: what it asks its file system for (of the node that asks for the
    most), what comes to it by messages, and what memory the model takes."""
    if way == "each":
        return {"asked": ranks, "messages": 0, "memory": ranks}
    if way == "one":
        return {"asked": 1, "messages": min(nodes - 1, 1), "memory": ranks}
    return {"asked": 1 / nodes, "messages": 0, "memory": 1 / nodes}


NODE_CPUS = 64
NODE_COUNTS = (1, 8)


def modelled():
    """(nodes, layout on each node, way, of_node of it)."""
    chosen = [layout for layout in layouts_on(NODE_CPUS, False) if (layout.ranks, layout.threads) in ((64, 1), (8, 8), (1, 64))]
    return [(nodes, layout, way, of_node(way, nodes, layout.ranks)) for layout in reversed(chosen) for nodes in NODE_COUNTS for way in WAYS]


# ---- for the study ----


def measured(done):
    """None: this has not been measured."""
    return Measured(done[NAME].data) if NAME in done and done[NAME].data else None


def rows(done):
    one = measured(done)
    if NAME not in done:
        return []
    found = [{"table": "reading", "kind": "measured", "layout": layout.name, "form": form_of(layout), "way": way, "file_from": place,
              "file_megabytes": round(one.megabytes, 1), **columns(one, layout, way, place)}
             for layout in one.layouts for way in WAYS for place in PLACES] if one else []
    return found + [{"table": "reading on nodes", "kind": "modelled", "nodes": nodes, "layout": layout.name, "form": form_of(layout),
                     "way": way, **{f"{name}_files": value for name, value in parts.items()}} for nodes, layout, way, parts in modelled()]


def columns(one, layout, way, place):
    middle, low, high = one.spread(layout, way, place)
    more = {name: one.spread(layout, way, place, name) for name in ("memory", "asked", "stored")}
    return {"seconds": round(middle, 3), "low": round(low, 3), "high": round(high, 3),
            **{f"{name}_megabytes": round(values[0], 1) for name, values in more.items() if values}}


def verdict(done):
    one = measured(done)
    if not one:
        return [f"How the seismic program reads was not measured: {done[NAME].problem}."] if NAME in done else []
    many = one.most_ranks()
    ratios = {way: statistics.median(other["seconds"] / ours["seconds"] for other, ours in zip(
        one.runs[f"{many.name} {way} memory"], one.runs[f"{many.name} collective memory"])) for way in WAYS}
    memory = {way: one.spread(many, way, "memory", "memory")[0] for way in WAYS}
    return [f"Reading a model of {one.megabytes:.0f} MB, {many.ranks} ranks that read together take {memory['collective']:.0f} MB of memory; "
            f"{memory['each']:.0f} MB if each reads all of it, {memory['one']:.0f} MB if one reads and broadcasts, and {ratios['each']:.1f} and "
            f"{ratios['one']:.1f} times as long (of a file in the page cache)."]
