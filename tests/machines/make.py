#!/usr/bin/env python3
"""The machines that decisions are tested on, each as a few lines of description; writes them as hwloc's XML beside
this file. `make.py --check` says whether the files are what this would write (the test machines.fresh).

Nobody here owns these machines: cores, caches, memory and distances are what their makers publish or Linux shows on
such machines; bandwidths are rated ones. What they are for is decisions, which go by what is more and what is less.
"""
import argparse
import os
import sys

from topology import Cluster, Device, Machine, Node, document

FOLDER = os.path.dirname(os.path.abspath(__file__))
GIB = 1024  # MiB


def megabytes(gigabytes_per_second):
    """Bandwidth as hwloc has it (2^20 bytes a second) from what data sheets say (10^9)."""
    return int(gigabytes_per_second * 1e9) >> 20


def distances(nodes, value):
    return {(one, other): 10 if one == other else value(one, other) for one in range(nodes) for other in range(nodes)}


def knights_landing(clusters, ddr_mib, mcdram_mib, cache_mib=0):
    """Xeon Phi: its MCDRAM as nodes of their own (numbered after all others), as a cache of the rest, or both.
    Firmware tells no bandwidths: only the kind says which memory is fast."""
    count = len(clusters)
    divisions = []
    for number, cores in enumerate(clusters):
        nodes = [Node(number, ddr_mib // count, "DRAM", cache_mib=cache_mib // count)]
        if mcdram_mib:
            nodes.append(Node(count + number, mcdram_mib // count, "MCDRAM"))
        divisions.append(Cluster(cores, nodes))

    def distance(one, other):
        same, memory_only = one % count == other % count, max(one, other) >= count
        return (31 if same else 41) if memory_only else 21
    return Machine("Intel(R) Xeon Phi(TM) CPU 7250 @ 1.40GHz", [divisions], threads_per_core=4, l2_kib=1024,
                   cores_per_l2=2, distances=distances(count * (2 if mcdram_mib else 1), distance))


def xeon_max(clusters):
    """Two Xeon Max 9480 in flat mode: 128 GiB of DDR5 (eight channels, 307 GB/s) and 64 GiB of HBM2e (1638 GB/s)
    each, divided by sub-NUMA clusters. HBM nodes have no CPUs and come last."""
    count = 2 * clusters
    packages = []
    for package in range(2):
        divisions = []
        for cluster in range(clusters):
            number = package * clusters + cluster
            divisions.append(Cluster(56 // clusters, [
                Node(number, 128 * GIB // clusters, bandwidth=megabytes(307 / clusters), latency=110),
                Node(count + number, 64 * GIB // clusters, bandwidth=megabytes(1638 / clusters), latency=130)],
                cores_per_l3=56 // clusters))
        packages.append(divisions)

    def distance(one, other):
        memory_only, near, far = max(one, other) >= count, one % count, other % count
        if near == far:
            return 13
        same_package = near // clusters == far // clusters
        return (12 if same_package else 21) + (3 if memory_only else 0)
    return Machine("Intel(R) Xeon(R) CPU Max 9480", packages, threads_per_core=2, l2_kib=2048,
                   l3_kib=(112 * 1024 + 512) // clusters, distances=distances(2 * count, distance))


def two_sockets():
    """The machine of the source "numa": two Xeon X5570."""
    packages = [[Cluster(4, [Node(number, 16 * GIB)], cores_per_l3=4)] for number in range(2)]
    return Machine("Intel(R) Xeon(R) CPU X5570 @ 2.93GHz", packages, threads_per_core=1, l2_kib=256, l3_kib=8192,
                   distances=distances(2, lambda one, other: 21))


def eight_sockets():
    """Eight in two rings of four: some are one step away, some two."""
    packages = [[Cluster(10, [Node(number, 256 * GIB)], cores_per_l3=10)] for number in range(8)]

    def distance(one, other):
        return 21 if one // 4 == other // 4 or one % 4 == other % 4 else 31
    return Machine("Intel(R) Xeon(R) CPU E7-8870 @ 2.40GHz", packages, threads_per_core=1, l2_kib=256,
                   l3_kib=30 * 1024, distances=distances(8, distance))


def with_cxl():
    """Two sockets, and behind the first of them a memory expander (CXL 2.0, eight lanes: 32 GB/s)."""
    packages = [[Cluster(24, [Node(number, 128 * GIB, bandwidth=megabytes(307), latency=100)], cores_per_l3=24)]
                for number in range(2)]
    packages[0][0].nodes.append(Node(2, 256 * GIB, bandwidth=megabytes(32), latency=250))

    def distance(one, other):
        if max(one, other) < 2:
            return 21
        return 14 if min(one, other) == 0 else 24
    return Machine("Intel(R) Xeon(R) Gold 6442Y", packages, threads_per_core=1, l2_kib=2048, l3_kib=60 * 1024,
                   distances=distances(3, distance))


def epyc_nps4():
    """Two EPYC 7763, four NUMA nodes each: two L3s a node."""
    packages = [[Cluster(16, [Node(4 * package + number, 64 * GIB)], cores_per_l3=8) for number in range(4)]
                for package in range(2)]
    return Machine("AMD EPYC 7763 64-Core Processor", packages, threads_per_core=2, l2_kib=512, l3_kib=32 * 1024,
                   distances=distances(8, lambda one, other: 12 if one // 4 == other // 4 else 32))


def eight_devices():
    """Two Xeon Platinum 8480C with four H100 each, as NVIDIA's DGX H100 has them: their places on the bus, in order,
    are near the first package and then near the second."""
    packages = [[Cluster(56, [Node(number, 1024 * GIB)], cores_per_l3=56)] for number in range(2)]
    buses = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")
    devices = [Device(place // 4, f"0000:{bus}:00.0", "10de:2330", "GH100 [H100 SXM5 80GB]")
               for place, bus in enumerate(buses)]
    return Machine("Intel(R) Xeon(R) Platinum 8480C", packages, threads_per_core=2, l2_kib=2048, l3_kib=105 * 1024,
                   devices=devices, distances=distances(2, lambda one, other: 21))


def plain(model, cores, threads, gib, l2_kib, l3_kib):
    return Machine(model, [[Cluster(cores, [Node(0, gib * GIB)], cores_per_l3=cores)]], threads_per_core=threads,
                   l2_kib=l2_kib, l3_kib=l3_kib)


def guest():
    """The guest of ./dev test-numa, as guest/hardware.py describes it to qemu: there hwloc must see the same."""
    packages = [[Cluster(2, [Node(number, 512, bandwidth=128 * 1024, latency=110),
                             Node(2 + number, 256, bandwidth=384 * 1024, latency=130)], cores_per_l3=2)]
                for number in range(2)]

    def distance(one, other):
        memory_only, near = max(one, other) >= 2, one % 2 == other % 2
        return (13 if near else 23) if memory_only else 21
    return Machine("QEMU", packages, threads_per_core=1, l2_kib=512, l3_kib=16 * 1024, distances=distances(4, distance))


MACHINES = {
    "knl-flat": lambda: knights_landing([68], 96 * GIB, 16 * GIB),
    "knl-cache": lambda: knights_landing([68], 96 * GIB, 0, cache_mib=16 * GIB),
    "knl-hybrid": lambda: knights_landing([68], 96 * GIB, 8 * GIB, cache_mib=8 * GIB),
    "knl-snc4": lambda: knights_landing([18, 18, 16, 16], 96 * GIB, 16 * GIB),
    "xeon-max-flat": lambda: xeon_max(1),
    "xeon-max-snc4": lambda: xeon_max(4),
    "two-sockets": two_sockets,
    "eight-sockets": eight_sockets,
    "cxl": with_cxl,
    "epyc-nps4": epyc_nps4,
    "eight-devices": eight_devices,
    "laptop": lambda: plain("AMD Ryzen 7 PRO 5850U", 8, 2, 16, 512, 16 * 1024),
    "virtual-machine": lambda: plain("AMD EPYC", 2, 1, 24, 512, 32 * 1024),
    "guest": guest,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not what this writes")
    options = parser.parse_args()
    stale = []
    for name, describe in MACHINES.items():
        path, text = os.path.join(FOLDER, name + ".xml"), document(describe())
        if not options.check:
            with open(path, "w") as file:
                file.write(text)
        elif not os.path.exists(path) or open(path).read() != text:
            stale.append(name)
    known = {name + ".xml" for name in MACHINES}
    stale += [name for name in os.listdir(FOLDER) if name.endswith(".xml") and name not in known]
    for name in stale:
        print(f"tests/machines/{name} is not what make.py describes; run it", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
