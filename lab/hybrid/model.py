"""The step that simulates: stand-ins for the source's programs on models of its three systems, to 64 CPUs. It reads inputs.json
and the machines' files only. First how slow all threads of a cell are, and each rank's first one alone; then, with the bytes
that follow, each round of messages."""
import json
from dataclasses import dataclass, field

from lab.frame.machines import PROGRAM, run_cases, step_key
from lab.frame.steps import Step
from lab.hybrid import source
from lab.hybrid.cells import Cell, cells, layout_of
from lab.hybrid.shapes import SHAPES, SHARED_SYSTEM

FORMAT = 1  # of what we keep
BYTES, LINE_BYTES = 1e8, 64
STEPS = 2  # of each case: in all of them the flows end at the same time, or nearly
MEMORY, MESSAGES = ("SDRAM",), ("message", "network")  # kinds of parameters of the machines that cases depend on
BASE, WITHOUT_SHARES, MEMORY_BOUND = "base", "without the shares of section 3", "waiting for memory and lines, high ends"
WHAT = "stand-ins for Gamess, Wrf and Seis on models of a Sun Fire 15K and of clusters of V880 and 6800, planned by Baton, to 64 CPUs"
DRIFTING, STAYING, SINGLE_STAYING = "drifting", "staying", "single-threaded ones stay"


@dataclass(frozen=True)
class Variant:
    ends: dict = field(default_factory=dict)      # name of a parameter or share -> "low" or "high"
    machines: dict = field(default_factory=dict)  # parameter of the machines -> "low" or "high", where it is a range
    others: dict = field(default_factory=dict)    # name of a parameter -> another value
    shares: bool = True                           # what section 3 says of the programs is used
    own_reference: bool = False                   # speed-ups against each system's own CPU
    unbound: str = DRIFTING                       # threads that are not bound, and their memory


def ranged(name):
    """Two variants, with all parameters that end so at their low and at their high ends."""
    return {f"{name}, {end} end": Variant({name: end}) for end in ("low", "high")}


def variants(quick=False):
    """The first one leads; a quick run has those that change most."""
    first = {BASE: Variant(), WITHOUT_SHARES: Variant(shares=False), "against each system's own CPU": Variant(own_reference=True),
             "unbound threads stay near their memory": Variant(unbound=STAYING),
             "half of a reduction is no moving": Variant(others={"hartree_fock.moving": 0.5})}
    return first if quick else {**first, **swept_ones()}


def swept_ones():
    waiting = {f"waiting for memory, {end} end": Variant({f"{shape}.waiting": end for shape in SHAPES}) for end in ("low", "high")}
    on_machines = {f"{name} of systems 2 and 3, {end} end": Variant(machines={name: end}) for end in ("low", "high")
                   for name in ("message.bandwidth", "message.latency", "network.host_bandwidth", "SDRAM.bandwidth")}
    swept = ("lines", "weather.serial", "moving", "run_seconds", "hartree_fock.rounds", "hartree_fock.loop_iterations", "weather.loops",
             "weather.exchanges", "seismic.steps")
    return {"single-threaded processes stay near theirs": Variant(unbound=SINGLE_STAYING), **waiting,
            MEMORY_BOUND: Variant({"lines": "high", **waiting["waiting for memory, high end"].ends}),
            **{label: variant for name in swept for label, variant in ranged(name).items()}, **on_machines}


def values_of(known, variant):
    """Parameters, and shares or None, each as the variant has it."""
    def value(name, parameter):
        return variant.others[name] if name in variant.others else parameter[variant.ends.get(name, "middle")]
    shares = {name: value(name, share) for name, share in known["shares"].items()} if variant.shares else None
    return {name: value(name, parameter) for name, parameter in known["parameters"].items()}, shares


def is_near(cell, variant):
    return cell.bound or variant.unbound == STAYING or (variant.unbound == SINGLE_STAYING and cell.layout.threads == 1)


