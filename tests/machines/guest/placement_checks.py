"""That memory lies where the policy said: every page of every slice, of MPI_Alloc_mem and of the whole process, asked
of the kernel page by page. The table says what is expected; the rest is what a table cannot say.
"""
import os
import re
from collections import Counter
from dataclasses import dataclass, field

import hardware
from check import Skip, check, demand
from jobs import MIB, places
from sysfs import node_kib


def largest_node():
    """They are made equally large, but the kernel keeps some of the first for itself."""
    return max((node.number for node in hardware.NODES), key=lambda number: node_kib(number, "MemTotal"))


# What a policy means for a rank on a socket: the nodes its pages may lie on.
MEANING = {
    "near": lambda socket: {hardware.NEAR[socket]},
    "hbm": lambda socket: {hardware.FAST[socket]},
    "large": lambda socket: {largest_node()},
    "remote": lambda socket: {hardware.NEAR[1 - socket]},
    "anywhere": lambda socket: {node.number for node in hardware.NODES},
    **{f"node {node.number}": lambda socket, number=node.number: {number} for node in hardware.NODES},
}


@dataclass(frozen=True)
class Case:
    policy: str
    queues: str
    heap: str
    plain: str = "near"       # what the program itself allocates
    anonymous: str = "anywhere"
    ranks: int = hardware.CPUS
    options: tuple = ()
    environment: dict = field(default_factory=dict)


CASES = (
    Case("queues=hbm,heap=hbm", queues="hbm", heap="hbm"),
    Case("queues=hbm!,heap=hbm!", queues="hbm", heap="hbm", environment={"BATON_CMA": "1"}),
    Case("queues=hbm", queues="hbm", heap="near"),
    Case("heap=hbm", queues="anywhere", heap="hbm"),
    Case("queues=near!,heap=near!", queues="near", heap="near"),
    Case("queues=large,heap=large", queues="large", heap="large"),
    Case("queues=remote,heap=remote!", queues="remote", heap="remote"),
    Case("queues=node:3!,heap=node:1+0", queues="node 3", heap="node 1"),
    Case("all=hbm", queues="hbm", heap="hbm", plain="hbm", anonymous="hbm"),
    Case("all=node:2+3", queues="node 2", heap="node 2", plain="hbm", anonymous="hbm"),
    Case("all=node:2,heap=near", queues="node 2", heap="near", plain="node 2", anonymous="node 2"),
    Case("queues=hbm,heap=hbm", queues="hbm", heap="hbm", ranks=2, options=("--map-by", "package")),
    Case("heap=hbm", queues="anywhere", heap="hbm", plain="hbm", options=("--export-heap",)),
    Case("heap=node:3!", queues="anywhere", heap="node 3", plain="node 3", options=("--export-heap",)),
    Case("queues=hbm!,heap=hbm!", queues="hbm", heap="hbm", ranks=3, options=("-env", "BATON_ROOMS", "0")),
)


def demand_on(rank, what, nodes):
    """Every page of it, and at least one."""
    pages = rank.pages_of(what)
    demand(sum(pages.values()) > 0, f"rank {rank.rank} has no page of {what}")
    elsewhere = {node: count for node, count in pages.items() if node not in nodes}
    demand(not elsewhere, f"rank {rank.rank} on CPU {rank.cpus}: {sum(elsewhere.values())} of {sum(pages.values())} pages "
           f"of {what} are not on node {sorted(nodes)} but on {sorted(elsewhere)}: "
           f"{rank.slice if what == 'queues' else pages}")


PREFERRED, BIND = 1, 2  # the kernel's numbers


def demand_policy(rank, case):
    """What is strict is bound, so that no page of it can ever come elsewhere; what is not is only preferred."""
    for what in ("queues", "heap"):
        said = dict(item.split("=") for item in case.policy.split(","))
        place = said.get(what, said.get("all"))
        if place:
            expected = BIND if place.endswith("!") else PREFERRED
            demand(rank.policies[what] == expected, f"rank {rank.rank}: {what} has policy {rank.policies[what]}")


def demand_case(guest, case):
    counted = dict.fromkeys(("queues", "heap"), 0)
    for rank in places(guest, ["--memory", case.policy, *case.options], ranks=case.ranks, **case.environment).ranks:
        demand_policy(rank, case)
        for what in ("queues", "heap", "plain", "anonymous"):
            demand_on(rank, what, MEANING[getattr(case, what)](rank.socket))
        for what in counted:
            counted[what] += sum(rank.pages_of(what).values())
    return ", ".join(f"{count} pages of {what}" for what, count in counted.items())


def add_case(case):
    more = f" ({' '.join(case.options)})" if case.options else ""
    said = f"queues {case.queues}, heap {case.heap}" + (f", all else {case.plain}" if case.plain != "near" else "")
    check(f"{case.ranks} ranks with --memory {case.policy}{more}: every page where it should be: {said}")(
        lambda guest: demand_case(guest, case))


