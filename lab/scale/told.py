"""Findings and verdict: sentences chosen by the data, with numbers from it."""
from lab.frame.charts import in_bytes
from lab.frame.findings import Finding
from lab.scale import questions
from lab.scale.found import AGREED
from lab.scale.questions import FLOWS, KIB, SHARES

SOURCE = "scale"
SWEPT = ("broadcast", "reduce", "allreduce", "allgather", "alltoall")


def in_time(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def short(name):
    """An algorithm without its operation."""
    return name.split("_", 1)[1].replace("_", " ")


def ranges(hand_overs):
    """"doubling to 2 KiB, ring from 8 KiB"."""
    parts = [f"{short(name)} from {in_bytes(size)}" if at else short(name) for at, (size, name) in enumerate(hand_overs)]
    return ", ".join(parts)


def library_ranges(one, operation, ranks):
    rows = one.selections.get((operation, ranks), [])
    scale = ranks if operation == "alltoall" else 1
    parts = [f"{short(row['algorithm'])} from {in_bytes(-(-row['bytes_from'] // scale))}" if at else short(row["algorithm"])
             for at, row in enumerate(rows)]
    return ", ".join(parts) or "-"


def swept_ranks(one, operation):
    """Those of which many sizes were tried."""
    counts = {ranks for of, _, _, ranks in one.all_points() if of == operation}
    return sorted(ranks for ranks in counts if len(one.sizes(operation, ranks)) > 3)


def worst_apart(one):
    told = one.apart()
    name = max(told, key=lambda each: abs(told[each][1]), default=None)
    return (name, told[name][1]) if name else None


def of_agreement(one):
    worst = worst_apart(one)
    if not worst:
        return []
    return [Finding(SOURCE, f"{one.words}: shares against flows, the most of {sum(count for count, _ in one.apart().values())} points",
                    None, f"{100 * worst[1]:+.1f} % ({worst[0]})", "modelled", met=abs(worst[1]) <= AGREED,
                    note=f"within {AGREED:.0%} they count as the same")]


def of_hand_overs(one):
    found = []
    for operation in SWEPT:
        for ranks in swept_ranks(one, operation)[-2:]:
            worst = one.regret(operation, ranks)
            note = f"Baton takes {library_ranges(one, operation, ranks)}"
            if worst:
                note += f"; that is at most {worst[0]:.1f} times as slow, at {in_bytes(worst[1])}"
            kinds = {one.best_known(point).kind for point in one.all_points() if point[0] == operation and point[3] == ranks}
            found.append(Finding(SOURCE, f"{one.words}: quickest {operation} of {ranks} ranks, by bytes"
                                         f"{' of a block' if operation == 'alltoall' else ''}", None,
                                 ranges(one.hand_overs(operation, ranks)), "simulated" if kinds == {"simulated"} else "modelled",
                                 note=note))
    return found


def largest_startup(one):
    counts = [ranks for _, ranks in one.startups]
    if not counts:
        return None
    ranks = max(counts)
    return one.startups.get((SHARES, ranks)) or one.startups[FLOWS, ranks]


def of_startup(one):
    answer = largest_startup(one)
    if not answer:
        return []
    return [Finding(SOURCE, f"{one.words}: start of {answer['ranks']} ranks, each then connects to 32", None,
                    in_time(answer["seconds"] + answer["connect_few"]), answer["kind"],
                    note=f"{in_time(answer['start'])} to start processes, {in_time(answer['exchange'])} for records; to connect "
                         f"to all would take {in_time(answer['connect_all'])} more")]


def of_memory(one):
    if len(one.memories) < 2:
        return []
    least, most = (one.memories[pick(one.memories)] for pick in (min, max))
    return [Finding(SOURCE, f"{one.words}: memory of a rank that talks to its node and 32 others, {least['ranks']} and {most['ranks']} "
                            "ranks", None, f"{least['bytes_of_rank'] / KIB:.0f} and {most['bytes_of_rank'] / KIB:.0f} KiB", "modelled",
                    note="without staging, at most 4 MiB more; of this, assumed for a network link that is not built: "
                         f"{sum(part['bytes'] for part in most['parts'].values() if part['assumed']) / KIB:.0f} KiB")]


def scatter_gain(one):
    """At the largest: (ranks, bytes, idle ranks' mean by status as part of that by rank, last rank's likewise, blocking's)."""
    keys = [(ranks, size) for by, ranks, size, _ in one.scatters if by == FLOWS]
    if not keys:
        return None
    ranks, size = max(keys)
    status, rank, blocking = (one.scatters[FLOWS, ranks, size, order] for order in ("status", "rank", "blocking"))
    return (ranks, size, status["mean_idle"] / rank["mean_idle"], status["seconds"] / rank["seconds"],
            blocking["seconds"] / rank["seconds"])


def of_scatter(one):
    gain = scatter_gain(one)
    if not gain:
        return []
    ranks, size, idle, last, blocking = gain
    return [Finding(SOURCE, f"{one.words}: scatter of {in_bytes(size)} to {ranks} nodes, half of them busy, by status instead of rank",
                    None, f"idle ranks have theirs after {idle:.2f} times as long, the last after {last:.2f}", "simulated",
                    note=f"blocking by rank, the scatter study's order: {blocking:.2f}")]


def findings_of(all_found):
    return [finding for one in all_found for part in (of_agreement, of_hand_overs, of_startup, of_memory, of_scatter)
            for finding in part(one)]


def verdict_of(all_found):
    if not all_found:
        return ["Nothing was simulated."]
    sentences = []
    regrets = [(*worst, one, operation, ranks) for one in all_found for operation in SWEPT
               for ranks in swept_ranks(one, operation) if (worst := one.regret(operation, ranks))]
    if regrets:
        factor, size, one, operation, ranks = max(regrets, key=lambda each: each[0])
        times = one.times(operation, size, ranks)
        best = min(times, key=times.get)
        sentences.append(f"Baton's own choice between nodes costs most where it is farthest from the quickest: {factor:.1f} times as "
                         f"long, {operation} of {in_bytes(size)} on {ranks} ranks ({one.words}), where {short(best)} is quickest.")
        good = sum(each[0] <= 1.1 for each in regrets)
        sentences.append(f"Of {len(regrets)} sweeps over sizes its rows stay within 10 % of the quickest in {good}.")
    for one in all_found:
        answer = largest_startup(one)
        if answer:
            sentences.append(f"{one.words}: {answer['ranks']} ranks start in {in_time(answer['seconds'] + answer['connect_few'])} where "
                             f"each connects only to whom it talks to; connecting to all adds {in_time(answer['connect_all'])}.")
    worst = [(one, *apart) for one in all_found if (apart := worst_apart(one))]
    if worst:
        one, name, off = max(worst, key=lambda each: abs(each[2]))
        sentences.append(f"Shares and flows are at most {abs(off):.1%} apart where both ran ({name}, {one.words}).")
    sentences.append("Most numbers of the fabrics are guesses or ranges: what counts is which algorithm leads and where, not how "
                     "many microseconds.")
    return sentences
