"""The verdict: sentences chosen by the data, with numbers from it."""
from lab.scatter import live, source
from lab.scatter.findings import READINGS, figure5, holds, matches, named, percent


def of_replay(replay):
    cycles = {order: replay[order]["cycles"] for order in ("rank", "status")}
    if cycles == source.REPLAY_CYCLES:
        return (f"In the model the source's example comes out exactly: {cycles['rank']} cycles in rank order, "
                f"{cycles['status']} in status order.")
    return (f"The source's example does not come out in the model: {cycles['rank']} and {cycles['status']} cycles "
            f"instead of {source.REPLAY_CYCLES['rank']} and {source.REPLAY_CYCLES['status']}.")


SHORT = {"fell_because_nothing_is_waited_for": "nobody is waited for any more",
         "fell_because_all_are_idle": "nobody is busy",
         "fell_because_shares_are_rounded": "shares are rounded to whole nodes"}


def of_trends(trends):
    where = [words for key, words in SHORT.items() if any(trend[key] for trend in trends)]
    if not where and all(holds(trend) for trend in trends):
        return "it grows with nodes, idle share and size as the source says"
    if all(holds(trend) for trend in trends):
        return f"it grows with nodes, idle share and size as the source says except where {' or '.join(where)}"
    return "it grows with nodes, idle share and size only in part, at some points for no reason that we know"


def of_sweep(sweep):
    reading = figure5(sweep)
    lead, other = READINGS
    ours, others = (percent(reading[name]["nodes"][source.BEST_NODES]) for name in (lead, other))
    kept = {name: all(matches(reading[name]).values()) for name in READINGS}
    said = (f"Where {READINGS[lead]}, the best improvement at {source.BEST_NODES} nodes is {ours} % beside the source's "
            f"{source.BEST_PERCENT} %, and {'it grows' if kept[lead] else 'it does not grow'} with nodes and with what is in flight, "
            "as the source says.")
    rest = f" Where {READINGS[other]}, it is {others} %, but {'it grows, too' if kept[other] else 'does not grow with both'}."
    return f"{said}{rest} Point by point {of_trends(sweep['trends'])}."


def of_inverse(found):
    near = found["nearest"][0]["gain_percent"]
    exact = "none gives" if not found["found"] else f"{found['found']} give"
    return (f"Of {found['settings']} settings of messages, earlier transfers, busy nodes, headers and look-ups {exact} exactly "
            f"{found['wanted_percent']} %; the nearest gives {near:.2f} %.")


def of_beyond(beyond):
    free = named(beyond["scale"]["lines"], "base")["best"]
    read = named(beyond["scale"]["lines"], "look-up 1 a node")["best"]
    lost = next((best["nodes"] for best in read if best["gain_mean"] < 0.01), None)
    mesh = [line for line in beyond["roots"]["lines"] if line["gain_mean"] < 0]
    first = (f"While looking costs nothing the best improvement is still {percent(free[-1]['gain_mean'])} % at "
             f"{free[-1]['nodes']} nodes"
             if free[-1]["gain_mean"] > 0.01 else f"At {free[-1]['nodes']} nodes nothing is left of it")
    cost = f"; a cycle a node for looking takes it all from {lost} nodes on" if lost else ""
    worse = f", and some scatters at once get slower ({', '.join(line['name'] for line in mesh)})" if mesh else ""
    return first + cost + worse + "."


def of_live(rows):
    blocking = max(rows, key=lambda row: row["idle_over_blocking"])
    gains = [row["idle_over_rank"] - 1 for row in rows]
    clear = [sum(1 for row in rows if row["idle_over_rank_interval"][end] * sign > sign) for end, sign in ((0, 1), (1, -1))]
    beside = (f"gains {percent(min(gains))} to {percent(max(gains))} % in the median of {rows[0]['rounds']} rounds: clearly more "
              f"in {clear[0]} and clearly less in {clear[1]} of {len(rows)} cases (95 % intervals)")
    return (f"On real ranks status order gains up to {percent(blocking['idle_over_blocking'] - 1)} % over blocking rank "
            f"order ({blocking['ranks']} ranks, {blocking['operation']} of {blocking['block']} B); beside nonblocking rank "
            f"order, in which the root waits for nobody either, it {beside}.")


def verdict_of(done):
    makers = {"replay": of_replay, "sweep": of_sweep, "inverse": of_inverse, "beyond": of_beyond}
    said = [make(done[name].data) for name, make in makers.items() if done[name].data is not None]
    failed = [name for name in makers if done[name].data is None]
    if failed:
        said.append(f"Without data for {', '.join(failed)} the question is open." if not said else
                    f"There are no data for {', '.join(failed)}.")
    rows, why = live.rows_of(done), live.why_not(done)
    if rows:
        said.append(of_live(rows))
    elif not failed:
        said[-1] += f" All of this is simulated; on real ranks it is {why.replace(':', ', since', 1)}."
    return said
