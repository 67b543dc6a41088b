"""What the guest's kernel says of itself in /proc and /sys. Used by the checks."""
import re


def read(path):
    with open(path) as file:
        return file.read()


def node_kib(node, what):
    """A line of the node's meminfo, as MemTotal or MemFree."""
    return int(re.search(rf"{what}:\s+(\d+)", read(f"/sys/devices/system/node/node{node}/meminfo")).group(1))


def kills():
    """How often the kernel has killed for want of memory since it started."""
    return int(re.search(r"^oom_kill (\d+)", read("/proc/vmstat"), re.M).group(1))
