#!/usr/bin/env python3
"""Messages from and to device memory: Baton beside Intel MPI with I_MPI_OFFLOAD=1, two ranks, interleaved rounds.

Cells are medians over the rounds, in µs; "wanted" is the most that a cell may take, as docs/device-memory.md says. Without a device
the driver's stand-in of the tests shows that all this works, and times say nothing.
"""
import argparse
import json
import os
import statistics
import sys

import bench
import machine
import peers

# The cells of the wanted numbers; of `host` the process has no context, of `host-context` it has one.
SIZES = [8, 4096, 32768, 256 << 10, 2 << 20, 16 << 20]
METRICS = {"copy": SIZES, "device": SIZES, "device-16": [8, 4096, 32768, 256 << 10, 2 << 20], "host-device": SIZES,
           "alloc-device": SIZES, "host-device-16": [8, 4096, 32768, 256 << 10, 2 << 20],
           "allreduce": [8, 64 << 10, 4 << 20, 64 << 20], "host": [8, 4096, 256 << 10],
           "host-context": [8, 4096, 256 << 10]}
TITLES = {"copy": "copy in a rank's own device memory", "device": "device to device", "device-16": "the same, 16 under way",
          "host-device": "host and device", "alloc-device": "MPI_Alloc_mem and device",
          "host-device-16": "host to device, 16 under way", "allreduce": "allreduce of floats on devices",
          "host": "host messages, no context", "host-context": "host messages, with a context"}
# µs a message at most. An H200 or H100, two ranks on it.
WANTED = {**{f"device/{size}": 12 for size in (8, 4096, 32768, 256 << 10)},
          **{f"device-16/{size}": 5 for size in (8, 4096, 32768, 256 << 10)},
          "host-device/8": 9, "host-device/262144": 35, f"host-device/{16 << 20}": (16 << 20) / 12e3,
          f"alloc-device/{16 << 20}": (16 << 20) / 45e3, "allreduce/8": 40,
          # Each element is read twice and written once at least.
          f"allreduce/{64 << 20}": 3 * (64 << 20) / 400e3}


def arguments(words):
    parser = argparse.ArgumentParser(prog="./dev bench --device", description=__doc__.splitlines()[0])
    parser.add_argument("--metrics", default=",".join(METRICS), help="; ".join(f"{name}: {what}" for name, what in TITLES.items()))
    parser.add_argument("--sizes-max", type=int, default=64 << 20, help="leave out longer messages")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=20, help="measured time per cell and run")
    parser.add_argument("--peers", default="intel", help="intel (its figures need a device); none: Baton alone")
    parser.add_argument("--library", default="libcuda.so.1", help="the driver's library, or the stand-in's path")
    parser.add_argument("--build", default=os.path.join(peers.ROOT, "build"))
    parser.add_argument("--cache", default=peers.default_cache())
    parser.add_argument("--work", help="where the program is compiled (beside the cache)")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args(words)
    options.metrics = [name for name in options.metrics.split(",") if name]
    unknown = [name for name in options.metrics if name not in METRICS]
    if unknown or options.rounds < 1:
        parser.error(f"no metric {', '.join(unknown)}; there are {', '.join(METRICS)}" if unknown else "--rounds is at least 1")
    options.peers = [name for name in options.peers.split(",") if name and name != "none"]
    return options


def compiled(work, library_folder):
    sources = [os.path.join(peers.HERE, name) for name in ("device.c", "measure.c")]
    target = os.path.join(work, "device_bench")
    header = os.path.join(peers.ROOT, "include", "mpi.h")
    if not peers.newer(target, header, *sources, *peers.HEADERS):
        peers.run([peers.compiler(), "-O2", "-I", os.path.dirname(header), *sources, "-o", target, "-L", library_folder,
                   "-l:libmpi_abi.so.1", "-ldl"], "compiling bench/device.c")
    return target


def collect(options, work):
    """Baton, and the peers that can take part; why the others cannot."""
    found, absent = [peers.baton(options.build)], {}
    for name in options.peers:
        try:
            if name != "intel":
                raise peers.Unusable("its package has no support of devices")
            library = peers.intel(options.cache)
            library.environment["I_MPI_OFFLOAD"] = "1"
            found.append(library)
        except (peers.Unusable, OSError) as reason:
            absent[name] = str(reason)
    program = compiled(work, found[0].folder)
    for library in found:
        library.program = program
        library.environment["DEVICE_LIBRARY"] = options.library
    if is_standin(options.library):
        found[0].environment["BATON_DEVICE"] = "1"
    return found, absent