class Machines:
    """The three systems; runs cases of each in one call, each once."""

    def __init__(self, programs, known, heard):
        self.programs, self.heard = programs, heard
        self.systems = known["systems"]
        self.described = {}
        self.found = {system: {} for system in self.systems}
        for system, about in self.systems.items():
            probe = [{"name": "probe", "processes": [1], "program": {"bytes": BYTES}}]
            self.described[system] = run_cases(programs, about["machine"], probe, heard, STEPS)["machine"]

    def changes(self, system, variant, kinds):
        """What the variant sets of those of a machine's ranges."""
        parameters = self.described[system]["parameters"]
        return {name: parameters[name]["range"][end == "high"] for name, end in variant.machines.items()
                if "range" in parameters.get(name, {}) and name.split(".")[0] in kinds}

    def parameter(self, system, variant, name):
        return self.changes(system, variant, [name.split(".")[0]]).get(name, self.described[system]["parameters"][name]["value"])

    def run(self, wanted):
        """(system, case without a name) -> remembers how long each took."""
        for system, about in self.systems.items():
            texts = {json.dumps(case, sort_keys=True) for where, case in wanted if where == system} - self.found[system].keys()
            if texts:
                ordered = sorted(texts)
                self.heard(f"{about['name']}: {len(ordered)} cases")
                named = [{"name": str(number), **json.loads(text)} for number, text in enumerate(ordered)]
                report = run_cases(self.programs, about["machine"], named, self.heard, STEPS)
                self.found[system].update(zip(ordered, (case["seconds"] for case in report["cases"])))

    def seconds(self, system, case):
        return self.found[system][json.dumps(case, sort_keys=True)]


class Prediction:
    """One variant's."""

    def __init__(self, machines, known, label, variant):
        self.machines, self.known, self.label, self.variant = machines, known, label, variant
        self.values, self.shares = values_of(known, variant)
        self.cells = cells({system: about["machine"] for system, about in known["systems"].items()})
        self.shapes = {}

    # ---- how slow threads are ----

    def second_of_a_byte(self, application):
        """One CPU of system 1, its memory near: so much of its time it waits for a line."""
        latency = self.machines.parameter(SHARED_SYSTEM, self.variant, "SDRAM.latency")
        return latency * 1e-9 / (LINE_BYTES * self.lines(SHARED_SYSTEM)) / self.values[f"{application}.waiting"]

    def lines(self, system):
        return min(self.values["lines"], self.machines.parameter(system, self.variant, "core.lines"))

    def program(self, application, system):
        clock = self.known["systems"][SHARED_SYSTEM]["clock_mhz"] / self.known["systems"][system]["clock_mhz"]
        computing = self.second_of_a_byte(application) * (1 - self.values[f"{application}.waiting"]) * clock
        return {"bytes": BYTES, "lines": self.lines(system), "computing_nanoseconds": computing * 1e9}

    def with_changes(self, system, case, kinds):
        changes = self.machines.changes(system, self.variant, kinds)
        return {**case, **({"set": changes} if changes else {})}

    def team(self, cell, alone):
        return self.with_changes(cell.system, {
            "processes": list(cell.processes), "threads": cell.layout.threads, "master": cell.layout.master,
            "bound": is_near(cell, self.variant), "resting": cell.resting, "first_alone": alone and cell.layout.threads > 1,
            "program": self.program(cell.application, cell.system)}, MEMORY)

    def serial(self, application, system):
        return self.with_changes(system, {"processes": [1], "program": self.program(application, system)}, MEMORY)

    def shared_run(self, shape):
        """The run that a program's shares were taken of."""
        return Cell(shape.NAME, SHARED_SYSTEM, layout_of(f"{shape.REFERENCE}x1"), False, (shape.REFERENCE,), "shares")

    def teams(self):
        shared = [self.shared_run(shape) for shape in SHAPES.values()]
        return [*[(cell.system, self.team(cell, alone)) for cell in [*self.cells, *shared] for alone in (False, True)],
                *[(system, self.serial(application, system)) for application in SHAPES for system in self.known["systems"]]]

    def slow(self, cell):
        """Times as long as one CPU of system 1."""
        of_one = self.second_of_a_byte(cell.application) * BYTES
        return {name: self.machines.seconds(cell.system, self.team(cell, alone)) / of_one
                for name, alone in (("all", False), ("first", True))}

    # ---- messages ----

    def pair(self):
        """Latency and bandwidth of two ranks of the run that the shares were taken of."""
        return (self.machines.parameter(SHARED_SYSTEM, self.variant, "message.latency") * 1e-9,
                self.machines.parameter(SHARED_SYSTEM, self.variant, "message.bandwidth") * 1e9)

    def shape(self, cell):
        if cell.application not in self.shapes:
            shape = SHAPES[cell.application]
            self.shapes[cell.application] = shape(self.values, self.shares, self.slow(self.shared_run(shape))["all"], self.pair())
        return self.shapes[cell.application]

    def rounds(self, cell):
        """Name -> its cases."""
        return {name: [self.with_changes(cell.system, {"ranks_on_hosts": cell.ranks_on_hosts, "messages": one}, MESSAGES) for one in rounds]
                for name, rounds in self.shape(cell).rounds(cell).items()}

    def all_rounds(self):
        return [(cell.system, case) for cell in self.cells for cases in self.rounds(cell).values() for case in cases]

    def latency(self, cell):
        name = "network.latency" if len(cell.processes) > 1 else "message.latency"
        return self.machines.parameter(cell.system, self.variant, name) * 1e-9

    # ---- what it comes to ----

    def parts(self, cell):
        """Seconds by where they go."""
        told = {name: sum(self.machines.seconds(cell.system, case) for case in cases) for name, cases in self.rounds(cell).items()}
        return self.shape(cell).seconds(cell, self.slow(cell), told, self.latency(cell))

    def reference(self, cell):
        """Seconds of one CPU that a speed-up is told against, both converted to the reference's clock."""
        if not self.variant.own_reference:
            return self.values["run_seconds"] / self.converted(cell.system)
        seconds = self.machines.seconds(cell.system, self.serial(cell.application, cell.system))
        return self.values["run_seconds"] * seconds / (self.second_of_a_byte(cell.application) * BYTES)

    def converted(self, system):
        return self.known["systems"][system]["clock_mhz"] / self.known["reference"]["clock_mhz"]

    def speed_ups(self):
        found = {application: {system: {} for system in self.known["systems"]} for application in SHAPES}
        for cell in self.cells:
            found[cell.application][cell.system][cell.name] = self.reference(cell) / sum(self.parts(cell).values())
        return found

    def where(self):
        """Of each cell the part of its time that goes where."""
        found = {application: {system: {} for system in self.known["systems"]} for application in SHAPES}
        for cell in self.cells:
            parts = self.parts(cell)
            found[cell.application][cell.system][cell.name] = {name: part / sum(parts.values()) for name, part in parts.items()}
        return found


