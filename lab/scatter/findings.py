"""The source's findings beside ours, each taken from what a step found."""
from lab.frame.findings import Finding
from lab.scatter import live, source

FORMULA = "rank order / status order - 1"


def finding(what, paper, ours, kind="simulated", unit="", note="", met=None):
    return Finding(source.NAME, what, paper, ours, kind, unit, note, met)


def percent(share):
    return round(100 * share, 2)


def named(lines, name):
    return next((line for line in lines if line["name"] == name), None)


def point(best):
    return (f"messages of {best['message']} B after {best['earlier']} B, {best['idle_share'] * 100:.0f} % idle: "
            f"{best['cycles_rank']} and {best['cycles_status']} cycles")


def example(replay):
    return [finding(f"example of {source.REPLAY_NODES} nodes, {order} order", source.REPLAY_CYCLES[order],
                    replay[order]["cycles"], unit="cycles", note=replay["inferred"] if order == "rank" else
                    "the order is the source's: P7 to P31, then P5, P6, P3, P4, P1, P2",
                    met=replay[order]["cycles"] == source.REPLAY_CYCLES[order]) for order in ("rank", "status")]


# How figure 5 may be read: the sweep's name of it, and what it says of busy nodes. The first one leads.
READINGS = {"six busy": "six nodes are busy, as in the source's example", "base": "any share of the nodes is busy"}
LEAD = next(iter(READINGS))
FIGURE5 = {"best": "nodes", "best_by_earlier": "earlier"}


def figure5(sweep):
    """Reading -> axis -> value on it -> best improvement."""
    return {name: {axis: {best[axis]: best["gain_most"] for best in named(sweep["sensitivity"], name)[key]}
                   for key, axis in FIGURE5.items()} for name in READINGS}


def grows(values):
    """Along an axis, and never falls on the way."""
    values = [values[at] for at in sorted(values)]
    return values[-1] > values[0] and all(later >= earlier - 1e-9 for earlier, later in zip(values, values[1:]))


def matches(reading):
    """Which of the source's tendencies a reading of figure 5 has."""
    return {"more nodes gain more": grows(reading["nodes"]), "small transfers in flight gain less": grows(reading["earlier"])}


def best_gains(sweep):
    found = []
    for name, words in READINGS.items():
        for best in named(sweep["sensitivity"], name)["best"]:
            paper = source.BEST_PERCENT if best["nodes"] == source.BEST_NODES else None
            found.append(finding(f"figure 5, {words}: best improvement at {best['nodes']} nodes ({FORMULA})", paper,
                                 percent(best["gain_most"]), unit="%", note=point(best),
                                 met=percent(best["gain_most"]) == paper if paper and name == LEAD else None))
    other = named(sweep["sensitivity"], "the other formula")
    found.append(finding("the last as 1 - status order / rank order", source.BEST_PERCENT,
                         percent(other["best_at_32"]), unit="%", note="the source does not give its formula"))
    return found


def inverse(found):
    near = found["nearest"][0]
    return [finding(f"a setting that gives {found['wanted_percent']} % at {found['nodes']} nodes", source.BEST_PERCENT,
                    f"{found['found'] or 'none'} of {found['settings']}",
                    note=f"nearest: {near['gain_percent']:.2f} % (messages of {near['message']} B after {near['earlier']} B, "
                         f"{near['busy']} nodes busy, header of {near['header']} cycles)")]


AXES = {"nodes": "more nodes gain more", "idle_share": "more idle nodes gain more",
        "message": "small messages gain less"}
REASONS = {"fell_because_nothing_is_waited_for": "nothing is waited for any more and only the collective gets longer",
           "fell_because_all_are_idle": "all nodes are idle and there is nothing to gain",
           "fell_because_shares_are_rounded": "shares are rounded to whole nodes",
           "fell_otherwise": "none of these reasons holds"}


def why_it_fell(trend):
    reasons = [f"{trend[key]} because {words}" if key != "fell_otherwise" else f"{trend[key]} where {words}"
               for key, words in REASONS.items() if trend[key]]
    return "; ".join(reasons)


def holds(trend):
    """Whether the trend holds wherever somebody is still waited for."""
    return trend["fell_otherwise"] == 0


def trends(sweep):
    found = []
    for trend in sweep["trends"]:
        ours = f"grows at {trend['grew']}, the same at {trend['same']}, falls at {trend['fell']} of all steps"
        note = f"falls: {why_it_fell(trend)}" if trend["fell"] else "without exception"
        found.append(finding(AXES[trend["axis"]], AXES[trend["axis"]], ours, note=note, met=holds(trend)))
    return found


