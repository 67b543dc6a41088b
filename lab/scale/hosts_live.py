"""The step "hosts": collectives between hosts that are network namespaces of this machine, and the model's prediction of the same.
What the model is told of this machine comes from messages between two hosts alone. `hosts_live.c` beside this is the program."""
import os

from lab.frame import hosts, live
from lab.frame.medians import spread
from lab.scale import fabrics

PROGRAM = "baton-hosts-live"
FORMAT = 1  # of what we keep
SECONDS = 120  # after which a job is given up
COUNTS = (2, 4, 8)
KIB, MIB = 1 << 10, 1 << 20
FULL = {"rounds": 7, "seconds": 0.02, "sizes": [8, 4 * KIB, 64 * KIB, 256 * KIB]}
QUICK = {"rounds": 2, "seconds": 0.004, "sizes": [8, 64 * KIB]}
OPERATIONS = ("broadcast", "allreduce", "alltoall", "scatter")
SHORT, ONE_WAY, BOTH_WAYS = PAIRS = [("exchange", 8), ("window", MIB), ("exchange", MIB)]
WHAT = (f"barrier, broadcast, allreduce, alltoall and scatter over {', '.join(map(str, COUNTS))} hosts that are namespaces of this "
        "machine, one rank each, and the model of the same, calibrated by messages between two of them")


def asked(size, count):
    """(operation, bytes of a rank or block), as the program takes them."""
    cells = [("barrier", 0), *[(operation, each) for operation in OPERATIONS for each in size["sizes"]]]
    return [*PAIRS, *cells] if count == 2 else cells


def run(context, size, count, heard):
    heard(f"{count} hosts")
    words = [str(size["rounds"]), str(size["seconds"]), *[f"{operation}:{each}" for operation, each in asked(size, count)]]
    cells = hosts.job(context.programs, count, PROGRAM, words, SECONDS, heard)["cells"]
    return {(cell["operation"], cell["bytes"]): cell["us"] for cell in cells}


def number(value, unit, source):
    return {"value": value, "unit": unit, "source": source}


def fabric_of(pairs, cores):
    """This machine as the model has it: `pairs` are us of messages between two hosts."""
    us = {cell: spread(pairs[cell])[0] for cell in PAIRS}
    here, unused = "measured here, between two hosts", "not used: one rank a host, and no start"
    parameters = {
        "network.overhead": number(1e3 * us[SHORT] / 2, "ns", f"{here}: half of an exchange of 8 bytes, as each sends and receives one"),
        "network.bandwidth": number(2 * MIB / us[BOTH_WAYS] / 1e3, "GB/s", f"{here}: exchanges of 1 MiB, both ways together"),
        "network.message_bandwidth": number(MIB / us[ONE_WAY] / 1e3, "GB/s", f"{here}: messages of 1 MiB one way, 8 at a time"),
        "network.latency": number(1, "ns", "nothing: what there is between two namespaces is CPU time of the kernel's"),
        "switch.latency": number(1, "ns", "nothing: there is no switch"),
        "message.header": number(64, "bytes", "a message's envelope"),
        "message.eager_max": number(128 * KIB, "bytes", "longer messages wait for their receiver")}
    for name, unit in (("node.latency", "ns"), ("node.overhead", "ns"), ("node.core_copy", "GB/s"), ("node.memory_copy", "GB/s"),
                       ("manager.latency", "ns"), ("manager.overhead", "ns"), ("manager.start_rank", "ns"),
                       ("connection.duration", "ns"), ("record.bytes", "bytes")):
        parameters[name] = number(10, unit, unused)
    parameters["node.core_combine"] = number(8, "GB/s", "guess: one core that adds up vectors that are in its cache")
    return {"title": "Namespaces on one machine", "source": "this machine", "ranks_per_node": 1,
            "topology": {"kind": "one machine", "nodes": max(COUNTS), "cores": cores}, "parameters": parameters}


def question(operation, each, count):
    asked_of = {"operation": operation, "ranks": count, "algorithm": "chosen", "by": "flows",
                "bytes": each * count if operation == "alltoall" else each}
    return asked_of if operation == "barrier" else {**asked_of, "then_barrier": True}


def measure(context, size, heard):
    why = hosts.why_not(context.programs)
    if why:
        return {"measured": False, "why": why}
    measured = {count: run(context, size, count, heard) for count in COUNTS}
    cores = len(os.sched_getaffinity(0))
    fabric = fabric_of(measured[2], cores)
    cells = [(*cell, count) for count in COUNTS for cell in asked(size, count) if cell not in PAIRS]
    answers = fabrics.ask_described(context.programs, fabric, [question(*cell) for cell in cells], heard)["answers"]
    return {"measured": True, "rounds": size["rounds"], "cores": cores, "fabric": fabric, "points": [
        {"operation": operation, "bytes": each, "hosts": count, "us": measured[count][operation, each],
         "algorithm": answer["chosen"], "model_us": 1e6 * answer["seconds"]}
        for (operation, each, count), answer in zip(cells, answers)]}


def steps(context):
    size = QUICK if context.quick else FULL
    key = {"format": FORMAT, "size": size, "model": context.programs.fingerprint(fabrics.PROGRAM)}
    return [live.live_step(context, "hosts", WHAT, PROGRAM, key, lambda heard: measure(context, size, heard), f"BATON_RANKS_PER_NODE=1 mpiexec -n HOSTS {PROGRAM} {size['rounds']} {size['seconds']} OPERATION:BYTES...")]


def why_not(done):
    return live.why_not(done, "hosts")


def error_of(point):
    """Of the prediction, as part of what was measured."""
    return point["model_us"] / spread(point["us"])[0] - 1


def errors(points):
    """The median of how far they are off, whichever way."""
    return spread([abs(error_of(point)) for point in points])[0]


def rows(done):
    if why_not(done):
        return []
    return [{"fabric": "namespaces of this machine", "kind": "measured", "operation": point["operation"],
             "algorithm": point["algorithm"], "bytes": point["bytes"], "ranks": point["hosts"], "ranks_per_node": 1,
             "seconds": 1e-6 * spread(point["us"])[0], "model_seconds": 1e-6 * point["model_us"], "error": error_of(point)}
            for point in done["hosts"].data["points"]]