def is_standin(library):
    """Whether it is the tests' stand-in, which has what no driver has."""
    if not os.path.isfile(library):
        return False
    with open(library, "rb") as file:
        return b"standin_allocate" in file.read()


def measure(options, libraries, say):
    """{cell: {library: [values]}} and {(library, metric): why it failed}; another library first each round."""
    values, failures = {}, {}
    for turn in range(options.rounds):
        for metric in options.metrics:
            its = [size for size in METRICS[metric] if size <= options.sizes_max]
            shift = turn % len(libraries)
            for library in libraries[shift:] + libraries[:shift] if its else []:
                if (library.name, metric) in failures:
                    continue
                say(f"round {turn + 1} of {options.rounds}: {metric}, {library.title}")
                try:
                    words = [metric, str(options.milliseconds), *map(str, its)]
                    found = bench.output_of(library.command(2, words), library.full_environment(), options.timeout)
                except peers.Unusable as reason:
                    failures[library.name, metric] = str(reason)
                    continue
                for cell, value in found.cells.items():
                    values.setdefault(cell, {}).setdefault(library.name, []).append(value)
    return values, failures


def size_text(size):
    for unit, scale in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << scale:
            return f"{size >> scale} {unit}"
    return f"{size} B"


def wanted_of(cell, medians):
    """The most µs that a cell of Baton's may take, if that was said."""
    metric, size = cell.split("/")
    if cell in WANTED:
        return WANTED[cell]
    if metric == "device" and int(size) == 16 << 20 and f"copy/{size}" in medians:
        return medians[f"copy/{size}"]["baton"] / .9
    if metric == "host-context" and f"host/{size}" in medians:
        return 1.03 * medians[f"host/{size}"]["baton"]
    return None


def rows_of(values):
    medians = {cell: {name: statistics.median(its) for name, its in by.items()} for cell, by in values.items()}
    rows = []
    for cell in sorted(medians, key=lambda cell: (list(METRICS).index(cell.split("/")[0]), int(cell.split("/")[1]))):
        by = medians[cell]
        wanted = wanted_of(cell, {name: its for name, its in medians.items() if "baton" in its})
        rows.append({"cell": cell, "us": by, "wanted_us": wanted,
                     "held": None if wanted is None or "baton" not in by else by["baton"] <= wanted})
    return rows


def show(rows, libraries, standin):
    if standin:
        print("ON THE STAND-IN FOR A DRIVER: this shows that the bench works; the times say nothing of a device\n")
    names = [library.name for library in libraries]
    metric = ""
    for row in rows:
        its, size = row["cell"].split("/")
        if its != metric:
            metric = its
            print(f"{TITLES[metric]} (µs)" + "".join(f"{library.title:>14}" for library in libraries) + f"{'wanted':>12}")
        cells = "".join(f"{row['us'][name]:>14.2f}" if name in row["us"] else f"{'-':>14}" for name in names)
        wanted = "" if row["wanted_us"] is None else f"{row['wanted_us']:>12.1f}"
        verdict = "" if row["held"] is None or standin else "  held" if row["held"] else "  MISSED"
        print(f"{size_text(int(size)):>{len(TITLES[metric]) + 5}}{cells}{wanted}{verdict}")


def main(words):
    options = arguments(words)
    work = options.work or os.path.join(os.path.dirname(os.path.abspath(options.cache)), "baton-bench")
    os.makedirs(work, exist_ok=True)
    try:
        libraries, absent = collect(options, work)
    except peers.Unusable as reason:
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    for name, reason in absent.items():
        print(f"bench: {name} takes no part: {reason}", file=sys.stderr)
    standin = is_standin(options.library)
    values, failures = measure(options, libraries, lambda text: print(f"bench: {text}", file=sys.stderr, flush=True))
    rows = rows_of(values)
    show(rows, libraries, standin)
    for (name, metric), reason in failures.items():
        print(f"{name}, {metric}: failed: {reason}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": machine.describe(), "standin": standin, "rows": rows, "values": values, "absent": absent,
                       "failures": [{"library": name, "metric": metric, "why": why}
                                    for (name, metric), why in failures.items()]}, file, indent=1)
    return 1 if any(name == "baton" for name, _ in failures) or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
