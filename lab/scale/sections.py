"""The page's own sections: times by ranks and by size, hand-overs, orders of a scatter, start, memory, agreement, fabrics."""
from lab.frame import charts
from lab.frame.charts import in_bytes
from lab.frame.machines import parameters_section
from lab.frame.page import kind_mark, paragraph, section
from lab.scale import division, hosts_section, questions
from lab.scale.found import AGREED
from lab.scale.questions import FLOWS, KIB, SHARES
from lab.scale.told import SWEPT, in_time, library_ranges, ranges, short, swept_ranks

CLASSES = ("main", "cold", "wait", "other", "bound", "edge", "cold dashed")
BOTH = f"<p>{kind_mark('simulated')} {kind_mark('modelled')}</p>"
MODELLED = f"<p>{kind_mark('modelled')}</p>"


def boundary(operation):
    most = questions.FLOWS_ALLTOALL if operation == "alltoall" else questions.FLOWS_RANKS
    return most, "simulated to here, then modelled"


def lines_of(one, operation, place_of, value_of):
    """A curve for each algorithm."""
    made = []
    for kind, name in zip(CLASSES, questions.ALGORITHMS[operation]):
        line = {place_of(point): value_of(point) for point in one.all_points() if point[0] == operation and point[1] == name
                and place_of(point) is not None}
        if line:
            made.append((short(name), kind, dict(sorted(line.items()))))
    return made


def by_ranks(one):
    figures = []
    for operation in questions.ALGORITHMS:
        tried = questions.Plan(one.per_node, 0, False).sizes(operation)
        for size in tried:
            if len(one.ranks(operation, size)) < 3:
                continue
            lines = lines_of(one, operation, lambda point: point[3] if point[2] == size else None,
                             lambda point: one.best_known(point).seconds * 1e6)
            what = f"{operation}, {in_bytes(size)}{' a block' if operation == 'alltoall' else ''}" if size else operation
            figures.append(charts.curves(f"{what}, by ranks", lines, "us", [boundary(operation)], told=str))
    return section(f"Time by ranks: {one.words}", BOTH, paragraph(
        f"{one.per_node} rank{'s' * (one.per_node > 1)} a node, each with a CPU. Ends of the curves at different numbers of ranks: "
        "what takes as many steps as there are ranks was not asked everywhere, and by flows to 256 ranks only."), *figures)


def by_size(one):
    figures, rows = [], []
    for operation in SWEPT:
        counts = swept_ranks(one, operation)
        for ranks in counts:
            worst = one.regret(operation, ranks)
            rows.append([operation, ranks, ranges(one.hand_overs(operation, ranks)), library_ranges(one, operation, ranks),
                         f"{worst[0]:.2f} at {in_bytes(worst[1])}" if worst else "-"])
        if counts:
            ranks = counts[-1]
            best = {size: min(one.times(operation, size, ranks).values()) for size in one.sizes(operation, ranks)}
            lines = lines_of(one, operation, lambda point: point[2] if point[3] == ranks and point[2] else None,
                             lambda point: one.best_known(point).seconds / best[point[2]])
            figures.append(charts.curves(f"{operation} of {ranks} ranks: times as long as the quickest", lines, "", level=1))
    return section(f"Where each algorithm hands over: {one.words}", BOTH, *figures, charts.table(
        ["operation", "ranks#", "quickest, of the sizes tried", "Baton's rows", "at most so many times as slow#"], rows, stacked=True),
        paragraph("Sizes are those of one rank, of an alltoall of one block. Where two are within 3 % the one before stays. Of "
                  "the quickest ones only those that Baton's rows name are in the library between nodes today.", "soft"))


def orders(all_found):
    rows = []
    for one in all_found:
        for (by, ranks, size, order), answer in one.scatters.items():
            if by == FLOWS:
                rows.append([one.words, ranks, in_bytes(size), order, in_time(answer["seconds"]), in_time(answer["mean"]),
                             in_time(answer["mean_idle"])])
    return section("A scatter while half of the nodes are busy", f"<p>{kind_mark('simulated')}</p>", paragraph(
        "One rank a node; a busy one still receives, on average, what its link carries in "
        f"{in_time(questions.BUSY_BYTES_OF_LINK)}. By rank: all are begun at once. By status: 8 at a time, idle ones first, chosen "
        "by the library's own next_served. Blocking: one after the other by rank. That the root knows the channels of other "
        "nodes is assumed: the status board is one node's."),
        charts.table(["fabric", "ranks#", "block#", "order", "last#", "mean#", "mean of idle ones#"], rows, stacked=True))


