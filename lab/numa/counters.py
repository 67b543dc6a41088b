"""The step that counts: hardware events of the whole job in each configuration, through perf, where the machine has nodes and
perf has counters. The source's events (table 1) are those of Nehalem; beside each stands what perf counts on any processor."""
import os
import shutil
import tempfile

from lab.frame import charts
from lab.frame.errors import StepFailed
from lab.frame.findings import Finding
from lab.frame.page import paragraph
from lab.frame.steps import Step
from lab.numa import live, source

FORMAT = 1  # of what we keep
WHAT = "hardware events of {} in the five configurations"
EVENTS = {"LLC_REFERENCE": "LLC-loads", "LLC_MISSES": "LLC-load-misses", "UNC_QHL_REQUESTS.LOCAL_READS": "node-loads",
          "UNC_QHL_REQUESTS.REMOTE_READS": "node-load-misses"}
NO_NAME = ("UNC_IMC_NORMAL_READS.ANY", "UNC_IMC_WRITES.FULL.ANY", "UNC_QHL_REQUESTS.LOCAL_WRITES",
           "UNC_QHL_REQUESTS.REMOTE_WRITES")  # of perf's on all processors
MISSING = "not counted: perf is not installed (on Debian: linux-perf)"
NONE = "not counted: perf has no counters for such events here, as in most virtual machines"


def read_counts(text):
    """Of perf's lines, value,unit,event,...: event -> count; without those that were not counted."""
    counts = {}
    for line in text.splitlines():
        value, *rest = line.split(",")
        if len(rest) > 1 and value.isdigit():
            counts[rest[1].split(":")[0]] = int(value)
    return counts


def count(context, words, heard):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "counts")
        context.programs.watch(["perf", "stat", "-x", ",", "-o", file, "-e", ",".join(EVENTS.values()), "--", *words], heard)
        with open(file, encoding="utf-8") as text:
            return read_counts(text.read())


def measure(context, heard):
    if live.nodes_with_cpus() < 2:
        return {"counted": False, "why": "not counted: this machine has one NUMA node"}
    if not shutil.which("perf"):
        return {"counted": False, "why": MISSING}
    try:
        if not count(context, ["true"], lambda said: None):
            return {"counted": False, "why": NONE}
    except StepFailed as failure:
        return {"counted": False, "why": f"not counted: {failure}"}
    size = live.QUICK if context.quick else live.FULL
    program = context.command or [context.programs.path(live.PROGRAM), str(size["mib"]), str(size["rounds"])]
    table = {}
    for number, name in enumerate(source.CONFIGURATIONS):
        heard(f"{number} of {len(source.CONFIGURATIONS)}")
        words = [context.programs.path("mpiexec"), "--timeout", str(live.SECONDS), "--config", name, *program]
        table[name] = count(context, words, heard)
    return {"counted": True, "counts": table}


def steps(context):
    what = " ".join(context.command) if context.command else "four small programs"
    key = {"format": FORMAT, "command": context.command, "quick": context.quick, "nodes": live.nodes_with_cpus(),
           "perf": shutil.which("perf"), "program": context.programs.fingerprint(live.PROGRAM)}
    return [Step("counters", WHAT.format(what), "measured", lambda heard: measure(context, heard), key,
                 f"perf stat -e {','.join(EVENTS.values())} -- mpiexec --config NAME {what if context.command else live.PROGRAM}")]


def why_not(done):
    return done["counters"].problem or done["counters"].data.get("why", "")


def rows(done):
    if why_not(done):
        return []
    return [{"table": "counters", "kind": "measured", "configuration": name, "number": source.CONFIGURATIONS[name], "event": event,
             "counted_as": counted, "count": counts[counted]}
            for name, counts in done["counters"].data["counts"].items() for event, counted in EVENTS.items() if counted in counts]


def findings(done):
    why = why_not(done)
    if why:
        return [Finding(source.NAME, "hardware counters on this machine", None, None, "measured", note=why)]
    return []


def drawing(done):
    why = why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    found = {(row["configuration"], row["event"]): row["count"] for row in rows(done)}
    lines = [[f"{event} ({counted})", *[f"{found[name, event]:.3g}" if (name, event) in found else "-" for name in source.CONFIGURATIONS]]
             for event, counted in EVENTS.items()]
    return charts.table(["event of the source (perf's)", *[f"({number}) {name}#" for name, number in source.CONFIGURATIONS.items()]], lines, stacked=True)