def stream_cases(known):
    """Table 2's own STREAM, to see how far the machines' files reproduce what they were made of."""
    found = {}
    for system, points in known["stream"]["mbs"].items():
        for cpus in map(int, points):
            team = {"processes": [cpus // 4 or 1], "threads": min(cpus, 4)}
            found[system, str(cpus)] = {**team, "program": {"bytes": BYTES}}
    return found


def predict(context, heard):
    known = source.inputs()
    machines = Machines(context.programs, known, heard)
    wanted = [Prediction(machines, known, label, variant) for label, variant in variants(context.quick).items()]
    streams = stream_cases(known)
    machines.run([pair for one in wanted for pair in one.teams()] + [(system, case) for (system, _), case in streams.items()])
    machines.run([pair for one in wanted for pair in one.all_rounds()])
    stream = {}
    for (system, cpus), case in streams.items():
        stream.setdefault(system, {})[cpus] = int(cpus) * BYTES / machines.seconds(system, case) / 1e6
    return {"machines": machines.described, "speed_up": {one.label: one.speed_ups() for one in wanted},
            "where": wanted[0].where(), "stream_mbs": stream, "shapes": described(wanted[0])}


def described(prediction):
    """What the shares make of the shapes, for the page."""
    return {name: {key: value for key, value in vars(shape).items() if isinstance(value, (int, float))}
            for name, shape in prediction.shapes.items()}


def steps(context):
    known = source.inputs()
    asked = {"inputs": known, "variants": [f"{label}: {variant}" for label, variant in variants(context.quick).items()]}
    keys = [step_key(context.programs, about["machine"], asked) for about in known["systems"].values()]
    return [Step("model", WHAT, "simulated", lambda heard: predict(context, heard), {"format": FORMAT, "keys": keys},
                 f"{PROGRAM} run --machine {' | '.join(about['machine'] for about in known['systems'].values())}.json")]