def gather_spread(sweep):
    """How far gains of gather lie from those of scatter at the same point, at most."""
    pairs = zip(sweep["rows"], sweep["rows_gather"])
    return max(abs(one["gain_mean"] - other["gain_mean"]) for one, other in pairs)


def gather(sweep):
    spread = gather_spread(sweep)
    ours = ("the same gain at every point" if spread == 0 else
            f"gains differ by at most {percent(spread)} points")
    cost = named(sweep["sensitivity"], "gather, all 1")
    at = next(best for best in cost["best"] if best["nodes"] == source.BEST_NODES)
    return [finding("gather", "behaves proportionally", ours, note="without overhead; with one cycle for each of "
                    f"arbitration, header, look-up and hand-shake its best is {percent(at['gain_mean'])} %", met=spread == 0)]


def beyond_findings(beyond):
    largest = named(beyond["scale"]["lines"], "base")["best"][-1]
    read = named(beyond["scale"]["lines"], "look-up 1 a node")["best"][-1]
    mesh = named(beyond["topology"]["lines"], "mesh, rank order waits for all")["means"][-1]
    wrong = named(beyond["status"]["lines"], "5 % wrong")
    right = named(beyond["status"]["lines"], "0 % wrong")
    roots = beyond["roots"]["lines"]
    least = min(roots, key=lambda line: line["gain_mean"])
    at = next(size for size in beyond["hardware"]["by_nodes"] if size["nodes"] == source.BEST_NODES)
    lines, tree = at["designs"][0], at["designs"][-1]
    return [
        finding(f"best improvement at {largest['nodes']} nodes", None, percent(largest["gain_mean"]), unit="%",
                note=f"with a look-up of a cycle a node {percent(read['gain_mean'])} %"),
        finding(f"mean improvement on a mesh of {mesh['nodes']:.0f} nodes", None, percent(mesh["gain_mean"]), unit="%",
                note="earlier transfers hold the links, of which the status says nothing"),
        finding("mean improvement when 5 % of the status is wrong", None, percent(wrong["gain_mean"]), unit="%",
                note=f"with a right status {percent(right['gain_mean'])} %"),
        finding(f"least mean improvement with several scatters at once ({least['name']})", None,
                percent(least["gain_mean"]), unit="%", note=f"of {len(roots)} combinations of roots and topology"),
        finding(f"status in hardware at {at['nodes']} nodes, idle lines only", "left to later work",
                f"{lines['bits']} bits, {lines['wires']} wires", "modelled",
                note=f"gains {percent(lines['simulated']['gain'])} %; a tree of comparators has {tree['bits']} bits and "
                     f"gains {percent(tree['simulated']['gain'])} %"),
    ]


def live_findings(done):
    why = live.why_not(done)
    if why:
        return [finding("on real ranks", None, None, "measured", note=why)]
    found = []
    for ranks in live.RANKS:
        rows = [row for row in live.rows_of(done) if row["ranks"] == ranks]
        if not rows:
            found += [finding(f"{ranks} real ranks", None, None, "measured", note=done[live.name_of(ranks)].problem)]
            continue
        best, worst = max(rows, key=lambda row: row["idle_over_blocking"]), min(rows, key=lambda row: row["idle_over_rank"])
        top = max(rows, key=lambda row: row["idle_over_rank"])
        found += [
            finding(f"best improvement over blocking rank order, {ranks} real ranks",
                    None, percent(best["idle_over_blocking"] - 1), "measured", "%", f"{where(best)}; median of rounds"),
            finding(f"improvement over nonblocking rank order, {ranks} real ranks", None,
                    f"{percent(worst['idle_over_rank'] - 1)} % to {percent(top['idle_over_rank'] - 1)} %", "measured",
                    note=f"least: {where(worst)}; most: {where(top)}; medians of rounds; rank order differed from "
                         f"itself by up to {percent(live.noise(rows))} %")]
    return found


def where(row):
    return f"{row['operation']} of {row['block']} B"


def without(name, done):
    return [finding(f"all that needs the step {name}", None, None, note=done.problem)]


def findings_of(done):
    found = []
    for name, makers in (("replay", (example,)), ("sweep", (best_gains, trends, gather)),
                         ("inverse", (inverse,)), ("beyond", (beyond_findings,))):
        if done[name].data is None:
            found += without(name, done[name])
        else:
            found += [each for make in makers for each in make(done[name].data)]
    return found + live_findings(done)
