"""How far apart two CPUs are while something is measured: by the time of a cache line between them (distance.c), and
by what the kernel tells of the hardware. On virtual machines that time changes within seconds; bench.py keeps what it
measured at one distance apart from the rest.
"""
import os
import statistics
import subprocess

# One way of a line between the two CPUs of a virtual machine: when far 106 to 221 ns, half of 400 probes below 135 (Intel
# Xeon, 2 CPUs, 2026-11-28); when near 26 to 30 ns (earlier programs: this one has met none near yet). What lies between
# is a distance of its own. No line takes as long as the last (a guess): other work had a CPU during most of the batches,
# as it has during the run.
NEAR_BELOW_NS, FAR_FROM_NS, BUSY_FROM_NS = 70, 100, 500
TRIES = 3  # of a run during which the distance changes
ONE_CPU, UNKNOWN, ANY = "one CPU", "unknown distance", "any distance"  # of columns that have no name by time
SYSTEM = "/sys/devices/system/cpu"


def by_time(nanoseconds):
    starts = ((BUSY_FROM_NS, "busy"), (FAR_FROM_NS, "far"), (NEAR_BELOW_NS, "between"), (0, "near"))
    return next(name for start, name in starts if nanoseconds >= start)


def numbers(text):
    """The set that a list of the kernel stands for: "0-2,8" is 0, 1, 2 and 8."""
    ranges = [part.split("-") for part in text.strip().split(",") if part]
    return {number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1)}


def read(*path):
    try:
        with open(os.path.join(*path)) as file:
            return file.read().strip()
    except OSError:
        return ""


def shared_caches(system, cpu):
    """{level: CPUs} of the caches of a CPU; those for instructions alone do not count."""
    folder = os.path.join(system, f"cpu{cpu}", "cache")
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        level = read(folder, name, "level")
        if level and read(folder, name, "type") != "Instruction":
            found[int(level)] = numbers(read(folder, name, "shared_cpu_list"))
    return found


def by_topology(system, first, second):
    """What is the nearest that two CPUs share, in words; empty where the kernel does not tell."""
    topology = os.path.join(system, f"cpu{first}", "topology")
    siblings, socket = (numbers(read(topology, name)) for name in ("thread_siblings_list", "core_siblings_list"))
    if not siblings:
        return ""
    if second in siblings:
        return "same core"
    for level, cpus in sorted(shared_caches(system, first).items()):
        if second in cpus:
            return f"same L{level}"
    return "same socket" if second in socket else "other socket"


def usual_pair(system, cpus):
    """Where ranks 0 and 1 are as long as nobody has told: the first CPUs of two cores, or of one; None: there is one CPU."""
    first, others = cpus[0], cpus[1:]
    elsewhere = [cpu for cpu in others if by_topology(system, first, cpu) != "same core"]
    return (first, (elsewhere or others)[0]) if others else None


class Watch:
    """Looks at the distance before and after each run. `probe(first, second)` says how many ns a line takes one way,
    None where it cannot; without a probe nobody looks. `cpus` may be used."""

    def __init__(self, probe, cpus, system=SYSTEM):
        self.probe, self.cpus, self.system = probe, sorted(cpus), system
        self.usual = usual_pair(system, self.cpus)
        # Where all pairs are alike to the kernel (all virtual machines of two CPUs are), it tells nothing.
        self.kinds = {by_topology(system, self.cpus[0], cpu) for cpu in self.cpus[1:]}
        self.pairs = {}        # of ranks 0 and 1, by who ran
        self.nanoseconds = {}  # all that was seen, by distance
        self.runs = self.repeated = 0

    def name(self, pair, nanoseconds):
        kind = by_topology(self.system, *pair) if len(self.kinds) > 1 else ""
        return f"{kind}, {by_time(nanoseconds)}" if kind else by_time(nanoseconds)

    def look(self, pair):
        if not self.probe:
            return ANY
        if not pair:
            return ONE_CPU
        nanoseconds = self.probe(*pair)
        if nanoseconds is None:
            return UNKNOWN
        name = self.name(pair, nanoseconds)
        self.nanoseconds.setdefault(name, []).append(nanoseconds)
        return name

    def pair_of(self, who):
        return self.pairs.get(who, self.usual)

    def learn(self, who, cpus):
        """Ranks that outnumber CPUs, or are not bound, may be found on one CPU."""
        if self.usual and cpus and cpus[0] != cpus[1] and set(cpus) <= set(self.cpus):
            self.pairs[who] = tuple(sorted(cpus))

    def around(self, who, run):
        """What `run()` returned, and the distance, which was the same before and after it; (None, None) where it never
        was. `run()` returns a pair: the last of it are the CPUs of ranks 0 and 1, or None."""
        for attempt in range(TRIES):
            before = self.look(self.pair_of(who))
            found, cpus = run()
            self.learn(who, cpus)
            self.runs += 1
            self.repeated += attempt > 0
            if self.look(self.pair_of(who)) == before:
                return found, before
        return None, None

    def seen(self):
        """{distance: its least, median and greatest ns}, the nearest first."""
        return {name: (min(values), statistics.median(values), max(values)) for name, values in
                sorted(self.nanoseconds.items(), key=lambda item: statistics.median(item[1]))}


def probe_by(program):
    """The probe that runs distance.c."""
    def probe(first, second):
        try:
            done = subprocess.run([program, str(first), str(second)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL, text=True, timeout=20)
            return float(done.stdout.split()[-1]) if done.returncode == 0 else None
        except (OSError, subprocess.TimeoutExpired):
            return None
    return probe
