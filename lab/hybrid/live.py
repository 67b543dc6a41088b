"""The live step: every layout that fits this machine, bound and unbound, runs in turn; of our three applications, or of a
user's command. Each run is timed by Baton itself (`mpiexec --stats-file`), so that the share of time in MPI is known."""
import json
import os
import statistics
import tempfile

from lab.frame.errors import StepFailed
from lab.frame.medians import spread
from lab.frame.steps import Step
from lab.hybrid.apps import APPS, App, filled_in, seconds_in, words_for
from lab.hybrid.layouts import Layout, layouts_on

FORMAT = 1  # of what we keep
SECONDS = 600  # after which a job is given up
ROUNDS = {"quick": 1, "full": 3}
SERIAL = "serial"
BINDINGS = ("bound", "unbound")
# Threads that wait for each other sleep: an extra master and threads that share its CPU would else stand in each other's way.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive"}


def cpus_here():
    return len(os.sched_getaffinity(0))


def runs_of(app, cpus):
    """What is run of it: (layout, binding). One CPU alone is the serial program, which is run as well."""
    runs = [(layout, binding) for layout in layouts_on(cpus, app.master) for binding in BINDINGS
            if app.threads or layout.threads == 1 or layout.ranks == 1]
    return [(layout, binding) for layout, binding in runs if layout.cpus > 1]


def applications(context):
    return [App("command", "", "")] if context.command else APPS


def words_of(context, app, layout):
    if context.command:
        return filled_in(context.command, layout)
    return [context.programs.path(app.program), *words_for(app, context.quick)]


def measure_one(context, app, layout, binding, heard):
    """Seconds, and what Baton says of where they went."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "stats.json")
        bind = ["--bind-to", "none"] if binding == "unbound" else []
        words = [context.programs.path("mpiexec"), "--timeout", str(SECONDS), "--layout", layout.name, *bind, "--stats-file", file,
                 *[word for name, value in ENVIRONMENT.items() for word in ("-genv", name, value)],
                 *words_of(context, app, layout)]
        output = context.programs.output(words, heard)
        with open(file, encoding="utf-8") as told:
            stats = json.load(told)
    return {"seconds": seconds_in(output) or stats["wall_seconds"], **shares_of(stats["ranks"][layout.master:])}


def shares_of(ranks):
    """Of their time: in MPI, of that waiting, and by kind of call. An extra master is none of them: it has no CPU."""
    whole = sum(rank["run_seconds"] for rank in ranks) or 1
    kinds = {}
    for call in (call for rank in ranks for call in rank["calls"]):
        name = kind_of(call["name"])
        kinds[name] = kinds.get(name, 0) + sum(size["seconds"] for size in call["sizes"]) / whole
    return {"mpi": sum(rank["mpi_seconds"] for rank in ranks) / whole,
            "waiting": sum(rank["waiting_seconds"] for rank in ranks) / whole, "kinds": kinds}


def kind_of(name):
    """As the source divides time in MPI."""
    name = name.removeprefix("MPI_")
    for words, kind in ((("reduce",), "reduce"), (("barrier",), "barrier"), (("bcast",), "broadcast"),
                        (("send", "recv", "wait", "test", "start", "probe"), "point-to-point")):
        if any(word in name.lower() for word in words):
            return kind
    return "other"


def measure(context, app, heard):
    cpus = cpus_here()
    runs, rounds = runs_of(app, cpus), ROUNDS["quick" if context.quick else "full"]
    if not runs:
        raise StepFailed("not measured: this machine has one CPU, on which there is one layout")
    found = {}
    total = rounds * (len(runs) + 1)
    for round_number in range(rounds):
        for at, (layout, binding) in enumerate([(Layout(1, 1), SERIAL), *runs]):  # in turn: what changes meanwhile changes all
            heard(f"{round_number * (len(runs) + 1) + at} of {total}")
            if binding == SERIAL:
                run = measure_serial(context, app, heard)
            else:
                run = measure_one(context, app, layout, binding, heard)
            found.setdefault(f"{layout.name} {binding}", []).append(run)
    return {"cpus": cpus, "command": context.command, "runs": found}


def measure_serial(context, app, heard):
    """The program without MPI and without threads; a user's command is run as one rank of one thread."""
    if context.command:
        return measure_one(context, app, Layout(1, 1), "bound", heard)
    output = context.programs.output([context.programs.path(f"{app.program}-serial"), *words_for(app, context.quick)], heard)
    return {"seconds": seconds_in(output), "mpi": 0, "waiting": 0, "kinds": {}}


