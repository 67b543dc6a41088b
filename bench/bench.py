#!/usr/bin/env python3
"""Baton and other MPI libraries side by side: interleaved runs, several rounds, paired ratios.

Everything printed is a ratio (lower is better); absolute values stand beside a ratio or in --json. How far apart the
CPUs are is looked at around each run, and values of different distances are never in one ratio.
"""
import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
import typing

import columns
import distance
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
    "partitioned": "time of a message in 2 to 256 partitions of a size, from its start to an answer, which 1 to 16 threads make "
                   "ready (MPI_Pready), with and without computing between; and with an MPI_Isend for each partition",
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
    "file": "collective and independent writes and reads of 4 MiB a rank in interleaved blocks of a size, whole ones, "
            "appends by the shared pointer, open and close; in the folders of BENCH_FOLDERS (/dev/shm:/tmp)",
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
BETWEEN_TWO = ("lat", "rate", "bw", "bibw", "exported", "overlap", "types", "threads", "partitioned", "instructions",
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
         "computing_target": [8, 64 << 10, 1 << 20], "partitioned": [64, 1 << 10, 16 << 10, 256 << 10, 1 << 20], "file": [1 << bit for bit in range(6, 21, 2)], "halo_put": [8, 1 << 10, 64 << 10]}
RANKS = {**dict.fromkeys(BETWEEN_TWO, [2]), "barrier": [2, 8, 32], **dict.fromkeys(KERNELS, [2, 8]),
         **dict.fromkeys((*COLLECTIVES, "fence", "lock", "halo_put"), [2, 8, 32]),
         "file": [2, 8], "hello": [16, 64, 256, 1024], "memory": [16, 64, 256, 1024], "finding": [2, 16, 64, 256], "reduce_local": [1]}
IN_SHORT = ["lat", "bw", "bibw", "rate", "barrier", "allreduce", "hello", "memory"]  # unless metrics are named
BY_RANKS = ("hello", "memory")  # of jobs that may be too large for the machine
# Jobs of many ranks take few rounds, and Baton alone unless --np names them: with 1024 ranks on 2 CPUs none of the
# others had ended after 60 s (2026-11-24).
MANY_RANKS, FEW_ROUNDS = 256, 3
MANY_RANKS_IN_SHORT, FEW_ROUNDS_IN_SHORT = 64, 1
SIZES_IN_SHORT = {"allreduce": [8, 1024]}
RANKS_IN_SHORT = {"barrier": [2, 8], "allreduce": [2, 8]}  # of 32 on 2 CPUs MPICH took over 60 s
PEERS = ("mpich", "openmpi", "intel", "openmpi-sm")
# A run of many sizes is several: the CPUs of a virtual machine stay as near, or as far, as they are for some seconds.
# From three sizes on a run first keeps its CPUs busy for a while (see mpi_bench.c).
RUN_MILLISECONDS, SIZES_A_RUN_LEAST = 1000, 4
LIMITS_LIKE = ("baton", 2)  # bare loops run on the CPUs of this library's so many ranks


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    words = [*(f"{name}: {what}" for name, what in METRICS.items()),
             *(f"{name}: {', '.join(members)}" for name, members in GROUPS.items())]
    parser.add_argument("--metrics", default="", help=f"{','.join(IN_SHORT)}, or any of: {'; '.join(words)}")
    parser.add_argument("--device", action="store_true", help="messages from and to device memory instead, with options of their "
                        "own: --device --help")
    parser.add_argument("--whole", action="store_true", help="all sizes up to 64 MiB, windows of 1, 8 and 64, odd "
                        "addresses, small and huge pages, collectives: takes hours")
    parser.add_argument("--np", default="", help="ranks for collectives, fence, lock, halo_put, hello, memory and "
                        "finding, e.g. 8,32")
    parser.add_argument("--sizes", default="", help="bytes, e.g. 8,4k,1m (for metrics that have sizes; "
                        "of messages otherwise all powers of two, and around each threshold of Baton)")
    parser.add_argument("--rounds", type=int, help="how often all libraries take their turn (9; 3 unless metrics are named)")
    parser.add_argument("--seconds", type=float, help="go on until each distance of CPUs that was seen has --rounds "
                        "rounds, or this time is over (it is looked at between rounds)")
    parser.add_argument("--any-distance", action="store_true", help="do not look how far apart the CPUs are: all values "
                        "in one column, no run repeated or dropped")
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
    if options.rounds < 1 or options.milliseconds <= 0 or (options.seconds or 1) <= 0:
        parser.error("--rounds, --seconds and --milliseconds must be positive")
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


