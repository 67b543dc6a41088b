"""The machine, as the page and data.json describe it. Names neither host nor user."""
import os
import platform


def first_line(path, begin):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((line.split(begin, 1)[1].strip(" \t\n:=\"") for line in file if line.startswith(begin)), None)
    except OSError:
        return None


def quota():
    """CPUs that the control group may use; None: no limit."""
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            most, period = file.read().split()
        return None if most == "max" else round(int(most) / int(period), 2)
    except (OSError, ValueError):
        return None


def describe(programs):
    memory = first_line("/proc/meminfo", "MemTotal")
    return {
        "cpu": first_line("/proc/cpuinfo", "model name") or platform.machine(),
        "cpus_usable": len(os.sched_getaffinity(0)),
        "cpus_quota": quota(),
        "memory_gib": round(int(memory.split()[0]) / 2 ** 20, 1) if memory else None,
        "kernel": f"{platform.system()} {platform.release()}",
        "system": first_line("/etc/os-release", "PRETTY_NAME") or "unknown",
        "python": platform.python_version(),
        "baton": programs.version(),
    }


def in_words(machine):
    words = [machine["cpu"], f"{machine['cpus_usable']} usable CPU{'s' * (machine['cpus_usable'] != 1)}"]
    if machine["cpus_quota"] is not None:
        words.append(f"quota of {machine['cpus_quota']} CPUs")
    if machine["memory_gib"] is not None:
        words.append(f"{machine['memory_gib']} GiB of memory")
    return ", ".join([*words, machine["system"], machine["kernel"], machine["baton"]])