def step_name(context, app):
    return "command" if context.command else app.program.removeprefix("baton-")


def step_of(context, app):
    key = {"format": FORMAT, "command": context.command, "words": words_for(app, context.quick), "cpus": cpus_here(),
           "program": None if context.command else context.programs.fingerprint(app.program),
           "library": context.programs.fingerprint("../lib/libmpi_abi.so.1")}
    command = " ".join(context.command or [app.program, *words_for(app, context.quick)])
    return Step(step_name(context, app), f"{app.name}: every layout that fits this machine, bound and unbound, in turn", "measured",
                lambda heard: measure(context, app, heard), key, f"mpiexec --layout MxN --stats-file FILE {command}")


def steps(context):
    return [step_of(context, app) for app in applications(context)]


# ---- what is made of it ----


class Measured:
    """One application's runs."""

    def __init__(self, app, data):
        self.app = app
        self.runs = data["runs"]
        self.cpus = data["cpus"]

    def serial(self):
        return [run["seconds"] for run in self.runs[f"1x1 {SERIAL}"]]

    def cases(self):
        """(layout, binding) as names, without the serial program."""
        return [tuple(name.rsplit(" ", 1)) for name in self.runs if not name.endswith(SERIAL)]

    def times(self, layout, binding):
        """How often as fast as the serial program: median and interval over the rounds."""
        return spread([one / run["seconds"] for one, run in zip(self.serial(), self.runs[f"{layout} {binding}"])])

    def share(self, layout, binding, name):
        return statistics.median(run[name] for run in self.runs[f"{layout} {binding}"])

    def kinds(self, layout, binding):
        runs = self.runs[f"{layout} {binding}"]
        names = sorted({name for run in runs for name in run["kinds"]})
        return {name: statistics.median(run["kinds"].get(name, 0) for run in runs) for name in names}

    def best(self):
        return max(self.cases(), key=lambda case: self.times(*case)[0])

    def is_clear(self):
        """Whether the best one's interval lies above all others' medians."""
        best = self.best()
        low = self.times(*best)[1]
        return all(low > self.times(*case)[0] for case in self.cases() if case != best)


def measured(done, context):
    found = []
    for app in applications(context):
        data = done[step_name(context, app)].data
        if data:
            found.append(Measured(app, data))
    return found


def rows(done, context):
    return [{"table": "live", "kind": "measured", "application": one.app.name, "layout": layout, "binding": binding,
             "speed_up": round(middle, 3), "low": round(low, 3), "high": round(high, 3),
             "mpi_percent": round(100 * one.share(layout, binding, "mpi"), 2),
             "waiting_percent": round(100 * one.share(layout, binding, "waiting"), 2),
             **{f"{kind}_percent": round(100 * share, 2) for kind, share in one.kinds(layout, binding).items()}}
            for one in measured(done, context) for layout, binding in one.cases()
            for middle, low, high in (one.times(layout, binding),)]


COMPUTING, WAITING, MOVING = "computing", "waiting", "moving data"
MEANING = {COMPUTING: "computing (threads that wait for each other, caches, memory bandwidth)", WAITING: "waiting in MPI (imbalance)",
           MOVING: "moving data in MPI (latency and bandwidth of messages)"}


def costs(one, layout, binding):
    """The CPU time of a run in units of the serial program's, by where it goes; 1 in all would be perfect. A rank in MPI
    keeps all its CPUs from computing."""
    whole = cpus_of(layout) / one.times(layout, binding)[0]
    mpi, waiting = (one.share(layout, binding, name) for name in ("mpi", "waiting"))
    return {COMPUTING: whole * (1 - mpi), WAITING: whole * waiting, MOVING: whole * (mpi - waiting)}


def reason(one):
    """Why the best layout is ahead of the slowest one on as many CPUs: what costs the slowest one more."""
    best = one.best()
    worst = min((case for case in one.cases() if cpus_of(case[0]) == cpus_of(best[0])), key=lambda case: one.times(*case)[0])
    if worst == best:
        return "no other layout uses as many CPUs"
    less, more = costs(one, *best), costs(one, *worst)
    name = max(more, key=lambda name: more[name] - less[name])
    return f"{worst[0]} {worst[1]} takes {100 * (sum(more.values()) / sum(less.values()) - 1):.0f} % longer, mostly by {MEANING[name]}"


def cpus_of(layout):
    ranks, threads = layout.removeprefix("1+").split("x")
    return int(ranks) * int(threads)
