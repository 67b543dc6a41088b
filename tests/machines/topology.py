"""Writes a machine as hwloc's XML (version 2, which hwloc 2.1 and later read): used by make.py.

Only what a description says is written: packages, groups, NUMA nodes with what firmware tells of them, caches,
cores and hardware threads, numbered as Linux does (the second threads of all cores come last).
"""
from dataclasses import dataclass, field

KIND_OF_DISTANCES = 5  # told by the system, and latencies
HIGHER_IS_BETTER_FOR_INITIATOR, LOWER_IS_BETTER_FOR_INITIATOR = 5, 6


@dataclass
class Node:
    """A NUMA node; bandwidth (MB/s) and latency (ns) are those that the CPUs it belongs to see, 0: not told."""
    os: int
    mib: int
    subtype: str = ""
    bandwidth: int = 0
    latency: int = 0
    cache_mib: int = 0  # memory in front of it that caches it


@dataclass
class Cluster:
    """Cores with memory of their own; `shared` of them in a row share an L3, if there is one."""
    cores: int
    nodes: list = field(default_factory=list)
    cores_per_l3: int = 0


@dataclass
class Device:
    """A device behind a bridge of a package's own: its place on the bus, maker and device as PCI numbers them."""
    package: int
    bus: str
    numbers: str
    name: str


@dataclass
class Machine:
    model: str
    packages: list                 # of lists of clusters
    threads_per_core: int
    l2_kib: int
    cores_per_l2: int = 1
    l3_kib: int = 0
    machine_nodes: list = field(default_factory=list)  # near to all CPUs
    package_nodes: list = field(default_factory=list)  # a list a package: near to all of its CPUs
    devices: list = field(default_factory=list)
    distances: dict = field(default_factory=dict)      # (from, to) -> as ACPI has it, 10 to itself


def bitmap(bits):
    """A set as hwloc writes it: 32 bits a word, the highest word first."""
    value = sum(1 << bit for bit in set(bits))
    words = []
    while value or not words:
        words.insert(0, f"0x{value & 0xffffffff:x}" if value & 0xffffffff or not words else "")
        value >>= 32
    return ",".join(words)


