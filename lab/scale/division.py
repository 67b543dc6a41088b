"""With and without division by nodes, on one fabric: the page's section, and what is found."""
from lab.frame import charts
from lab.frame.charts import in_bytes
from lab.frame.page import kind_mark, paragraph, section
from lab.scale.questions import BY_NODES, FARTHEST_FIRST
from lab.scale.told import SWEPT, in_time, library_ranges, short, swept_ranks

OPERATIONS = ("barrier", *[operation for operation in SWEPT if operation != "alltoall"])
CANDIDATES = tuple(FARTHEST_FIRST.values())


def sides(one, operation, size, ranks):
    """(algorithm, seconds) of the quickest that is not divided by nodes, and of the quickest that is, candidates apart."""
    times = {name: seconds for name, seconds in one.times(operation, size, ranks).items()
             if name not in CANDIDATES and one.is_in_library(name)}
    divided = {name: seconds for name, seconds in times.items() if BY_NODES in name}
    plain = {name: seconds for name, seconds in times.items() if BY_NODES not in name}
    return tuple((best, each[best]) if (best := min(each, key=each.get, default=None)) else None for each in (plain, divided))


def compared(one, operation, ranks):
    """[(size, plain, divided)] of sizes that have both."""
    found = [(size, *sides(one, operation, size, ranks)) for size in one.sizes(operation, ranks)]
    return [each for each in found if all(side is not None for side in each[1:])]


def stretches(pairs):
    """Where division by nodes is quicker: "to 4 KiB", "from 64 KiB on", "8 KiB to 1 MiB"; of no or all sizes, said so."""
    quicker = [size for size, plain, divided in pairs if divided[1] < plain[1]]
    if not quicker or len(quicker) == len(pairs):
        return "at all sizes" if quicker else "at none"
    sizes = [size for size, *_ in pairs]
    whole = sizes[sizes.index(quicker[0]):sizes.index(quicker[-1]) + 1] == quicker
    words = f"{in_bytes(quicker[0])} to {in_bytes(quicker[-1])}"
    return words if whole else f"at {len(quicker)} of {len(sizes)} sizes, {words}"


def ratio_of(pairs):
    """Time without division over time with it: the least and the most, each with its size."""
    ratios = [(plain[1] / divided[1], size) for size, plain, divided in pairs]
    return min(ratios), max(ratios)


def nearest_first(one, ranks):
    """Of each algorithm by halving: (name, times as quick with the nearest partner first, least and most, each with its size)."""
    told = []
    for name, far in FARTHEST_FIRST.items():
        ratios = [(times[far] / times[name], size) for size in one.sizes("allreduce", ranks) if size >= 65536
                  and name in (times := one.times("allreduce", size, ranks)) and far in times]
        if ratios:
            told.append((name, min(ratios), max(ratios)))
    return told


def with_size(ratio):
    return f"{ratio[0]:.2f}{f' at {in_bytes(ratio[1])}' if ratio[1] else ''}"


def section_of(one):
    rows, near = [], []
    for operation in OPERATIONS:
        for ranks in swept_ranks(one, operation) or sorted({count for of, _, _, count in one.all_points() if of == operation})[-3:]:
            pairs = compared(one, operation, ranks)
            if not pairs:
                continue
            least, most = ratio_of(pairs)
            where = stretches(pairs) if len(pairs) > 1 else f"{'yes' if least[0] > 1 else 'no'}, {in_time(pairs[0][2][1])}"
            rows.append([operation, ranks, where, with_size(least), with_size(most), library_ranges(one, operation, ranks)])
    for ranks in swept_ranks(one, "allreduce"):
        near += [[short(name), ranks, with_size(least), with_size(most)] for name, least, most in nearest_first(one, ranks)]
    return section(f"With and without division by nodes: {one.words}",
                   f"<p>{kind_mark('simulated')} {kind_mark('modelled')}</p>", paragraph(
        f"{one.per_node} ranks a node. The quickest of the library's algorithms by messages of all ranks against the quickest of those "
        "divided by nodes, whose steps within a node go through its memory (docs/decisions/cluster-model.md)."),
        charts.table(["operation", "ranks#", "divided is quicker", "undivided over divided, least#", "most#", "Baton's rows"], rows,
                     stacked=True),
        paragraph("Halving with the nearest partner first, as the library does it, instead of the farthest, from 64 KiB on; above 1 it is quicker:"),
        charts.table(["algorithm", "ranks#", "farthest first over nearest first, least#", "most#"], near, stacked=True))
