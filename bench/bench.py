#!/usr/bin/env python3
"""Baton and other MPI libraries side by side: interleaved runs, several rounds, paired ratios.

Everything printed is a ratio (lower is better); absolute values stand beside a ratio or in --json.
"""
import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time

import instructions
import machine
import page
import peers
import report
import sizes

METRICS = {
    "lat": "one-way time of a message between two ranks",
    "rate": "time per short message, 64 under way between two ranks",
    "bw": "time per message of any length, 64 under way between two ranks (fewer beyond 1 MiB: 64 MiB in all); bw8: 8 at "
          "a time, and so on",
    "bibw": "the same with as many in the other direction at once; each of lat, bw and bibw also with -odd (addresses), "
            "-small or -huge (pages)",
    "exported": "one-way time of a message between buffers of MPI_Alloc_mem, and between ordinary ones",
    "overlap": "an exchange while the program computes, by the longer of both alone; how long a rank sends to one that "
               "computes (peer), or receives from it (sender), by that computing",
    "types": "one-way time of a message of typed data between two ranks: vectors, faces of a cube, lists, structs",
    "threads": "time per message of 8 bytes, two threads a rank, 64 under way between each two",
    "barrier": "time of a barrier",
    "bcast": "time of a broadcast, the root another rank each time",
    "reduce": "time of a reduce (sum of doubles), the root another rank each time",
    "allreduce": "time of an allreduce (sum of doubles)",
    "scatter": "time of a scatter of blocks of a size, the root another rank each time",
    "gather": "the same of a gather",
    "allgather": "time of an allgather of blocks of a size",
    "alltoall": "time of an alltoall of blocks of a size",
    "reduce_scatter_block": "time of a reduce_scatter_block with results of a size (sum of doubles)",
    "ibcast": "time of a nonblocking broadcast, waited for at once",
    "iallreduce": "the same of an allreduce",
    "bcast_init": "time of a persistent broadcast, started and waited for at once",
    "allreduce_init": "the same of an allreduce",
    "halo2d": "an iteration of a halo exchange on a grid of two dimensions, faces of a size, written just before",
    "halo3d": "the same in three dimensions",
    "transpose": "a matrix transposed, of which each rank has so many bytes, by alltoall and by messages",
    "cg": "an iteration of conjugate gradients: rows of a size to two neighbors, two allreduces of 8 bytes",
    "queue": "a piece of work of a size from a master that answers whoever asks",
    "put": "time of an MPI_Put and its MPI_Win_flush inside a lock, the target waiting in MPI; windows of "
           "MPI_Win_allocate and of MPI_Win_create, as in all metrics of onesided",
    "get": "the same of an MPI_Get",
    "accumulate": "the same of an MPI_Accumulate (sum of doubles)",
    "put_rate": "time per put, 64 to one flush",
    "get_rate": "the same of a get",
    "atomics": "time of an MPI_Fetch_and_op, an MPI_Compare_and_swap of 8 bytes, with their flush",
    "computing_target": "time of each of these, of 64 puts or gets, and of a lock, while the target computes 1 or 10 ms "
                        "and calls no MPI",
    "fence": "time of an MPI_Win_fence, empty and with a put of 8 bytes",
    "post_start": "time of a put of 8 bytes between MPI_Win_post and wait, MPI_Win_start and complete",
    "lock": "time of lock and unlock, of all ranks to one, empty and with a put of 8 bytes",
    "halo_put": "a ring: each puts a size, just written, to both neighbors; by fences, by post and start",
    "hello": "start and end of a job that does nothing, from outside (256 and more ranks, 64 unless metrics are named: "
             "Baton alone, but for --np)",
    "reduce_local": "time of MPI_Reduce_local, beside a plain loop compiled for this CPU",
    "memory": "proportional set size of a rank that has talked to all (libraries as for hello)",
    "finding": "one-way time of 8 bytes between two ranks, and memory of a rank, when all others sleep",
    "instructions": "instructions of a send and its receive, 8 bytes (needs valgrind)",
}
WINDOWS = ("bw1", "bw8", "bw", "bibw1", "bibw8", "bibw")
COLLECTIVES = ("bcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall", "reduce_scatter_block",
               "ibcast", "iallreduce", "bcast_init", "allreduce_init")
