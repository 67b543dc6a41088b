"""That memory lies where the policy said: every page of every slice, of MPI_Alloc_mem and of the whole process, asked
of the kernel page by page. The table says what is expected; the rest is what a table cannot say.
"""
import hardware
from check import check, demand
from jobs import places

# What a place means for a rank on a socket: the nodes its pages may lie on.
MEANING = {
    "near": lambda socket: {hardware.NEAR[socket]},
    "fast": lambda socket: {hardware.FAST[socket]},
    "large": lambda socket: {hardware.NEAR[socket]},  # both large ones are equally large: the near one
    "remote": lambda socket: {hardware.NEAR[1 - socket]},
    "anywhere": lambda socket: {node.number for node in hardware.NODES},
    **{f"node {node.number}": lambda socket, number=node.number: {number} for node in hardware.NODES},
}


def demand_on(rank, what, nodes):
    """Every page of it, and at least one."""
    pages = rank.pages_of(what)
    demand(sum(pages.values()) > 0, f"rank {rank.rank} has no page of {what}")
    elsewhere = {node: count for node, count in pages.items() if node not in nodes}
    demand(not elsewhere, f"rank {rank.rank} on CPU {rank.cpus}: {sum(elsewhere.values())} of {sum(pages.values())} pages "
           f"of {what} are not on node {sorted(nodes)} but on {sorted(elsewhere)}: "
           f"{rank.slice if what == 'queues' else pages}")


@check("without a policy every page of a rank's own memory is near it")
def nothing_asked(guest):
    for rank in places(guest, []).ranks:
        demand(rank.cpus == [rank.rank], f"rank {rank.rank} is on {rank.cpus}")
        for what in ("heap", "plain"):
            demand_on(rank, what, MEANING["near"](rank.socket))

