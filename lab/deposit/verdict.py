"""The verdict: sentences chosen by the data, with numbers from it."""
from lab.deposit import live, network_live, source
from lab.deposit.findings import BASE, held, holds, in_words, tendencies
from lab.deposit.model import VARIANTS
from lab.deposit.network import PATTERNS
from lab.frame.charts import percent

MOST = 0.75  # of all cases


def listed(words):
    return "; ".join(words) if words else "none"


def of_patterns(data):
    told = source.outputs()["tendencies"]
    by = {pattern: held(data, BASE, pattern) for pattern in PATTERNS}
    counts = ", ".join(f"{pattern} {len(names)}" for pattern, names in by.items())
    never = [row["what"] for name, row in told.items() if not any(name in names for names in by.values())]
    return (f"Of {len(told)} tendencies of the source, a model of its network has by pattern of messages, which the source does not name: "
            f"{counts}. Under no pattern: {listed(never)}.")


def of_each(data):
    said = []
    for pattern in PATTERNS:
        values = tendencies(data["bandwidth"][BASE][pattern], data["raw"])
        missed = [f"{row['what']}: {in_words(name, values[name])} instead of {row['paper']}"
                  for name, row in source.outputs()["tendencies"].items() if not holds(name, values[name])]
        said.append(f"Missed by a {pattern}: {listed(missed)}.")
    return " ".join(said)


def of_assumptions(data):
    told = source.outputs()["tendencies"]
    count, label, pattern = max(((len(held(data, label, pattern)), label, pattern) for label in VARIANTS for pattern in PATTERNS),
                                key=lambda each: each[0])
    under = "" if label == BASE else f", where {label}"
    return f"Over all assumptions {'all' if count == len(told) else f'at most {count} of {len(told)}'} hold together: {pattern}{under}."


def faster(rows):
    """Of some ratios with their intervals."""
    return "faster" if all(low > 1 for _, low, _ in rows) else "slower" if all(high < 1 for _, _, high in rows) else "not clearly faster"


def of_live(done):
    why = live.why_not(done)
    if why:
        return f"On this machine: {why}."
    bandwidth = done["live"].data["bandwidth"]
    table = live.ratios(bandwidth["ping-pong, warm"])
    cells = [values for modes in bandwidth.values() for values in live.ratios(modes)["Baton over the best model"].values()]
    ahead = sum(1 for middle, *_ in cells if middle > 1) / len(cells)
    often = "nearly everywhere" if ahead > MOST else "in some cases" if ahead > 1 - MOST else "seldom"
    return (f"On this machine's shared memory efficient queues make short messages {faster([table['(2) over (1)'][size] for size in ('8', '512')])}, "
            f"and no copy on either side makes long ones (64 KiB, warm) {faster([table['(5) over the best of (2) to (4)']['65536']])} than one on "
            f"one side. Baton's own protocols are {often} ahead of the best model in the median.")


def of_network(done):
    why = network_live.why_not(done)
    if why:
        return f"Over a network: {why}."
    shares = network_live.long_shares(done)
    return (f"Over TCP on this machine MPI delivers {percent(min(shares))} to {percent(max(shares))} of the raw provider's bandwidth from 1 MiB on; "
            "the source, 94.8 % at most.")


def verdict_of(done):
    model = done["model"]
    if not model.data:
        return [f"The question is open: {model.problem}.", of_live(done), of_network(done)]
    return [of_patterns(model.data), of_each(model.data), of_assumptions(model.data), of_live(done), of_network(done)]