KERNELS = ("halo2d", "halo3d", "transpose", "cg", "queue")
ONESIDED_OF_TWO = ("put", "get", "accumulate", "put_rate", "get_rate", "atomics", "computing_target", "post_start")
ONESIDED = (*ONESIDED_OF_TWO, "fence", "lock", "halo_put")
GROUPS = {"kernels": KERNELS, "onesided": ONESIDED, "messages": ("lat", "bw", "bibw", "rate"),
          "collectives": ("barrier", *COLLECTIVES),
          "whole": ("lat", *WINDOWS, *(f"{metric}-{where}" for metric in ("lat", "bw") for where in sizes.PLACEMENTS),
                    "rate", "barrier", *COLLECTIVES, *KERNELS, "hello", "memory")}
BETWEEN_TWO = ("lat", "rate", "bw", "bibw", "exported", "overlap", "types", "threads", "instructions",
               *ONESIDED_OF_TWO)
FIXED_RANKS = (*BETWEEN_TWO, "reduce_local")
BY_EIGHT = [8, 64, 512, 4096, 32768, 256 << 10, 2 << 20, 4 << 20]
SIZES = {"lat": BY_EIGHT, "rate": [8, 64, 512], "bw": BY_EIGHT, "bibw": BY_EIGHT,
         **dict.fromkeys(KERNELS, [1 << 10, 4 << 10, 16 << 10, 64 << 10]), "transpose": [2 << 20, 4 << 20, 8 << 20],
         "queue": [8, 1 << 10, 16 << 10], "exported": [16 << 10, 64 << 10, 256 << 10], "overlap": [64 << 10, 1 << 20, 4 << 20],
         "types": [2048, 32768, 131072, 1 << 20], "reduce_local": [1024, 65536, 4 << 20],
         **dict.fromkeys(COLLECTIVES, [8, 64, 512, 4096, 32768, 256 << 10, 1 << 20]),
         **dict.fromkeys(("put", "get", "accumulate"), [1 << bit for bit in range(3, 24)]),
         **dict.fromkeys(("put_rate", "get_rate"), [1 << bit for bit in range(3, 13)]), "atomics": [8],
         "computing_target": [8, 64 << 10, 1 << 20], "halo_put": [8, 1 << 10, 64 << 10]}
RANKS = {**dict.fromkeys(BETWEEN_TWO, [2]), "barrier": [2, 8, 32], **dict.fromkeys(KERNELS, [2, 8]),
         **dict.fromkeys((*COLLECTIVES, "fence", "lock", "halo_put"), [2, 8, 32]),
         "hello": [16, 64, 256, 1024], "memory": [16, 64, 256, 1024], "finding": [2, 16, 64, 256], "reduce_local": [1]}
