"""The live step of the second half: MPI and the source's models against the raw provider, in one run. One machine is taken for two nodes, so the
network is its loopback; `network_live.c` beside this is the program."""
from lab.frame import charts, live
from lab.frame.medians import spread, with_interval

PROGRAM = "baton-network-live"
FORMAT = 2  # of what we keep
SECONDS = 600  # after which a job is given up
INTERFACE = "lo"
WHAT = "MPI, the five models and the raw provider of libfabric between two ranks over TCP, in turn in one run"
MPI, RAW = "MPI", ("messages", "writes")
GATHERED, BY_SIZE = "gathered", "(5)"
MODELS = ("(1)", "(2)", "(3)", "(4)", BY_SIZE, GATHERED)
SHORT_MAX, LONG_MIN = 8 << 10, 16 << 10  # where the source says that each of figure 12's two leads
QUICK = {"rounds": 2, "seconds": 0.004, "sizes": [8, 4096, 65536, 1 << 20]}
FULL = {"rounds": 7, "seconds": 0.01, "sizes": [8 << power for power in range(20)]}
# So many bytes of a message, and more: the source's yardstick is what MPI delivers there.
LONG = 1 << 20


def measure(context, size, heard):
    words = [INTERFACE, str(size["rounds"]), str(size["seconds"]), *map(str, size["sizes"])]
    report = context.programs.job(2, PROGRAM, words, SECONDS, heard, ["-genv", "BATON_RANKS_PER_NODE", "1"])
    cells = {}
    for cell in report["cells"]:
        cells.setdefault(cell["pattern"], {}).setdefault(cell["way"], {})[str(cell["bytes"])] = cell["us"]
    return {"measured": True, "rounds": size["rounds"], "raw": report["raw"], "us": cells}


def steps(context):
    size = QUICK if context.quick else FULL
    return [live.live_step(context, "network", WHAT, PROGRAM, {"format": FORMAT, "size": size},
                           lambda heard: measure(context, size, heard), f"BATON_RANKS_PER_NODE=1 mpiexec -n 2 {PROGRAM} {INTERFACE} {size['rounds']} {size['seconds']} BYTES...")]


def why_not(done):
    return live.why_not(done, "network")


def share(ways, size, of=MPI):
    """Of the raw provider's rate that MPI, or another way, delivers, by its quicker way of each round: median and interval."""
    return spread([min(raw) / ours for ours, *raw in zip(ways[of][size], *(ways[way][size] for way in RAW))])


def ratio(ways, size, over, under):
    """Of one way's rate over another's, round by round: median and interval."""
    return spread([theirs / ours for ours, theirs in zip(ways[over][size], ways[under][size])])


def with_models(done):
    """Patterns in which the models were measured, and their ways."""
    return {pattern: ways for pattern, ways in done["network"].data["us"].items() if GATHERED in ways}


def rows(done):
    if why_not(done):
        return []
    return [{"table": "network", "kind": "measured", "case": pattern, "mode": way, "bytes": int(size), "rounds": len(values),
             **dict(zip(("us", "us_low", "us_high"), spread(values)))}
            for pattern, ways in done["network"].data["us"].items() for way, sizes in ways.items() for size, values in sizes.items()]


def section_parts(done):
    """Figure 11 for each pattern, and what share of the raw provider's rate is left by size."""
    data, parts = done["network"].data, []
    for pattern, ways in data["us"].items():
        lines = [(f"{way} of libfabric" if way in RAW else way, kind,
                  {int(size): int(size) / spread(values)[0] for size, values in ways[way].items()})
                 for way, kind in zip((MPI, *RAW), ("main", "cold", "wait"))]
        table = [[charts.in_bytes(int(size)), *[with_interval(spread(ways[way][size])) for way in (MPI, *RAW)],
                  with_interval(share(ways, size))] for size in sorted(ways[MPI], key=int)]
        parts += [f"<h3>{pattern}</h3>", charts.curves(f"figure 11, {pattern}: MB/s by bytes of a message", lines, "MB/s"),
                  charts.table(["", *[f"{way}, us#" for way in (MPI, *RAW)], "share of raw#"], table, stacked=True)]
    return parts


def long_shares(done):
    """Shares of messages of 1 MiB and more, all patterns."""
    ways_of = done["network"].data["us"]
    return [share(ways, size)[0] for ways in ways_of.values() for size in ways[MPI] if int(size) >= LONG]


def figure_12_parts(done):
    """Figure 12 for each pattern, and what share of the raw provider's rate each model leaves, by size."""
    parts = []
    for pattern, ways in with_models(done).items():
        raw = {size: min(spread(ways[way][size])[0] for way in RAW) for size in ways[MPI]}
        lines = [("raw provider", "bound", {int(size): int(size) / us for size, us in raw.items()})]
        lines += [(name, kind, {int(size): int(size) / spread(values)[0] for size, values in ways[way].items()})
                  for way, name, kind in ((BY_SIZE, "(5), as MPI-VMMC", "main"), (GATHERED, "gathered, as MPI-FM", "cold"),
                                          ("(2)", "(2)", "wait"), (MPI, "MPI (Baton)", "other"))]
        table = [[charts.in_bytes(int(size)), *[f"{share(ways, size, way)[0]:.2f}" for way in (*MODELS, MPI)],
                  with_interval(ratio(ways, size, GATHERED, BY_SIZE))] for size in sorted(ways[MPI], key=int)]
        parts += [f"<h3>{pattern}</h3>", charts.curves(f"figure 12, {pattern}: MB/s by bytes of a message", lines, "MB/s"),
                  charts.table(["", *[f"{way}#" for way in (*MODELS, MPI)], "gathered over (5)#"], table, stacked=True)]
    return parts


def leads(done):
    """Pattern -> the medians of gathered over (5): (of messages to 8 KiB, of those from 16 KiB on)."""
    found = {}
    for pattern, ways in with_models(done).items():
        ratios = {int(size): ratio(ways, size, GATHERED, BY_SIZE)[0] for size in ways[GATHERED]}
        found[pattern] = (spread([value for size, value in ratios.items() if size <= SHORT_MAX])[0],
                          spread([value for size, value in ratios.items() if size >= LONG_MIN])[0])
    return found
