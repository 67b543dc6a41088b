"""Fills NUMA nodes, so that checks can see what happens when they are full. Used by full_checks.py."""
import contextlib
import os
import re
import subprocess
import tempfile

from check import Wrong
from sysfs import node_kib, read

PAGES_PER_MIB = 256


def free_mib(node):
    return node_kib(node, "MemFree") >> 10


def untouchable_mib(node):
    """What the kernel keeps for itself: who must have memory there and finds no more than this is killed."""
    zones = re.split(r"^Node (?=\d)", read("/proc/zoneinfo"), flags=re.M)
    pages = sum(int(found) for zone in zones if zone.startswith(f"{node},")
                for found in re.findall(r"^\s+min\s+(\d+)", zone, re.M))
    return -(-pages // PAGES_PER_MIB)


@contextlib.contextmanager
def filled(node, leave_mib):
    """Only so much of the node can be had while this lasts: a file in memory that is bound to it has the rest."""
    mib = free_mib(node) - untouchable_mib(node) - leave_mib
    if mib <= 0:
        raise Wrong(f"node {node} has only {free_mib(node)} MiB left before it is filled")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mpol=bind:{node}", "tmpfs", folder], check=True)
        try:
            with open(os.path.join(folder, "full"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, mib << 20)
            yield mib
        finally:
            subprocess.run(["umount", folder], check=True)
