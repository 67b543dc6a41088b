"""The machine that the guest is: two sockets of two cores with ordinary memory, and near each socket a small, fast
NUMA node without CPUs. qemu gets it in its words (SRAT, SLIT and HMAT follow from them), checks compare with it.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    number: int
    mib: int
    socket: int   # which is nearest
    cpus: tuple   # none: memory only


SOCKETS, CORES_PER_SOCKET = 2, 2
CPUS = SOCKETS * CORES_PER_SOCKET
NODES = (Node(0, 512, 0, (0, 1)), Node(1, 512, 1, (2, 3)), Node(2, 256, 0, ()), Node(3, 256, 1, ()))
NEAR, FAST = {0: 0, 1: 1}, {0: 2, 1: 3}  # socket -> node

# (socket, node) -> latency in ns, bandwidth in GiB/s, as firmware tells them.
ACCESS = {(0, 0): (110, 128), (0, 1): (200, 64), (0, 2): (130, 384), (0, 3): (220, 96),
          (1, 0): (200, 64), (1, 1): (110, 128), (1, 2): (220, 96), (1, 3): (130, 384)}
DISTANCES = {(0, 1): 21, (0, 2): 13, (0, 3): 23, (1, 2): 23, (1, 3): 13, (2, 3): 23}

# One virtual CPU runs at a time, and a waiting one (PAUSE) makes space: with a thread each, four that wait by
# spinning on two real CPUs take minutes for what takes seconds here.
ACCELERATOR = "tcg,thread=single"


def socket_of(cpu):
    return cpu // CORES_PER_SOCKET


def bandwidth_mib(socket, node):
    """In hwloc's and Linux's unit."""
    return ACCESS[socket, node][1] << 10


def of_node(node):
    cpus = f",cpus={node.cpus[0]}-{node.cpus[-1]}" if node.cpus else ""
    return ["-object", f"memory-backend-ram,id=memory{node.number},size={node.mib}M",
            "-numa", f"node,nodeid={node.number},memdev=memory{node.number},initiator={node.socket}{cpus}"]


def of_access(socket, node, latency, bandwidth):
    pair = f"hmat-lb,initiator={socket},target={node},hierarchy=memory"
    return ["-numa", f"{pair},data-type=access-latency,latency={latency}",
            "-numa", f"{pair},data-type=access-bandwidth,bandwidth={bandwidth}G"]


def words():
    """For qemu: processors and memory."""
    said = ["-machine", "q35,hmat=on", "-accel", ACCELERATOR, "-cpu", "max",
            "-smp", f"{CPUS},sockets={SOCKETS},cores={CORES_PER_SOCKET},threads=1",
            "-m", f"{sum(node.mib for node in NODES)}M"]
    for node in NODES:
        said += of_node(node)
    for (socket, node), (latency, bandwidth) in ACCESS.items():
        said += of_access(socket, node, latency, bandwidth)
    for (one, other), value in DISTANCES.items():
        said += ["-numa", f"dist,src={one},dst={other},val={value}"]
    return said
