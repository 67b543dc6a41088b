"""Hosts that are network namespaces of this machine, as the tests of jobs on several nodes have them (tests/network/hosts.py),
and jobs of one rank on each. Only a build folder of Baton's sources has them, and only root may make them."""
import importlib
import json
import os
import shlex
import sys

from lab.frame.errors import StepFailed

MISSING = "not measured: hosts on this machine take Baton's sources"


def module(programs):
    """tests/network/hosts.py; None without the sources."""
    home = programs.source_folder()
    folder = os.path.join(home, "tests", "network") if home else ""
    if not os.path.exists(os.path.join(folder, "hosts.py")):
        return None
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("hosts")


def why_not(programs):
    """In words; empty: there can be hosts."""
    several = module(programs)
    if several is None:
        return MISSING
    try:
        with several.Hosts(1):
            return ""
    except several.Unusable as why:
        return f"not measured: {why}"


def job(programs, count, name, words, seconds, heard):
    """What rank 0 of a job with one rank on each of so many hosts prints, as JSON."""
    program = shlex.join([programs.path(name), *words])
    with module(programs).Hosts(count) as hosts:
        pids = " ".join(str(hosts.pids[host]) for host in hosts.names)
        script = f'set -- {pids}; shift "$BATON_RANK"; exec nsenter "--net=/proc/$1/ns/net" -- {program}'
        printed = programs.output([programs.path("mpiexec"), "--timeout", str(seconds), "-n", str(count),
                                   "-genv", "BATON_RANKS_PER_NODE", "1", "-genv", "BATON_NETWORK_INTERFACE", "eth0",
                                   "sh", "-c", script], heard)
    try:
        return json.loads(printed)
    except ValueError as error:
        raise StepFailed(f"{name} on {count} hosts printed no JSON: {error}") from None
