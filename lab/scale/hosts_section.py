"""The page's section on hosts that are namespaces of this machine: measured beside predicted."""
from lab.frame import charts
from lab.frame.charts import in_bytes
from lab.frame.machines import parameters_section
from lab.frame.medians import spread, with_interval
from lab.frame.page import kind_mark, paragraph, section
from lab.scale import hosts_live
from lab.scale.told import short

TITLE = f"Checked against live runs over {', '.join(map(str, hosts_live.COUNTS))} hosts of this machine"
LEFT_OUT = ("What the model leaves out: a rank that waits also takes turns on a core before it gives it up, so where hosts outnumber cores "
            "a rank that could go on waits for its turn; the kernel moves packets on whichever core it likes; and parts shorter than "
            "1 MiB stay in a cache and go at more than the rate that the model is told.")
LINES = ("main", "cold", "wait")  # of each number of hosts


def curves_of(points, operation):
    """By bytes; of what has one size, by hosts."""
    own = [point for point in points if point["operation"] == operation]
    if len({point["bytes"] for point in own}) == 1:
        return charts.curves(f"{operation}, by hosts", [
            ("measured", "main", {point["hosts"]: spread(point["us"])[0] for point in own}),
            ("predicted", "main dashed", {point["hosts"]: point["model_us"] for point in own})], "us", told=str)
    lines = []
    for count, kind in zip(hosts_live.COUNTS, LINES):
        here = [point for point in own if point["hosts"] == count]
        lines += [(f"{count} hosts", kind, {point["bytes"]: spread(point["us"])[0] for point in here}),
                  (f"{count} hosts, predicted", f"{kind} dashed", {point["bytes"]: point["model_us"] for point in here})]
    return charts.curves(f"{operation}, by bytes of a {'block' if operation in ('alltoall', 'scatter') else 'rank'}", lines, "us")


def in_percent(share):
    return f"{100 * share:+.0f} %"


def by_hosts(points):
    """Sentence: how far predictions are off, by number of hosts."""
    parts = [f"{count} hosts: {100 * hosts_live.errors([point for point in points if point['hosts'] == count]):.0f} %"
             for count in hosts_live.COUNTS]
    return (f"In the median a prediction is {100 * hosts_live.errors(points):.0f} % off ({', '.join(parts)}); the farthest is "
            f"{in_percent(max(map(hosts_live.error_of, points), key=abs))}.")


def section_of(done):
    why = hosts_live.why_not(done)
    marks = f"<p>{kind_mark('measured')} {kind_mark('simulated')}</p>"
    if why:
        return section(TITLE, marks, paragraph(f"{why[0].upper()}{why[1:]}.", "problem"))
    data = done["hosts"].data
    points = data["points"]
    rows = [[point["operation"], short(point["algorithm"]), in_bytes(point["bytes"]) if point["bytes"] else "-", point["hosts"],
             with_interval(spread(point["us"])), f"{point['model_us']:.3g}", in_percent(hosts_live.error_of(point))]
            for point in points]
    operations = dict.fromkeys(point["operation"] for point in points)
    return section(TITLE, marks, paragraph(
        f"Hosts are network namespaces of this machine, one rank each, joined by a bridge: messages go by libfabric over the kernel's "
        f"TCP. There is no wire, and all hosts share {data['cores']} cores, so the network is CPU time of these cores. The model is "
        "told how many cores there are and three numbers from messages between two hosts: the CPU time of a short message, half at each "
        "side; the rate of long ones both ways, which all messages share; and that of one alone. Each call but the barrier is "
        f"followed by a barrier, in both. {data['rounds']} rounds; medians and intervals."), paragraph(by_hosts(points)), paragraph(LEFT_OUT),
        *[curves_of(points, operation) for operation in operations],
        charts.table(["operation", "algorithm", "bytes#", "hosts#", "measured, us#", "predicted, us#", "error#"], rows, stacked=True),
        parameters_section({"parameters": data["fabric"]["parameters"]}))
