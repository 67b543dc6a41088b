"""The steps: messages, memory latency and copy bandwidth of this machine, memory on each NUMA node in turn."""
import glob

from lab.frame.errors import StepFailed
from lab.frame.steps import Step

PROGRAM = "baton-system-measure"
FORMAT = 1  # of what we keep
SECONDS = 400  # after which a job is given up
CACHES = "/sys/devices/system/cpu/cpu0/cache/index*/size"
RANKS_MAX = 256
MIB_LEAST = 16
WHAT = "memory on NUMA node {}: loads, messages, copies and reads by 1 to {} cores"


def topology(context):
    """The machine as mpiexec sees it."""
    return context.programs.answer("baton", ["topo", "--json"])


def largest_cache():
    """In bytes; 32 MiB where the system tells nothing."""
    scale, sizes = {"K": 1 << 10, "M": 1 << 20}, []
    for path in glob.glob(CACHES):
        with open(path, encoding="ascii") as file:
            size = file.read().strip()
        if size[-1:] in scale:
            sizes.append(int(size[:-1]) * scale[size[-1]])
    return max(sizes, default=32 << 20)


def array_mib(machine, ranks, quick):
    """Eight times the largest cache, so that no more than an eighth of loads find it there; less where all ranks' two
    arrays would take more than a quarter of the smallest node."""
    wanted = max(64, 8 * largest_cache() >> 20)
    fits = (min(node["bytes"] for node in machine["memory"]) // 4 // (2 * ranks)) >> 20
    if fits < MIB_LEAST:
        raise StepFailed(f"there is no memory for two arrays of {MIB_LEAST} MiB on each of {ranks} ranks")
    return min(wanted, fits, 256 if quick else 1024)


def home_node(machine):
    """The node that rank 0's core is near to."""
    return machine["cpus"][0]["numa_node"] if machine["cpus"][0]["numa_node"] >= 0 else machine["memory"][0]["node"]


def step(node, machine, context):
    ranks = min(RANKS_MAX, machine["ranks_by_default"])
    words = [str(array_mib(machine, ranks, context.quick)), "3" if context.quick else "9"]
    launch = ["--bind-to", "core", "--memory", f"all=node:{node}!"]

    def work(heard):
        return context.programs.job(ranks, PROGRAM, words, SECONDS, heard, launch)

    key = {"format": FORMAT, "words": words, "launch": launch, "ranks": ranks, "program": context.programs.fingerprint(PROGRAM),
           "library": context.programs.fingerprint("../lib/libmpi_abi.so.1")}
    return Step(f"node{node}", WHAT.format(node, ranks), "measured", work, key,
                " ".join(["mpiexec", *launch, "-n", str(ranks), PROGRAM, *words]))


def steps(context):
    machine = topology(context)
    return [step(each["node"], machine, context) for each in machine["memory"]]