def demand_shares(whose, what, pages, shares):
    """Pages on each node in these proportions, to a tenth of all; none elsewhere."""
    total, parts = sum(pages.values()), sum(shares.values())
    demand(total > 0, f"{whose}: no page of {what}")
    for node in {*pages, *shares}:
        expected = total * shares.get(node, 0) / parts
        demand(abs(pages.get(node, 0) - expected) <= (total / 10 if node in shares else 0),
               f"{whose}: {pages} pages of {what}, in proportions of {shares} wanted")


def demand_job_shares(job, shares, memory):
    """Of the queues of all ranks together: a rank whose messages all went by single copy has touched its rings alone, and
    of a ring of two pages only the first, so that its few pages may well lie on one node. Of `memory` rank by rank.
    """
    queues = sum((Counter(rank.pages_of("queues")) for rank in job.ranks), Counter())
    demand_shares("all ranks", "queues", queues, shares)
    for rank in job.ranks:
        for what in memory:
            demand_shares(f"rank {rank.rank}", what, rank.pages_of(what), shares)


@check("interleave deals pages out to both sockets' memory in equal shares, and leaves the fast nodes out")
def interleaved(guest):
    job = places(guest, ["--memory", "all=interleave"], heap=4 * MIB, plain=4 * MIB)
    demand_job_shares(job, {0: 1, 1: 1}, ("heap", "plain"))


@check("interleave goes by the system's weights where the kernel has them")
def interleaved_by_weights(guest):
    folder = "/sys/kernel/mm/mempolicy/weighted_interleave"
    if not os.path.isdir(folder):
        raise Skip("this kernel has no weighted interleaving (Linux 6.9)")
    weights = {node.number: 1 if node.cpus else 3 for node in hardware.NODES}
    try:
        for node, weight in weights.items():
            with open(f"{folder}/node{node}", "w") as file:
                file.write(str(weight))
        job = places(guest, ["--memory", "heap=interleave,queues=interleave"], heap=8 * MIB)
    finally:
        for node in weights:
            with open(f"{folder}/node{node}", "w") as file:
                file.write("1")
    demand_job_shares(job, weights, ("heap",))
    return f"heap of rank 0: {job.ranks[0].heap}"


@check("the info key baton_memory places one allocation, whatever the job's policy is")
def info_places(guest):
    for rank in places(guest, ["--memory", "heap=near"], program=("--info", "baton_memory=hbm!")).ranks:
        demand_on(rank, "heap", MEANING["hbm"](rank.socket))


@check("where placed memory was freed, memory without a place goes where the kernel puts it")
def place_is_forgotten(guest):
    for rank in places(guest, [], program=("--info", "baton_memory=node:3!", "--again")).ranks:
        demand_on(rank, "heap", MEANING["near"](rank.socket))


@check("huge pages of the heap lie where the heap is placed")
def huge_pages(guest):
    job = places(guest, ["--memory", "heap=hbm!,huge"], heap=4 * MIB, plain=MIB)
    for rank in job.ranks:
        demand_on(rank, "heap", MEANING["hbm"](rank.socket))
    if "no huge pages" in job.stderr:
        raise Skip(job.stderr.strip())


def reported(job, rank, what):
    """A rank's row of the report: a cell a node, and the sum."""
    row = re.search(rf"^ +{rank} +{what} +(.*)$", job.stderr, re.M)
    demand(row, f"the report has no row for {what} of rank {rank}:\n{job.stderr}")
    return re.split(r" {2,}", row.group(1).strip())


@check("--memory-report tells what the kernel tells the checker")
def report_is_true(guest):
    job = places(guest, ["--memory", "queues=hbm!,heap=hbm!", "--memory-report"], heap=4 * MIB)
    demand("every page of queues and heap is where it was meant" in job.stderr, job.stderr)
    for rank in job.ranks:
        node = hardware.FAST[rank.socket]
        heap = reported(job, rank.rank, "heap")
        most = "- (4.0 MiB)"  # freed before the end
        expected = [most if each.number == node else "-" for each in hardware.NODES] + [most]
        demand(heap == expected, f"heap of rank {rank.rank}, which is on node {node}: {heap}\n{job.stderr}")
        queues = reported(job, rank.rank, "queues")
        demand([at for at, cell in enumerate(queues[:-1]) if cell != "-"] == [node] and queues[node] == queues[-1],
               f"queues of rank {rank.rank}, which are on node {node}: {queues}\n{job.stderr}")


@check("without a policy every page of a rank's own memory is near it")
def nothing_asked(guest):
    for rank in places(guest, []).ranks:
        demand(rank.cpus == [rank.rank], f"rank {rank.rank} is on {rank.cpus}")
        for what in ("heap", "plain"):
            demand_on(rank, what, MEANING["near"](rank.socket))


for one in CASES:
    add_case(one)
