"""What is asked of each fabric: collectives by ranks and by size, in every algorithm; scatters in three orders; start, memory
and the library's own choice. Two lists: by flows (SimGrid), and by shares, which has all points of the first again."""
from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20
FLOWS, SHARES = "flows", "shares"
FLOWS_RANKS, FLOWS_ALLTOALL = 1024, 256  # as in sim/cluster/question.hpp
ALGORITHMS = {
    "barrier": ("barrier_dissemination", "barrier_by_nodes"),
    "broadcast": ("broadcast_binomial", "broadcast_knomial", "broadcast_by_nodes", "broadcast_chain",
                  "broadcast_scatter_allgather"),
    "reduce": ("reduce_binomial", "reduce_by_nodes"),
    "allreduce": ("allreduce_doubling", "allreduce_halving", "allreduce_by_nodes", "allreduce_by_nodes_in_parts",
                  "allreduce_ring", "allreduce_halving_far", "allreduce_by_nodes_in_parts_far"),
    "allgather": ("allgather_bruck", "allgather_ring", "allgather_by_nodes"),
    "alltoall": ("alltoall_bruck", "alltoall_pairwise", "alltoall_by_nodes", "alltoall_hierarchical"),
    "scatter": ("scatter_linear", "scatter_by_nodes", "scatter_binomial"),
}
BY_NODES = "_by_nodes"  # in the name of what is divided by nodes
# The same exchanges with the farthest partner first, as they were.
FARTHEST_FIRST = {"allreduce_halving": "allreduce_halving_far", "allreduce_by_nodes_in_parts": "allreduce_by_nodes_in_parts_far"}
LONG_WAY = ("ring", "scatter_allgather", "chain")  # as many steps as ranks
ORDERS = ("rank", "status", "blocking")
BUSY, BUSY_BYTES_OF_LINK = 0.5, 0.0004  # share of nodes; what each still receives, in seconds of its link


@dataclass(frozen=True)
class Plan:
    """Which points, of a fabric with so many ranks a node and so many nodes."""
    per_node: int
    most_ranks: int
    quick: bool

    def flows_ranks(self):
        several = (32, 64) if self.quick else (16, 64, 128, 256, 512, 1024)
        return [ranks for ranks in several if ranks > self.per_node]

    def more_ranks(self):
        wanted = (1024, 100000) if self.quick else (2048, 4096, 8192, 16384, 100000)
        return [ranks for ranks in wanted if ranks <= self.most_ranks]

    def sizes(self, operation):
        """Bytes of each rank; of an alltoall of each block."""
        return {"barrier": (0,), "alltoall": (8, KIB), "allgather": (8, KIB), "scatter": (KIB, 64 * KIB)}.get(
            operation, (8, 64 * KIB, MIB))

    def swept_sizes(self, operation):
        if operation in ("alltoall", "allgather"):
            return (8, 64, 512, 4 * KIB)
        return (8, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB) if self.quick else \
            (8, 128, 512, 2 * KIB, 8 * KIB, 32 * KIB, 128 * KIB, 512 * KIB, 2 * MIB, 8 * MIB)

    def swept_ranks(self):
        """Of which sizes are swept."""
        return (64,) if self.quick else (256, 1024, 4096)


def collective(operation, algorithm, size, ranks, by):
    total = size * ranks if operation == "alltoall" else size
    return {"operation": operation, "algorithm": algorithm, "bytes": total, "ranks": ranks, "by": by}


def flows_can(operation, algorithm, ranks):
    """Messages of all steps: at most 300 000."""
    if operation == "alltoall":
        return ranks <= FLOWS_ALLTOALL
    return ranks <= FLOWS_RANKS and not (ranks > 256 and any(way in algorithm for way in LONG_WAY))


def is_worth(operation, algorithm, size, ranks, quick):
    """At the largest scale short vectors go no long way; and what takes long is asked of one size."""
    if quick and ranks > 64 and (operation == "alltoall" or any(way in algorithm for way in LONG_WAY)):
        return False
    if ranks <= 16384:
        return True
    if quick:
        return size <= 8 and (operation == "barrier" or algorithm in ("broadcast_binomial", "allreduce_by_nodes"))
    if any(way in algorithm for way in LONG_WAY):
        return size >= MIB
    return size != 64 * KIB and not (operation in ("alltoall", "allgather") and size > 8)


def points(plan, by):
    """(operation, algorithm, size, ranks), each once."""
    found = {}
    for operation, algorithms in ALGORITHMS.items():
        by_ranks = [(size, ranks) for size in plan.sizes(operation) for ranks in [*plan.flows_ranks(), *plan.more_ranks()]]
        swept = [(size, ranks) for size in plan.swept_sizes(operation) for ranks in plan.swept_ranks()
                 if operation not in ("barrier", "scatter") and ranks <= plan.most_ranks]
        for algorithm in algorithms:
            if plan.per_node == 1 and (BY_NODES in algorithm or "hierarchical" in algorithm):
                continue  # nothing is on a node
            for size, ranks in [*by_ranks, *swept]:
                if by == FLOWS and not flows_can(operation, algorithm, ranks):
                    continue
                if is_worth(operation, algorithm, size, ranks, plan.quick):
                    found[operation, algorithm, size, ranks] = None
    return list(found)


def scatter_orders(plan, link_bytes_per_second, by):
    busy = int(BUSY_BYTES_OF_LINK * link_bytes_per_second)
    counts = [32, 128] if plan.quick else [32, 128, 512]
    return [{"operation": "scatter", "order": order, "bytes": size, "ranks": ranks, "busy": BUSY, "busy_bytes": busy, "by": by}
            for ranks in counts for size in (KIB, 64 * KIB) for order in ORDERS]


def startups(plan, by):
    counts = [*plan.flows_ranks()] if by == FLOWS else [*plan.flows_ranks(), *plan.more_ranks()]
    return [{"operation": "startup", "ranks": ranks, "by": by} for ranks in counts]


def memories(plan):
    counts = [plan.per_node, *plan.flows_ranks(), *plan.more_ranks()]
    return [{"operation": "memory", "ranks": ranks, "near": plan.per_node - 1, "far": 32} for ranks in counts]


def selections(plan):
    counts = sorted({*plan.flows_ranks(), *plan.more_ranks(), *(each for each in plan.swept_ranks() if each <= plan.most_ranks)})
    return [{"operation": "selection", "of": operation, "ranks": ranks} for operation in ALGORITHMS for ranks in counts]


def all_of(plan, link_bytes_per_second, by):
    """Questions as the program takes them, in one list."""
    asked = [collective(*point, by) for point in points(plan, by)]
    asked += scatter_orders(plan, link_bytes_per_second, by) + startups(plan, by)
    return asked if by == FLOWS else asked + memories(plan) + selections(plan)
