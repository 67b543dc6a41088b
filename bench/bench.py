#!/usr/bin/env python3
"""Baton and other MPI libraries side by side: interleaved runs, several rounds, paired ratios.

Everything printed is a ratio (lower is better); absolute values stand beside a ratio or in --json.
"""
import argparse
import contextlib
import ctypes
import json
import os
import platform
import signal
import subprocess
import sys
import time

import instructions
import peers
import ratios

METRICS = {
    "lat": "one-way time of a message between two ranks",
    "rate": "time per short message, 64 under way between two ranks",
    "bw": "time per message of any length, 64 under way between two ranks (fewer beyond 1 MiB: 64 MiB in all)",
    "bibw": "the same with as many in the other direction at once",
    "types": "one-way time of a message of typed data between two ranks: vectors, faces of a cube, lists, structs",
    "threads": "time per message of 8 bytes, two threads a rank, 64 under way between each two",
    "barrier": "time of a barrier",
    "allreduce": "time of an allreduce (sum of doubles)",
    "hello": "start and end of a job that does nothing, from outside",
    "reduce_local": "time of MPI_Reduce_local, beside a plain loop compiled for this CPU",
    "memory": "proportional set size of a rank that has talked to all",
    "instructions": "instructions of a send and its receive, 8 bytes (needs valgrind)",
}
UNITS = {"memory": "KiB", "instructions": "instructions"}
BETWEEN_TWO = ("lat", "rate", "bw", "bibw", "types", "threads", "instructions")
FIXED_RANKS = (*BETWEEN_TWO, "reduce_local")
BY_EIGHT = [8, 64, 512, 4096, 32768, 256 << 10, 2 << 20, 4 << 20]
SIZES = {"lat": BY_EIGHT, "rate": [8, 64, 512], "bw": BY_EIGHT, "bibw": BY_EIGHT,
         "types": [2048, 32768, 131072, 1 << 20], "allreduce": [8, 1024], "reduce_local": [1024, 65536, 4 << 20]}
RANKS = {"lat": [2], "rate": [2], "bw": [2], "bibw": [2], "types": [2], "threads": [2], "barrier": [8, 32], "allreduce": [8, 32], "hello": [64],
         "memory": [16], "instructions": [2], "reduce_local": [1]}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    parser.add_argument("--metrics", default="lat,rate,barrier,allreduce,hello,memory",
                        help="; ".join(f"{name}: {what}" for name, what in METRICS.items()))
    parser.add_argument("--np", default="", help="ranks for barrier, allreduce, hello and memory, e.g. 8,32")
    parser.add_argument("--sizes", default="", help="bytes, e.g. 8,4k,1m (for lat, rate, bw, allreduce, reduce_local)")
    parser.add_argument("--rounds", type=int, default=9, help="how often all libraries take their turn (9)")
    parser.add_argument("--milliseconds", type=float, default=30, help="measured time per cell and run (30)")
    parser.add_argument("--peers", default="mpich,openmpi,intel", help="which to compare with; none: Baton alone")
    parser.add_argument("--without-baton", action="store_true", help="the peers alone")
    parser.add_argument("--build", default=os.path.join(peers.ROOT, "build"), help="Baton's build folder")
    parser.add_argument("--cache", default=peers.default_cache(), help="where peers are installed")
    parser.add_argument("--timeout", type=float, default=60, help="seconds after which a run has failed (60)")
    parser.add_argument("--json", metavar="FILE", help="write every value of every round")
    options = parser.parse_args()
    options.metrics = [name for name in options.metrics.split(",") if name]
    unknown = [name for name in options.metrics if name not in METRICS]
    if unknown:
        parser.error(f"no metric {', '.join(unknown)}; there are {', '.join(METRICS)}")
    options.peers = [name for name in options.peers.split(",") if name and name != "none"]
    unknown = [name for name in options.peers if name not in ("mpich", "openmpi", "intel")]
    if unknown:
        parser.error(f"no peer {', '.join(unknown)}; there are mpich, openmpi, intel")
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
        words = " ".join(err.split())[-200:] or " ".join(out.split())[-200:]
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
        self.values, self.limit_values, self.failures = {}, {}, {}
        self.rounds = 0

    def plan(self):
        for metric in self.options.metrics:
            counts = RANKS[metric] if metric in FIXED_RANKS else self.options.np or RANKS[metric]
            for ranks in counts:
                yield metric, ranks

    def words(self, metric):
        sizes = self.options.sizes or SIZES.get(metric, [])
        return [metric, str(self.options.milliseconds), *(map(str, sizes) if metric in SIZES else ())]

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
            name = cell if metric in FIXED_RANKS else f"{cell} np={ranks}"
            column = self.values.setdefault(name, {}).setdefault(library.name, [])
            column.extend([None] * (round_number - len(column)))
            column.append(value)

    def run_limits(self):
        measured = [metric for metric in ("lat", "types") if metric in self.options.metrics]
        sizes = sorted({8}.union(*(self.options.sizes or SIZES[metric] for metric in measured)))
        with contextlib.suppress(peers.Unusable):
            cells, _ = cells_of([self.limits, str(self.options.milliseconds), *map(str, sizes)], None, 60)
            for cell, value in cells.items():
                self.limit_values.setdefault(cell, []).append(value)

    def run(self, progress):
        plan = list(self.plan())
        for round_number in range(self.options.rounds):
            self.run_limits()
            for step, (metric, ranks) in enumerate(plan):
                shift = (round_number + step) % len(self.libraries)
                for library in self.libraries[shift:] + self.libraries[:shift]:
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


