"""That the guest is the machine hardware.py describes, that the tools see it so, and that jobs run as anywhere."""
import os
import re

import hardware
from check import Skip, check, demand
from sysfs import node_kib, read

RANKS = hardware.CPUS


@check("the kernel has four NUMA nodes, two of them without CPUs")
def nodes_are_there(guest):
    for node in hardware.NODES:
        folder = f"/sys/devices/system/node/node{node.number}"
        demand(os.path.isdir(folder), f"node {node.number} is missing")
        expected = f"{node.cpus[0]}-{node.cpus[-1]}" if node.cpus else ""
        cpus = read(f"{folder}/cpulist").strip()
        demand(cpus == expected, f"node {node.number} has CPUs \"{cpus}\"")
        mib = node_kib(node.number, "MemTotal") >> 10
        demand(0.8 * node.mib < mib <= node.mib, f"node {node.number} has {mib} MiB of {node.mib}")


@check("the kernel tells the bandwidths and latencies of its firmware")
def firmware_is_believed(guest):
    for node in hardware.NODES:
        latency, _ = hardware.ACCESS[node.socket, node.number]
        folder = f"/sys/devices/system/node/node{node.number}/access0/initiators"
        demand(os.path.isdir(f"{folder}/node{node.socket}"),
               f"node {node.number}: socket {node.socket} is not the nearest")
        told = int(read(f"{folder}/read_bandwidth")), int(read(f"{folder}/read_latency"))
        demand(told == (hardware.bandwidth_mib(node.socket, node.number), latency), f"node {node.number}: {told}")


@check("the kernel has memory tiers")
def tiers_are_there(guest):
    folder = "/sys/devices/virtual/memory_tiering"
    tiers = {name: read(f"{folder}/{name}/nodelist") for name in os.listdir(folder) if name.startswith("memory_tier")} \
        if os.path.isdir(folder) else {}
    if len(tiers) < 2:
        raise Skip(f"this kernel puts all nodes into one tier {tiers}")
    demand(len(set(tiers.values())) == len(tiers), f"{tiers}")


@check("hwloc sees the nodes with their bandwidths")
def hwloc_sees_bandwidths(guest):
    shown = guest.succeed(guest.run(["lstopo-no-graphics", "--memattrs", "-p"])).stdout
    section = shown[shown.index("`Bandwidth'"):].split("Memory attribute")[0]
    told = {int(node): int(value) for node, value in re.findall(r"NUMANode P#(\d+) = (\d+)", section)}
    expected = {node.number: hardware.bandwidth_mib(node.socket, node.number) for node in hardware.NODES}
    demand(told == expected, f"{told} instead of {expected}\n{section}")


@check("baton topo shows four CPUs and four NUMA nodes")
def topo_is_right(guest):
    shown = guest.succeed(guest.baton("topo")).stdout
    demand("4 usable of 4 CPUs, 4 cores" in shown and "mpiexec without -n: 4 ranks" in shown, shown)
    for node in hardware.NODES:
        demand(re.search(rf"NUMA node {node.number}\b", shown), f"node {node.number} is missing\n{shown}")


@check("baton topo shows the guest and the captured machine that describes it alike")
def captured_is_like_real(guest):
    captured = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guest.xml")
    lines = [[re.sub(r"\d+(\.\d+)? [GM]i?B\b|, L3 \d+", "", line) for line in
              guest.succeed(guest.baton("topo", *words)).stdout.splitlines()] for words in ((), ("--from", captured))]
    demand(lines[0] == lines[1], "\n".join(["real:", *lines[0], "captured:", *lines[1]]))


@check("baton doctor finds that jobs run here")
def doctor_is_content(guest):
    shown = guest.succeed(guest.baton("doctor")).stdout
    demand("jobs run here" in shown and re.search(r"^ok +single copy", shown, re.M), shown)


@check("mpiexec --dry-run gives each rank a core of its own, near and by sockets in turn")
def dry_run_is_right(guest):
    near = guest.succeed(guest.job(["-n", str(RANKS), "--report-binding", "--dry-run"])).stdout
    turns = guest.succeed(guest.job(["-n", "2", "--map-by", "package", "--report-binding", "--dry-run"])).stdout
    demand(all(f"rank {rank}: CPU {rank}\n" in near for rank in range(RANKS)), near)
    demand("rank 0: CPU 0\n" in turns and "rank 1: CPU 2\n" in turns, turns)


@check("messages and collectives pass the conformance programs")
def conformance_holds(guest):
    for program in ("sizes", "order", "collective", "alloc_mem"):
        done = guest.succeed(guest.job(["-n", str(RANKS), "--timeout", "80"], [f"conformance_{program}"]))
        demand(f"all checks held on {RANKS} ranks" in done.stdout, done.stdout)


@check("ranks of different sockets are peers of another class than those of one")
def classes_follow_sockets(guest):
    told = guest.succeed(guest.job(["-n", str(RANKS), "--explain"], ["guest_places"])).stderr
    # guest_places sends everybody one message of 64 bytes.
    inside = RANKS * (hardware.CORES_PER_SOCKET - 1)
    for peers, messages in (("between ranks that share an L3", inside),
                            ("between other ranks of a node", RANKS * (RANKS - 1) - inside)):
        # Short ones of the library's own may stand before them.
        found = re.search(rf"{peers}:\n(?:(?!.*between).*\n)*? +to 64 B +(?:inline_eager .*\n +)?eager +(\d+) ", told)
        demand(found and int(found.group(1)) == messages, f"not {messages} messages {peers}:\n{told}")