@contextlib.contextmanager
def bound_to(cpus):
    """What is started meanwhile may use these alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Output(typing.NamedTuple):
    """What a run printed, and how long it took from outside in µs."""
    cells: dict
    took: float
    cpus: tuple | None  # where ranks 0 and 1 were


def output_of(command, environment, timeout):
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
    return read_output(out, took)


def read_output(text, took):
    cells, cpus = {}, None
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "cell":
            name, _, value = rest.rpartition(" ")
            cells[name] = float(value)
        elif kind == "cpus":
            cpus = tuple(map(int, rest.split()))
    return Output(cells, took, cpus)


def parts_of(its_sizes, milliseconds):
    """Sizes in as few parts as make runs that are shorter than the distance of CPUs takes to change, of about one length."""
    most = max(SIZES_A_RUN_LEAST, int(RUN_MILLISECONDS / (2 * milliseconds)))  # each size warm and cold
    count = max(1, -(-len(its_sizes) // most))
    ends = [len(its_sizes) * part // count for part in range(count + 1)]
    return [its_sizes[begin:end] for begin, end in zip(ends, ends[1:])]


def goes_on(options, rounds, by_distance, seconds):
    """Whether a round follows so many, of which each distance seen can pair values of so many, after so many seconds."""
    if options.seconds is None:
        return rounds < options.rounds
    return rounds == 0 or (seconds < options.seconds and min(by_distance, default=0) < options.rounds)


class Comparison:
    """All runs of all libraries and bare loops, and their values by the distance at which they ran."""

    def __init__(self, options, libraries, limits, watch):
        self.options, self.libraries, self.limits, self.watch = options, libraries, limits, watch
        self.columns = columns.Columns(libraries)
        self.failures, self.left_out, self.dropped = {}, {}, {}
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

    def sizes_of(self, metric):
        own = SIZES.get(sizes.base_of(metric), [])
        return self.options.sizes or own if own else []

    def output(self, command, environment):
        return output_of(command, environment, self.options.timeout)

    def measure(self, library, metric, ranks, its_sizes):
        """Cells, and where ranks 0 and 1 were."""
        if metric == "instructions":
            return {metric: instructions.value(library, self.output)}, None
        words = [metric, str(self.options.milliseconds), *map(str, its_sizes)]
        found = self.output(library.command(ranks, words), library.full_environment())
        return {"hello": found.took} if metric == "hello" else found.cells, found.cpus

    def run_one(self, library, metric, ranks, its_sizes, round_number):
        key = (library.name, metric, ranks)
        if self.failures.get(key, (0, ""))[0] >= 2:
            return
        try:
            cells, at = self.watch.around((library.name, ranks), lambda: self.measure(library, metric, ranks, its_sizes))
        except peers.Unusable as reason:
            self.failures[key] = (self.failures.get(key, (0, ""))[0] + 1, str(reason))
            return
        if at is None:
            self.drop(library.title, f"{metric} np={ranks}")
            return
        ending = "" if sizes.base_of(metric) in FIXED_RANKS else f" np={ranks}"
        for cell, value in cells.items():
            if not cell.endswith(" plain"):
                self.columns.at(at).keep(cell + ending, library.name, round_number, value)
            elif library is self.libraries[0]:
                self.columns.at(at).keep_limit(cell, round_number, value)

    def drop(self, who, what):
        self.dropped[who, what] = self.dropped.get((who, what), 0) + 1

    def measure_limit(self, loop, its_sizes):
        """On the CPUs of two ranks of Baton, where there are others."""
        words = [self.limits, str(self.options.milliseconds), loop, *map(str, its_sizes)]
        with bound_to(self.watch.pair_of(LIMITS_LIKE)) if len(self.watch.cpus) > 2 else contextlib.nullcontext():
            return self.output(words, None).cells, None

    def run_limits(self, round_number):
        plan = report.limit_plan(self.options.metrics, self.sizes_of)
        for loop, part in ((loop, part) for loop, its in plan.items() for part in parts_of(its, self.options.milliseconds)):
            with contextlib.suppress(peers.Unusable):
                cells, at = self.watch.around(LIMITS_LIKE, lambda: self.measure_limit(loop, part))
                if at is None:
                    self.drop("bare loops", loop)
                    continue
                for cell, value in cells.items():
                    self.columns.at(at).keep_limit(cell, round_number, value)

    def look_at_single_copy(self):
        between_two = any(sizes.base_of(metric) in BETWEEN_TWO for metric in self.options.metrics)
        for library in self.libraries if between_two else ():
            try:
                library.single_copy_seen = machine.single_copy_seen(library, self.output)
            except peers.Unusable as reason:
                library.single_copy_seen = f"not to be looked at ({reason})"

    def steps(self):
        return [(metric, ranks, part) for metric, ranks in self.plan()
                for part in parts_of(self.sizes_of(metric), self.options.milliseconds)]

    def in_order(self):
        return self.columns.measured(self.watch.seen())

    def paired_rounds(self):
        return [column.paired_rounds for column in self.in_order()]

    def run(self, progress):
        steps, start = self.steps(), time.monotonic()
        while goes_on(self.options, self.rounds, self.paired_rounds(), time.monotonic() - start):
            self.run_limits(self.rounds)
            for step, (metric, ranks, part) in enumerate(steps):
                for library in self.taking_part(metric, ranks, self.rounds, step):
                    progress(self.rounds, step, len(steps), f"{metric} np={ranks} {library.title}")
                    self.run_one(library, metric, ranks, part, self.rounds)
            self.rounds += 1
        progress(self.rounds, 0, len(steps), "")


class Progress:
    """A bar on a terminal; a line a round elsewhere."""

    def __init__(self, rounds):
        self.rounds, self.last, self.terminal = rounds, -1, sys.stderr.isatty()

    def __call__(self, round_number, step, steps, text):
        """Without a text all is done. More rounds than were wanted may be needed: see goes_on."""
        if self.terminal:
            share = (round_number + step / max(1, steps)) / max(self.rounds, round_number + 1)
            bar = "█" * int(share * 30)
            end = "" if text else "\r\033[K"
            print(f"\r\033[K[{bar:<30}] {text}{end}", end="", file=sys.stderr, flush=True)
        elif round_number != self.last and text:
            wanted = f" of {self.rounds}" if round_number < self.rounds else ""
            print(f"bench: round {round_number + 1}{wanted}", file=sys.stderr, flush=True)
        self.last = round_number


def interrupted(*_):
    raise KeyboardInterrupt


def main():
    if "--device" in sys.argv[1:]:
        import device  # which imports this
        return device.main([word for word in sys.argv[1:] if word != "--device"])
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
    probe = None if options.any_distance else distance.probe_by(peers.build_distance(work))
    watch = distance.Watch(probe, os.sched_getaffinity(0))
    comparison = Comparison(options, libraries, peers.build_limits(work), watch)
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
    if page.series_of_all(comparison.in_order()):
        page.write(options.page, comparison, absent, properties, options.build)
        print(f"\nthe page: {options.page}")
    failed = any(name == "baton" for name, _, _ in comparison.failures)
    return code or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