def start(all_found):
    figures, rows = [], []
    for one in all_found:
        best = {ranks: one.startups.get((FLOWS, ranks)) or one.startups[SHARES, ranks] for _, ranks in one.startups}
        if not best:
            continue
        parts = (("and connect to 32", lambda each: each["seconds"] + each["connect_few"]),
                 ("and connect to all", lambda each: each["seconds"] + each["connect_all"]),
                 ("processes are started", lambda each: each["start"]), ("records are exchanged", lambda each: each["exchange"]))
        figures.append(charts.curves(f"{one.words}: start, by ranks", [
            (name, kind, {ranks: 1e3 * value(best[ranks]) for ranks in sorted(best)}) for kind, (name, value) in zip(CLASSES, parts)],
            "ms", told=str))
        for ranks in sorted(best):
            each = best[ranks]
            rows.append([one.words, ranks, ("markup", kind_mark(each["kind"])), *map(in_time, (
                each["start"], each["exchange"], each["connect_few"], each["connect_all"]))])
    return section("Start: one record of each rank, through a tree of managers", BOTH, *figures, charts.table(
        ["fabric", "ranks#", "", "processes#", "records#", "connect to 32#", "connect to all#"], rows, stacked=True), paragraph(
            "A manager a node, 32 children each. Records go up and, all of them, down. Starting processes and connecting are "
            "closed form.", "soft"))


def memory(all_found):
    one = next((each for each in all_found if each.memories and each.per_node > 1), None)
    if one is None:
        return section("Memory of a rank", paragraph("Nothing was found.", "problem"))
    counts = sorted(one.memories)
    names = list(one.memories[counts[0]]["parts"])
    about = one.memories[counts[-1]]["parts"]
    rows = [[name + (", at most; not in the sum" if about[name]["at_most"] else ""),
             "assumed" if about[name]["assumed"] else "of the library",
             *[f"{one.memories[ranks]['parts'][name]['bytes'] / KIB:.1f}" for ranks in counts]] for name in names]
    rows.append(["all", "", *[f"{one.memories[ranks]['bytes_of_rank'] / KIB:.0f}" for ranks in counts]])
    figure = charts.curves("KiB of a rank", [("all", "main", {ranks: one.memories[ranks]["bytes_of_rank"] / KIB for ranks in counts}), (
        "addresses of all processes", "cold", {ranks: one.memories[ranks]["parts"]["addresses of all processes"]["bytes"] / KIB
                                               for ranks in counts})], "KiB", told=str)
    return section("Memory of a rank", MODELLED, figure, charts.table(["", "", *[f"{ranks}#" for ranks in counts]], rows), paragraph(
        f"KiB of a rank that talks to the {one.per_node - 1} others of its node and to 32 beyond. Of the "
        "library: its layout (lockfree/job.hpp) and the size of what it keeps of a contact. Assumed: a network link is not built yet.", "soft"))


def agreement(all_found):
    rows = []
    for one in all_found:
        for name, (count, most) in one.apart().items():
            rows.append([one.words, name, count, f"{100 * most:+.2f} %", "yes" if abs(most) <= AGREED else "no"])
    return section("Flows and shares", BOTH, paragraph(
        f"Of all points that both ways were asked of, how far shares are from flows at most. Within {AGREED:.0%} they count as the same. "
        "Jobs here fill their nodes: where a last node has fewer ranks, ranks get out of step in an alltoall, and "
        "both ways then differ by up to a third. On a fat tree a sample of a pairwise alltoall (2048 ranks and more) may be too "
        "quick by as much (docs/decisions/cluster-model.md)."),
        charts.table(["fabric", "algorithm", "points#", "shares against flows#", "the same"], rows, stacked=True))


def live(done):
    step, title = done.get("live"), "Measured on other hosts"
    if step is None:
        return section(title, paragraph("Not yet: there is no live.json in this folder (its form: docs/studies/scale.md)."))
    if step.data is None:
        return section(title, paragraph(step.problem, "problem"))
    rows = [[point["operation"], point["algorithm"], in_bytes(point["bytes"]), point["ranks"], -(-point["ranks"] // point["ranks_per_node"]),
             in_time(point["seconds"]), in_time(point["model_seconds"]), ("markup", kind_mark(point["model_kind"])),
             f"{point['model_seconds'] / point['seconds']:.2f}"] for point in step.data["points"]]
    return section(title, f"<p>{kind_mark('measured')}</p>", paragraph(step.data["about"]),
                   charts.table(["operation", "algorithm", "bytes#", "ranks#", "hosts#", "measured#", "model#", "", "model / measured#"],
                                rows, stacked=True))


def sections_of(all_found, done):
    if not all_found:
        return [hosts_section.section_of(done), live(done)]
    divided = [division.section_of(one) for one in all_found if one.per_node > 1]
    return [*map(by_ranks, all_found), *map(by_size, all_found), *divided, orders(all_found), start(all_found), memory(all_found),
            agreement(all_found), hosts_section.section_of(done), live(done), *[parameters_section(one.described) for one in all_found]]