class Writer:
    """Numbers objects and keeps the lines."""

    def __init__(self, machine):
        self.machine = machine
        self.lines = []
        self.last_id = 0
        self.cores_in_all = sum(cluster.cores for package in machine.packages for cluster in package)
        self.next_core = 0
        self.node_ids = {}     # NUMA node -> its object's identity
        self.node_cpus = {}

    def open(self, depth, kind, cpus, nodes, attributes="", closed=False):
        self.last_id += 1
        self.lines.append(f'{"  " * depth}<object type="{kind}" {attributes}cpuset="{bitmap(cpus)}" '
                          f'complete_cpuset="{bitmap(cpus)}" nodeset="{bitmap(nodes)}" '
                          f'complete_nodeset="{bitmap(nodes)}" gp_index="{self.last_id}"{"/" if closed else ""}>')
        return self.last_id

    def close(self, depth):
        self.lines.append("  " * depth + "</object>")

    def cpus_of(self, cores):
        return [core + thread * self.cores_in_all for core in cores for thread in range(self.machine.threads_per_core)]

    def memory(self, depth, nodes, cpus):
        for node in nodes:
            inner = depth
            if node.cache_mib:
                self.open(depth, "MemCache", cpus, [node.os], f'cache_size="{node.cache_mib << 20}" depth="1" '
                          'cache_linesize="64" cache_associativity="1" cache_type="0" ')
                inner += 1
            subtype = f'subtype="{node.subtype}" ' if node.subtype else ""
            self.node_ids[node.os] = self.open(inner, "NUMANode", cpus, [node.os], f'os_index="{node.os}" {subtype}'
                                               f'local_memory="{node.mib << 20}" ')
            self.lines.append(f'{"  " * (inner + 1)}<page_type size="4096" count="{node.mib << 8}"/>')
            self.close(inner)
            if node.cache_mib:
                self.close(depth)
            self.node_cpus[node.os] = (node, cpus)

    def cores(self, depth, cores, nodes):
        """Cores in their L2s."""
        step = self.machine.cores_per_l2
        for first in range(0, len(cores), step):
            sharing = cores[first:first + step]
            self.open(depth, "L2Cache", self.cpus_of(sharing), nodes, f'cache_size="{self.machine.l2_kib << 10}" '
                      'depth="2" cache_linesize="64" cache_associativity="16" cache_type="0" ')
            for core in sharing:
                self.open(depth + 1, "Core", self.cpus_of([core]), nodes, f'os_index="{core}" ')
                for cpu in self.cpus_of([core]):
                    self.open(depth + 2, "PU", [cpu], nodes, f'os_index="{cpu}" ', closed=True)
                self.close(depth + 1)
            self.close(depth)

    def cluster(self, depth, cluster, nodes, grouped):
        cores = list(range(self.next_core, self.next_core + cluster.cores))
        self.next_core += cluster.cores
        if grouped:
            self.open(depth, "Group", self.cpus_of(cores), nodes, 'kind="0" subkind="0" ')
        self.memory(depth + grouped, cluster.nodes, self.cpus_of(cores))
        step = cluster.cores_per_l3 or len(cores)
        for first in range(0, len(cores), step):
            sharing = cores[first:first + step]
            if cluster.cores_per_l3:
                self.open(depth + grouped, "L3Cache", self.cpus_of(sharing), nodes,
                          f'cache_size="{self.machine.l3_kib << 10}" depth="3" cache_linesize="64" '
                          'cache_associativity="16" cache_type="0" ')
            self.cores(depth + grouped + bool(cluster.cores_per_l3), sharing, nodes)
            if cluster.cores_per_l3:
                self.close(depth + grouped)
        if grouped:
            self.close(depth)

    def packages(self, all_nodes):
        machine = self.machine
        everywhere = [node.os for node in machine.machine_nodes]
        for number, clusters in enumerate(machine.packages):
            near = machine.package_nodes[number] if machine.package_nodes else []
            count = sum(cluster.cores for cluster in clusters)
            cpus = self.cpus_of(range(self.next_core, self.next_core + count))
            here = everywhere + [node.os for node in near]
            inside = here + [node.os for cluster in clusters for node in cluster.nodes]
            self.open(2, "Package", cpus, inside, f'os_index="{number}" ')
            self.lines.append(f'      <info name="CPUModel" value="{machine.model}"/>')
            self.memory(3, near, cpus)
            for cluster in clusters:
                self.cluster(3, cluster, here + [node.os for node in cluster.nodes], len(clusters) > 1)
            for device in machine.devices:
                if device.package == number:
                    self.device(3, device)
            self.close(2)
        assert sorted(self.node_ids) == all_nodes, "NUMA nodes are numbered from 0, each once"

    def device(self, depth, device):
        domain, bus = device.bus.split(":")[:2]
        indent = "  " * depth
        self.last_id += 2
        self.lines += [f'{indent}<object type="Bridge" gp_index="{self.last_id - 1}" bridge_type="0-1" depth="0" '
                       f'bridge_pci="{domain}:[{bus}-{bus}]">',
                       f'{indent}  <object type="PCIDev" gp_index="{self.last_id}" pci_busid="{device.bus}" '
                       f'pci_type="0302 [{device.numbers}] [0000:0000] a1" pci_link_speed="0.000000">',
                       f'{indent}    <info name="PCIDevice" value="{device.name}"/>',
                       f'{indent}  </object>', f'{indent}</object>']

    def attributes(self):
        """What firmware tells: only what the nearest CPUs see, as Linux shows it."""
        for name, flags, value_of in (("Bandwidth", HIGHER_IS_BETTER_FOR_INITIATOR, lambda node: node.bandwidth),
                                      ("Latency", LOWER_IS_BETTER_FOR_INITIATOR, lambda node: node.latency)):
            told = [(node, cpus) for _, (node, cpus) in sorted(self.node_cpus.items()) if value_of(node)]
            if not told:
                continue
            self.lines.append(f'  <memattr name="{name}" flags="{flags}">')
            for node, cpus in told:
                self.lines.append(f'    <memattr_value target_obj_type="NUMANode" target_obj_gp_index="'
                                  f'{self.node_ids[node.os]}" value="{value_of(node)}" '
                                  f'initiator_cpuset="{bitmap(cpus)}"/>')
            self.lines.append("  </memattr>")

    def distances(self, nodes):
        if len(nodes) == 1 or not self.machine.distances:
            return
        values = " ".join(str(self.machine.distances[one, other]) for one in nodes for other in nodes) + " "
        indexes = " ".join(map(str, nodes)) + " "
        self.lines += [f'  <distances2 type="NUMANode" nbobjs="{len(nodes)}" kind="{KIND_OF_DISTANCES}" '
                       'name="NUMALatency" indexing="os">',
                       f'    <indexes length="{len(indexes)}">{indexes}</indexes>',
                       f'    <u64values length="{len(values)}">{values}</u64values>', "  </distances2>"]


def document(machine):
    """The whole file's text."""
    nodes = sorted(node.os for group in ([machine.machine_nodes], machine.package_nodes,
                                         [cluster.nodes for package in machine.packages for cluster in package])
                   for some in group for node in some)
    writer = Writer(machine)
    cpus = writer.cpus_of(range(writer.cores_in_all))
    allowed = f'os_index="0" allowed_cpuset="{bitmap(cpus)}" allowed_nodeset="{bitmap(nodes)}" '
    writer.open(1, "Machine", cpus, nodes, allowed)
    writer.lines.append('    <info name="Backend" value="Described"/>')
    writer.memory(2, machine.machine_nodes, cpus)
    writer.packages(nodes)
    writer.close(1)
    for what in ("pu", "numa", "numa_memory"):
        writer.lines.append(f'  <support name="discovery.{what}"/>')
    writer.distances(nodes)
    writer.attributes()
    head = ['<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
            '<topology version="2.0">']
    return "\n".join(head + writer.lines + ["</topology>", ""])
