"""The cells that are predicted: application, system, layout and binding, and how many processes each host has. Pure, and
without any of the source's results: all layouts that its tables name, on each system where they have space, both bound and
unbound."""
import json
from dataclasses import dataclass

from lab.frame.machines import path_of
from lab.hybrid.layouts import Layout

BINDINGS = ("bound", "unbound")
# Processes x threads, as the heads of the source's tables 3 and 4 have them.
HYBRID = {"hartree_fock": ["1+16x4", "8x8", "1+8x4", "8x4", "4x8", "1+4x4", "8x2", "4x4", "4x2"],
          "weather": ["16x4", "8x8", "8x4", "4x8", "4x4", "8x2", "2x4"]}
# Processes and hosts, as its table 5 has them.
SLABS = {"1": [(64, 1), (32, 1), (16, 1), (8, 1)], "2": [(32, 4), (16, 2), (16, 4), (8, 2), (8, 4)],
         "3": [(32, 2), (16, 2), (16, 1), (8, 2), (8, 1)]}


@dataclass(frozen=True)
class Cell:
    application: str
    system: str
    layout: Layout
    bound: bool
    processes: tuple  # on each host, without a master on top
    name: str

    @property
    def resting(self):
        """Of Hartree-Fock's ranks one hands out work: if it is not on top, its CPUs do nothing else."""
        return int(self.application == "hartree_fock" and not self.layout.master)

    @property
    def workers(self):
        return self.layout.ranks - self.resting

    @property
    def ranks_on_hosts(self):
        return [count + (self.layout.master and host == 0) for host, count in enumerate(self.processes)]


def hosts_of(machine):
    """How many, and of how many CPUs."""
    with open(path_of(machine), encoding="utf-8") as file:
        shape = json.load(file)["shape"]
    return shape.get("hosts", 1), shape["packages"] * shape["nodes_per_package"] * shape["tiles_per_node"] * shape["cores_per_tile"]


def layout_of(name):
    ranks, threads = name.removeprefix("1+").split("x")
    return Layout(int(ranks), int(threads), name.startswith("1+"))


def dealt(layout, hosts, cpus):
    """Processes on each host: on as few hosts as hold them, in equal parts as far as that goes; None: no space."""
    space = [(cpus - (layout.master and host == 0)) // layout.threads for host in range(hosts)]
    used = next((count for count in range(1, hosts + 1) if sum(space[:count]) >= layout.ranks), None)
    if used is None:
        return None
    processes = [0] * used
    for _ in range(layout.ranks):
        with_space = [host for host in range(used) if processes[host] < space[host]]
        processes[min(with_space, key=lambda host: processes[host] + (layout.master and host == 0))] += 1
    return tuple(processes)


def cells(systems):
    """Of the system's number -> its machine."""
    found = []
    for system, machine in systems.items():
        hosts, cpus = hosts_of(machine)
        for application, names in HYBRID.items():
            for layout in map(layout_of, names):
                processes = dealt(layout, hosts, cpus)
                found += [Cell(application, system, layout, binding == "bound", processes, f"{layout.name} {binding}")
                          for binding in BINDINGS if processes]
        found += [Cell("seismic", system, Layout(count, 1), binding == "bound", (count // used,) * used, f"{count} on {used} {binding}")
                  for count, used in SLABS[system] for binding in BINDINGS]
    return found
