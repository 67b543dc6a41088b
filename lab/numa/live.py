"""The live steps: the five configurations on this machine, where it has at least two NUMA nodes with CPUs; of our four
programs, or of a command. A machine with one has no data and says why, which is no failure."""
import glob
import statistics

from lab.frame import charts
from lab.frame.findings import Finding
from lab.frame.medians import spread
from lab.frame.page import paragraph
from lab.frame.steps import Step
from lab.numa import source

PROGRAM = "baton-numa-live"
FORMAT = 1  # of what we keep
SECONDS = 300  # after which a job is given up
WHAT = "{} in the five configurations on this machine, in turn"
QUICK, FULL = {"rounds": 1, "mib": 64, "repeats": 3}, {"rounds": 3, "mib": 512, "repeats": 5}
SAME = 0.03  # what is within it is the same, as for `baton advise`
NODES = "/sys/devices/system/node/node*/cpulist"


def nodes_with_cpus():
    count = 0
    for path in glob.glob(NODES):
        with open(path, encoding="ascii") as file:
            count += bool(file.read().strip())
    return count


def measure(context, heard):
    nodes = nodes_with_cpus()
    if nodes < 2:
        return {"measured": False, "why": "not measured: this machine has one NUMA node, and the configurations need two"}
    size = QUICK if context.quick else FULL
    table = {name: {} for name in source.CONFIGURATIONS}
    for repeat in range(size["repeats"]):
        for at, name in enumerate(table):  # interleaved: what changes meanwhile changes all
            heard(f"{repeat * len(table) + at} of {size['repeats'] * len(table)}")
            for program, seconds in job(context, name, size, heard).items():
                table[name].setdefault(program, []).extend(seconds)
    return {"measured": True, "nodes": nodes, "command": context.command, "seconds": table}


def job(context, name, size, heard):
    launch = ["--config", name]
    if context.command:
        return {"command": [context.programs.timed([*launch, *context.command], SECONDS, heard)]}
    words = [str(size["mib"]), str(size["rounds"])]
    return context.programs.job(None, PROGRAM, words, SECONDS, heard, launch)["seconds"]


def steps(context):
    what = " ".join(context.command) if context.command else "four small programs"
    key = {"format": FORMAT, "command": context.command, "size": QUICK if context.quick else FULL,
           "nodes": nodes_with_cpus(), "program": context.programs.fingerprint(PROGRAM),
           "library": context.programs.fingerprint("../lib/libmpi_abi.so.1")}
    return [Step("live", WHAT.format(what), "measured", lambda heard: measure(context, heard), key,
                 f"mpiexec --config NAME {what if context.command else PROGRAM}")]


def why_not(done):
    live = done["live"]
    return live.problem or live.data.get("why", "")


def rows(done):
    if why_not(done):
        return []
    return [{"table": "live", "kind": "measured", "configuration": name, "number": source.CONFIGURATIONS[name],
             "program": program, "seconds": statistics.median(seconds), "least": min(seconds), "most": max(seconds)}
            for name, programs in done["live"].data["seconds"].items() for program, seconds in programs.items()]


def best(done):
    """Program -> its quickest configuration and how often as fast it is as (1): median and interval, round by round."""
    if why_not(done):
        return {}
    seconds, found = done["live"].data["seconds"], {}
    by_row = {(row["program"], row["configuration"]): row for row in rows(done)}
    for program in seconds["local"]:
        quickest = min((row for row in rows(done) if row["program"] == program), key=lambda row: row["seconds"])
        pairs = zip(seconds["local"][program], seconds[quickest["configuration"]][program])
        found[program] = (by_row[program, quickest["configuration"]], spread([local / other for local, other in pairs]))
    return found


def advised(done):
    """Program -> the configuration to use: another than (1) only where it is clearly better, as `baton advise` has it."""
    return {program: row["configuration"] if middle > 1 + SAME and low > 1 else "local"
            for program, (row, (middle, low, _)) in best(done).items()}


def findings(done):
    why = why_not(done)
    if why:
        return [Finding(source.NAME, "on this machine", None, None, "measured", note=why)]
    return [Finding(source.NAME, f"{program}: best gain over (1) local on this machine", None, round(100 * (times - 1), 1),
                    "measured", "%", f"({row['number']}) {row['configuration']}; {row['least']:.3f} to {row['most']:.3f} s")
            for program, (row, (times, _, _)) in best(done).items()]


def verdict(done):
    why = why_not(done)
    if why:
        return f"On this machine: {why}."
    words = [f"{program} {100 * (times - 1):.0f} % in ({row['number']}) {row['configuration']}"
             for program, (row, (times, _, _)) in best(done).items()]
    use = [f"{program} ({source.CONFIGURATIONS[name]}) {name}" for program, name in advised(done).items()]
    return f"On this machine the best configuration gains over (1): {', '.join(words)}. Use: {', '.join(use)}."


def drawing(done):
    why = why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    lines = []
    for program in best(done):
        lines.append(program)
        lines += [(f"({row['number']}) {row['configuration']}", row["seconds"],
                   f"{row['least']:.3f} to {row['most']:.3f}") for row in rows(done) if row["program"] == program]
    return charts.bars("the five configurations on this machine", lines, " s", digits=3)