def limit_of(comparison, cell):
    """The machine's own limit for a cell: its name and values by round."""
    if cell.startswith("reduce_local/"):
        return "plain loop", comparison.limit_values.get(f"{cell} plain")
    metric, _, rest = cell.partition("/")
    name = None
    if metric == "lat":
        name = "line" if int(rest.rsplit("/", 1)[1]) <= 48 else "copy/" + rest  # the payload fits into the line
    elif cell.startswith("types/vector512/"):
        name = cell.replace("types/vector512/", "copy512/")
    return name, comparison.limit_values.get(name)


def bar(ratio):
    """A ratio as a length: the mark stands at 1."""
    length = max(0, min(30, round(ratio * 15)))
    return ("#" * min(length, 15)).ljust(15) + "|" + "#" * (length - 15)


def cell_line(comparison, cell, subject, rivals, titles):
    """One cell of one library against the best of the others. Returns (line, ratio or None, behind)."""
    columns = comparison.values[cell]
    rival = ratios.best(columns, rivals)
    unit = UNITS.get(cell.split()[0], "µs")
    if not ratios.present(columns.get(subject, [])):
        return f"{cell:<26} {titles[subject]} gave no value", None, False
    limit_name, limit = limit_of(comparison, cell)
    against_limit = ""
    if limit:
        against = ratios.paired(columns[subject], limit)
        against_limit = f"; {ratios.median(against):.2f} x this machine's {limit_name}" if against else ""
    pairs = ratios.paired(columns[subject], columns[rival]) if rival else []
    if not pairs:
        return f"{cell:<26} no peer to compare with{against_limit}", None, False
    ratio, (low, high) = ratios.median(pairs), ratios.interval(pairs)
    behind = low > 1.0
    drawn = f" {bar(ratio)}" if sys.stdout.isatty() else ""
    rival_value = ratios.median(ratios.present(columns[rival]))
    line = (f"{cell:<26}{drawn} {ratio:7.3f} [{low:.3f}, {high:.3f}] of {titles[rival]} ({rival_value:.4g} {unit})"
            f"{against_limit}{'  behind' if behind else ''}")
    return line, ratio, behind


def print_against_peers(comparison, subject, rivals, titles):
    print(f"\n{titles[subject]} / the best of {', '.join(titles[r] for r in rivals) or 'nobody'}: "
          f"median [95 % interval] of the paired ratio over {comparison.rounds} rounds, lower is better")
    all_ratios, behind = [], []
    for cell in comparison.values:
        line, ratio, is_behind = cell_line(comparison, cell, subject, rivals, titles)
        print(line)
        if ratio is not None:
            all_ratios.append(ratio)
        if is_behind:
            behind.append(cell)
    if all_ratios:
        print(f"geometric mean of {len(all_ratios)} ratios: {ratios.geometric_mean(all_ratios):.3f}")
    print(f"behind: {', '.join(behind) if behind else 'nowhere'}")


def cma_probe():
    """Whether one process may copy from another of the same user: what single copy needs."""
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.create_string_buffer(8)
    target = os.fork()
    if target == 0:
        signal.pause()
        os._exit(0)

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    reader = os.fork()
    if reader == 0:
        own = ctypes.create_string_buffer(8)
        local, remote = Vector(ctypes.addressof(own), 8), Vector(ctypes.addressof(word), 8)
        got = libc.process_vm_readv(target, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
        os._exit(0 if got == 8 else ctypes.get_errno() or 255)
    code = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
    os.kill(target, signal.SIGKILL)
    os.waitpid(target, 0)
    return "permitted" if code == 0 else f"refused ({os.strerror(code)})"


def report(comparison, absent, cma):
    titles = {library.name: library.title for library in comparison.libraries}
    rivals = [name for name in titles if name != "baton"]
    print(f"\nmachine: {cpu_name()}, {len(os.sched_getaffinity(0))} usable CPUs, Linux {platform.release()}")
    print(f"CMA between processes: {cma}")
    for library in comparison.libraries:
        print(f"{library.title}: {library.how}; single copy: {library.single_copy}")
    for name, reason in absent.items():
        print(f"{name} takes no part: {reason}")
    if "baton" in titles:
        print_against_peers(comparison, "baton", rivals, titles)
    else:
        for name in rivals:
            print_against_peers(comparison, name, [other for other in rivals if other != name], titles)
    for (name, metric, ranks), (count, reason) in comparison.failures.items():
        print(f"{titles[name]} failed {count} times at {metric} np={ranks}: {reason}")


def cpu_name():
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def write_json(path, comparison, absent, cma):
    data = {
        "machine": {"cpu": cpu_name(), "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(), "cma": cma},
        "method": {"rounds": comparison.rounds, "milliseconds": comparison.options.milliseconds,
                   "libraries": {lib.name: {"how": lib.how, "single_copy": lib.single_copy}
                                 for lib in comparison.libraries}, "absent": absent},
        "units": {**UNITS, "others": "µs"},
        "cells": comparison.values,
        "limits": comparison.limit_values,
        "failures": [{"library": name, "metric": metric, "ranks": ranks, "times": count, "reason": reason}
                     for (name, metric, ranks), (count, reason) in comparison.failures.items()],
    }
    with open(path, "w") as file:
        json.dump(data, file, indent=1)


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
    cma = cma_probe()
    comparison = Comparison(options, libraries, peers.build_limits(work))
    code = 0
    try:
        comparison.run(Progress(options.rounds))
    except KeyboardInterrupt:
        print("\nbench: interrupted; what follows is from the rounds so far", file=sys.stderr)
        code = 130
    report(comparison, absent, cma)
    if options.json:
        write_json(options.json, comparison, absent, cma)
    failed = any(name == "baton" for name, _, _ in comparison.failures)
    return code or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
