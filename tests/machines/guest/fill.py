"""Fills memory nodes, so that checks can see what happens when they are full. Used by placement_checks.py."""
import contextlib
import os
import re
import subprocess
import tempfile

from check import Wrong


def free_mib(node):
    """What could be had: free pages, and files' pages that would be dropped for others."""
    with open(f"/sys/devices/system/node/node{node}/meminfo") as file:
        text = file.read()
    return sum(int(re.search(rf"{name}:\s+(\d+)", text).group(1)) for name in ("MemFree", "Inactive\\(file\\)")) >> 10


@contextlib.contextmanager
def filled(node, leave_mib):
    """Only about so much of the node is left while this lasts: a file in memory that is bound to it has the rest."""
    mib = free_mib(node) - leave_mib
    if mib <= 0:
        raise Wrong(f"node {node} has only {free_mib(node)} MiB left before it is filled")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib + 8}m,mpol=bind:{node}", "tmpfs", folder], check=True)
        try:
            with open(os.path.join(folder, "full"), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, mib << 20)
            yield mib
        finally:
            subprocess.run(["umount", folder], check=True)