IN_SHORT = ["lat", "bw", "bibw", "rate", "barrier", "allreduce", "hello", "memory"]  # unless metrics are named
BY_RANKS = ("hello", "memory")  # of jobs that may be too large for the machine
# Jobs of many ranks take few rounds, and Baton alone unless --np names them: with 1024 ranks on 2 CPUs none of the
# others had ended after 60 s (2026-11-24).
MANY_RANKS, FEW_ROUNDS = 256, 3
MANY_RANKS_IN_SHORT, FEW_ROUNDS_IN_SHORT = 64, 1
SIZES_IN_SHORT = {"allreduce": [8, 1024]}
RANKS_IN_SHORT = {"barrier": [2, 8], "allreduce": [2, 8]}  # of 32 on 2 CPUs MPICH took over 60 s
PEERS = ("mpich", "openmpi", "intel", "openmpi-sm")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    words = [*(f"{name}: {what}" for name, what in METRICS.items()),
             *(f"{name}: {', '.join(members)}" for name, members in GROUPS.items())]
    parser.add_argument("--metrics", default="", help=f"{','.join(IN_SHORT)}, or any of: {'; '.join(words)}")
    parser.add_argument("--whole", action="store_true", help="all sizes up to 64 MiB, windows of 1, 8 and 64, odd "
                        "addresses, small and huge pages, collectives: takes hours")
    parser.add_argument("--np", default="", help="ranks for collectives, fence, lock, halo_put, hello, memory and "
                        "finding, e.g. 8,32")
    parser.add_argument("--sizes", default="", help="bytes, e.g. 8,4k,1m (for metrics that have sizes; "
                        "of messages otherwise all powers of two, and around each threshold of Baton)")
    parser.add_argument("--rounds", type=int, help="how often all libraries take their turn (9; 3 unless metrics are named)")
    parser.add_argument("--milliseconds", type=float, help="measured time per cell and run (30; 2 unless metrics are named)")
    parser.add_argument("--peers", default="mpich,openmpi,intel", help="which to compare with (mpich,openmpi,intel; there is openmpi-sm, too); none: Baton alone")
    parser.add_argument("--without-baton", action="store_true", help="the peers alone")
    parser.add_argument("--build", default=os.path.join(peers.ROOT, "build"), help="Baton's build folder")
    parser.add_argument("--cache", default=peers.default_cache(), help="where peers are installed")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a run has failed (60)")
    parser.add_argument("--page", metavar="FILE", help="the HTML page that draws it all by size (bench.html in the build folder)")
    parser.add_argument("--json", metavar="FILE", help="write every value of every round")
    options = parser.parse_args()
    options.metrics = [metric for name in options.metrics.split(",") if name for metric in GROUPS.get(name, [name])]
    if options.whole:
        options.metrics = options.metrics or list(GROUPS["whole"])
    short = options.short = not options.metrics
    if short:
        options.metrics = IN_SHORT
        SIZES.update(SIZES_IN_SHORT)
        RANKS.update(RANKS_IN_SHORT)
    options.rounds = (3 if short else 9) if options.rounds is None else options.rounds
    options.milliseconds = (2 if short else 30) if options.milliseconds is None else options.milliseconds
    options.page = options.page or os.path.join(options.build, "bench.html")
    SIZES.update(dict.fromkeys(("lat", "bw", "bibw"), sizes.all_sizes(options.build, options.whole)))
    unknown = [name for name in options.metrics if sizes.base_of(name) not in METRICS]
    if unknown:
        parser.error(f"no metric {', '.join(unknown)}; there are {', '.join(METRICS)}")
    options.peers = [name for name in options.peers.split(",") if name and name != "none"]
    unknown = [name for name in options.peers if name not in PEERS]
    if unknown:
        parser.error(f"no peer {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if options.rounds < 1 or options.milliseconds <= 0:
        parser.error("--rounds and --milliseconds must be positive")
    try:
        options.sizes = [byte_count(text) for text in options.sizes.split(",") if text]
        options.np = [int(text) for text in options.np.split(",") if text]
    except ValueError as error:
        parser.error(str(error))
    return options


def byte_count(text):
    scale = {"k": 1 << 10, "m": 1 << 20}.get(text[-1:].lower())
    value = int(text[:-1]) * scale if scale else int(text)
    if value < 1:
        raise ValueError(f"{text}: a size is at least one byte")
    return value


@contextlib.contextmanager
def started(command, environment=None):
    """A process in a session of its own; whatever ends this block ends all of it."""
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def cells_of(command, environment, timeout, prefix="cell "):
    """What a run printed as cells, and how long it took from outside in µs."""
    start = time.monotonic()
    with started(command, environment) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise peers.Unusable(f"did not end within {timeout:g} s") from None
    took = (time.monotonic() - start) * 1e6
    if process.returncode != 0:
        own = [line for line in err.splitlines() if line.startswith("mpi_bench: ")]  # says it best
        words = own[-1] if own else " ".join(err.split())[-200:] or " ".join(out.split())[-200:]
        raise peers.Unusable(f"code {process.returncode}: {words}")
    cells = {}
    for line in out.splitlines():
        if line.startswith(prefix):
            name, _, value = line[len(prefix):].rpartition(" ")
            cells[name] = float(value)
    return cells, took


class Comparison:
    """All values: cell -> library -> one value a round (None where it failed)."""

    def __init__(self, options, libraries, limits):
        self.options, self.libraries, self.limits = options, libraries, limits
        self.values, self.limit_values, self.failures, self.left_out = {}, {}, {}, {}
        self.rounds = 0

    def plan(self):
        for metric in self.options.metrics:
            base = sizes.base_of(metric)
            counts = RANKS[base] if base in FIXED_RANKS else self.options.np or RANKS[base]
            for ranks in counts:
                reason = machine.too_small_for(ranks, not self.options.peers) if metric in BY_RANKS else ""
                if reason:
                    self.left_out[metric, ranks] = reason
                else:
                    yield metric, ranks

    def taking_part(self, metric, ranks, round_number, step):
        """The libraries that run now, another one first each time."""
        many_ranks, few_rounds = (MANY_RANKS_IN_SHORT, FEW_ROUNDS_IN_SHORT) if self.options.short else (MANY_RANKS, FEW_ROUNDS)
        many = metric in BY_RANKS and ranks >= many_ranks
        if many and round_number >= few_rounds:
            return []
        libraries = [one for one in self.libraries if not many or self.options.np or one.name == "baton"]
        shift = (round_number + step) % max(1, len(libraries))
        return libraries[shift:] + libraries[:shift]

    def words(self, metric):
        return [metric, str(self.options.milliseconds), *map(str, self.sizes_of(metric))]

    def sizes_of(self, metric):
        own = SIZES.get(sizes.base_of(metric), [])
        return self.options.sizes or own if own else []

    def measure(self, library, metric, ranks):
        def run(command, environment):
            return cells_of(command, environment, self.options.timeout)
        if metric == "instructions":
            return {metric: instructions.value(library, run)}, 0
        return run(library.command(ranks, self.words(metric)), library.full_environment())

    def run_one(self, library, metric, ranks, round_number):
        key = (library.name, metric, ranks)
        if self.failures.get(key, (0, ""))[0] >= 2:
            return
        try:
            cells, took = self.measure(library, metric, ranks)
            if metric == "hello":
                cells = {"hello": took}
        except peers.Unusable as reason:
            self.failures[key] = (self.failures.get(key, (0, ""))[0] + 1, str(reason))
            return
        for cell in [cell for cell in cells if cell.endswith(" plain")]:
            value = cells.pop(cell)
            if library is self.libraries[0]:
                self.limit_values.setdefault(cell, []).append(value)
        for cell, value in cells.items():
            name = cell if sizes.base_of(metric) in FIXED_RANKS else f"{cell} np={ranks}"
            column = self.values.setdefault(name, {}).setdefault(library.name, [])
            column.extend([None] * (round_number - len(column)))
            column.append(value)

    def run_limits(self):
        plan = report.limit_plan(self.options.metrics, self.sizes_of)
        for loop, its_sizes in plan.items():
            with contextlib.suppress(peers.Unusable):
                words = [self.limits, str(self.options.milliseconds), loop, *map(str, its_sizes)]
                for cell, value in cells_of(words, None, self.options.timeout)[0].items():
                    self.limit_values.setdefault(cell, []).append(value)

    def look_at_single_copy(self):
        def run(command, environment):
            return cells_of(command, environment, self.options.timeout)
        between_two = any(sizes.base_of(metric) in BETWEEN_TWO for metric in self.options.metrics)
        for library in self.libraries if between_two else ():
            try:
                library.single_copy_seen = machine.single_copy_seen(library, run)
            except peers.Unusable as reason:
                library.single_copy_seen = f"not to be looked at ({reason})"

    def run(self, progress):
        plan = list(self.plan())
        for round_number in range(self.options.rounds):
            self.run_limits()
            for step, (metric, ranks) in enumerate(plan):
                for library in self.taking_part(metric, ranks, round_number, step):
                    progress(round_number, step, len(plan), f"{metric} np={ranks} {library.title}")
                    self.run_one(library, metric, ranks, round_number)
            self.rounds = round_number + 1
        progress(self.options.rounds, 0, len(plan), "")


class Progress:
    """A bar on a terminal; a line a round elsewhere."""

    def __init__(self, rounds):
        self.rounds, self.last, self.terminal = rounds, -1, sys.stderr.isatty()

    def __call__(self, round_number, step, steps, text):
        if self.terminal:
            share = (round_number + step / steps) / self.rounds
            bar = "█" * int(share * 30)
            end = "\r\033[K" if share >= 1 else ""
            print(f"\r\033[K[{bar:<30}] {text}{end}", end="", file=sys.stderr, flush=True)
        elif round_number != self.last and round_number < self.rounds:
            print(f"bench: round {round_number + 1} of {self.rounds}", file=sys.stderr, flush=True)
        self.last = round_number


def interrupted(*_):
    raise KeyboardInterrupt


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, interrupted)
    work = os.path.join(os.path.dirname(os.path.abspath(options.cache)), "baton-bench")
    os.makedirs(work, exist_ok=True)
    names = ([] if options.without_baton else ["baton"]) + options.peers
    libraries, absent = peers.collect(names, options.build, options.cache, work)
    for name, reason in absent.items():
        print(f"bench: {name} takes no part: {reason}", file=sys.stderr)
    if not libraries or ("baton" in absent):
        print("bench: nothing to measure; --without-baton compares the peers alone", file=sys.stderr)
        return 1
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"bench: the machine is busy (load {load:.1f}); the intervals will be wide", file=sys.stderr)
    properties = machine.describe()
    comparison = Comparison(options, libraries, peers.build_limits(work))
    code = 0
    try:
        comparison.look_at_single_copy()
        comparison.run(Progress(options.rounds))
    except KeyboardInterrupt:
        print("\nbench: interrupted; what follows is from the rounds so far", file=sys.stderr)
        code = 130
    report.show(comparison, absent, properties)
    if options.json:
        report.write_json(options.json, comparison, absent, properties)
    if any(len(cells) > 1 for cells in report.series_of(comparison.values).values()):
        page.write(options.page, comparison, absent, properties, options.build)
        print(f"\nthe page: {options.page}")
    failed = any(name == "baton" for name, _, _ in comparison.failures)
    return code or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
