"""The page's own sections: the example as a timeline, the surfaces, what moves the best, and what lies beyond."""
from lab.frame import charts
from lab.frame.page import kind_mark, paragraph, section
from lab.scatter import live, source, synthesis
from lab.scatter.findings import READINGS, figure5, matches, named

SIMULATED, MODELLED, MEASURED = (f"<p>{kind_mark(kind)}</p>" for kind in ("simulated", "modelled", "measured"))
ORDERS = (("rank", "rank order"), ("status", "status order"))
PHASES = {"wait": "wait", "data": "main"}


def lane(report):
    """Cells of one order: each cycle's node; waiting as one block."""
    cells, waits = [], [row["cycle"] for row in report["timeline"]["cycles"] if row["phase"] == "wait"]
    if waits:
        cells.append((waits[0], waits[-1] + 1, "waits", "wait", f"waits in cycles {waits[0]} to {waits[-1]}"))
    for row in report["timeline"]["cycles"]:
        if row["phase"] != "wait":
            label = "" if row["node"] is None else str(row["node"])
            cells.append((row["cycle"], row["cycle"] + 1, label, PHASES.get(row["phase"], "cold"),
                          f"cycle {row['cycle']}: {row['phase']}, P{label}"))
    return cells


def example(replay):
    lanes = [(f"P{channel['node']} busy", [(0, channel["idle_from"], "", "cold",
                                            f"{channel['left']} bytes left, idle from cycle {channel['idle_from']}")], 9)
             for channel in replay["rank"]["timeline"]["channels"]]
    lanes += [(name, lane(replay[order]), 22) for order, name in ORDERS]
    most = max(replay[order]["cycles"] for order, _ in ORDERS)
    return section(
        "The example, cycle by cycle", SIMULATED,
        paragraph(f"{source.REPLAY_NODES} nodes, blocks of four bytes; six nodes are still busy with an earlier transfer "
                  "(upper bars). A cell is a cycle of the bus and the node that gets its block. Rank order waits until "
                  "all are idle; status order leaves the busy ones to the end and waits for nobody."),
        charts.timeline("the example as a timeline", lanes, most))


def figure5_section(sweep):
    reading = figure5(sweep)
    rows = []
    for name, words in READINGS.items():
        axes = reading[name]
        rows.append([words, *[charts.percent(gain) for axis in ("nodes", "earlier") for _, gain in sorted(axes[axis].items())],
                     ", ".join(what for what, held in matches(axes).items() if held) or "none"])
    first = reading[next(iter(READINGS))]
    heads = ["best improvement where", *[f"{nodes} nodes#" for nodes in sorted(first["nodes"])],
             *[f"after {size} B#" for size in sorted(first["earlier"])], "has of the source's tendencies"]
    return section(
        "Figure 5 in both readings", SIMULATED,
        paragraph(f"The source's figure 5 shows the best improvement by number of nodes and, says its caption, by the size in "
                  f"flight; the text gives one of its values, {source.BEST_PERCENT} %, and does not say how many nodes are busy. "
                  f"By size at {source.BEST_NODES} nodes. Best over messages of 4 to 2048 B."),
        charts.table(heads, rows, stacked=True))


def size_name(size):
    return f"{size // 1024}k" if size >= 1024 else str(size)


def surfaces(sweep):
    grid, rows = sweep["grid"], sweep["rows"]
    at = {(row["nodes"], row["message"], row["earlier"], row["idle_share"]): row for row in rows}
    most = max(row["gain_mean"] for row in rows)
    shares = list(reversed(grid["idle_shares"]))
    maps = []
    for earlier in grid["earlier"]:
        for nodes in grid["nodes"]:
            def tell(column, row, value, nodes=nodes, earlier=earlier):
                return f"{nodes} nodes, {column} B after {earlier} B, {row} idle: {charts.percent(value)}"
            values = [[at[nodes, message, earlier, share]["gain_mean"] for message in grid["messages"]]
                      for share in shares]
            maps.append(charts.heat_map(
                f"{nodes} nodes, after {earlier} B", [size_name(message) for message in grid["messages"]],
                [f"{share * 100:.0f} %" for share in shares], values, most, "idle nodes by bytes of a message", tell))
    return section(
        "The improvement surfaces", SIMULATED,
        paragraph(f"Improvement ({sweep['gain_formula']}) over the source's sweep: more idle nodes upwards, longer "
                  "messages to the right. All maps share one scale."),
        charts.legend("0 %", f"{100 * most:.0f} %"), f'<div class="surfaces">{"".join(maps)}</div>')


def sensitivities(sweep):
    lines = [(line["name"] + (f" ({line['kind']})" if line.get("kind", "simulated") != "simulated" else ""),
              line["moved_points"], line["what"]) for line in sweep["sensitivity"] if line["name"] != "base"]
    lines.sort(key=lambda line: line[1])
    base = sweep["sensitivity"][0]
    return section(
        "What moves the best improvement", SIMULATED,
        paragraph(f"The source leaves much open. The second reading of figure 5 is the base here ({base['what']}); it is {abs(base['from_source_points']):.1f} points "
                  f"{'above' if base['from_source_points'] > 0 else 'below'} its {source.BEST_PERCENT} % at "
                  f"{source.BEST_NODES} nodes. Each bar changes one assumption and shows by how many points the best "
                  "improvement moves."),
        charts.bars("what moves the best improvement", lines, " points"))


def by_nodes(part, value):
    """A table: lines by nodes."""
    lines = part["lines"]
    nodes = [round(each["nodes"]) for each in lines[0][value]]
    return charts.table(["", *[f"{count} nodes#" for count in nodes]],
                        [[line["name"], *[charts.percent(each["gain_mean"]) for each in line[value]]]
                         for line in lines])


def sub(title, *parts):
    return f"<h3>{title}</h3>" + "".join(parts)


def percents(lines):
    return [(line["name"], 100 * line["gain_mean"], "") for line in lines]


def synthesized(done):
    """Under what the status costs on paper: two of the designs, made."""
    why = synthesis.why_not(done)
    if why:
        return paragraph(f"{why[0].upper()}{why[1:]}.", "problem")
    lines = [[size["what"], size["nodes"], size["nand"], size["inverters"], size["flip_flops"], size["gates"]]
             for size in synthesis.sizes(done)]
    return paragraph(f"Two of them synthesized by {synthesis.PROGRAM}, the choice of whom to serve next included; the designs are "
                     f"proved to do what they should. In NAND gates, a flip-flop counted as {synthesis.FLIP_FLOP_GATES} and an "
                     f"inverter as one. The author's own engine has {synthesis.PUBLISHED_GATES} ({synthesis.PUBLISHED}); what of "
                     "it is counted is not known here.") + \
        charts.table(["design", "nodes#", "NAND#", "inverters#", "flip-flops#", "NAND gates in all#"], lines, stacked=True)


def hardware(part, done):
    at = named([{**size, "name": size["nodes"]} for size in part["by_nodes"]], source.BEST_NODES)
    last = part["by_nodes"][-1]
    lines = []
    for design, late in zip(at["designs"], last["designs"]):
        lines.append([design["design"], design["bits"], design["wires"], design["comparators"], design["look_up"],
                      charts.percent(design["simulated"]["gain"]), charts.percent(late["simulated"]["gain"])])
    judged = part["judged_by"]
    return sub("What the status costs in hardware", MODELLED,
               paragraph(f"Bits, wires and cycles on paper at {at['nodes']} nodes; the gain is simulated with that look-up "
                         f"(messages of {judged['message']} B after {judged['earlier']} B, "
                         f"{judged['idle_share'] * 100:.0f} % idle). {part['formulas']['left out'].capitalize()} are "
                         "left out."),
               charts.table(["design", "bits#", "wires#", "comparators#", "look-up cycles#", "gain#",
                             f"at {last['nodes']} nodes#"], lines, stacked=True),
               synthesized(done))


def packing(beyond):
    """Why several roots gain on a ring and lose on a mesh."""
    gain = {line["topology"]: charts.percent(line["gain_mean"]) for line in beyond["packing"]["lines"]}
    roots = beyond["packing"]["lines"][0]["roots"]
    return (f"Mean improvement at 64 nodes by the number of roots. On a ring and a mesh it comes from the sequence of receivers, not from "
            f"waiting: after earlier transfers of four cycles {roots} roots gain {gain['ring']} on a ring, {gain['mesh']} on a mesh and {gain['bus']} on a "
            "bus. All roots serve the same sequence and get out of step. Probably receivers that follow one another leave most links of a ring idle, "
            "while on a mesh they keep its columns busy in turn.")


def beyond_section(beyond, done):
    roots = []
    for fabric in ("bus", "mesh", "ring"):
        lines = [line for line in beyond["roots"]["lines"] if line["topology"] == fabric]
        roots += [f"on a {fabric}", *((f"{line['roots']} at once", 100 * line["gain_mean"], "") for line in lines)]
    return section(
        "Beyond the source", SIMULATED,
        sub("More nodes", paragraph("Best improvement by number of nodes."), by_nodes(beyond["scale"], "best")),
        sub("Ring and mesh", paragraph("Mean improvement; earlier transfers hold links, of which the status says "
                                       "nothing."), by_nodes(beyond["topology"], "means")),
        sub("A wrong, old or coarse status", paragraph("Mean improvement at 32 nodes. The result is always right; what is "
                                                       "lost is time."),
            charts.bars("a wrong, old or coarse status", percents(beyond["status"]["lines"]), " %")),
        sub("Several scatters at once", paragraph(packing(beyond)),
            charts.bars("several scatters at once", roots, " %")),
        hardware(beyond["hardware"], done))


def with_interval(row, name):
    least, most = row[f"{name}_interval"]
    return f"{row[name]:.2f} ({least:.2f}-{most:.2f})"


def live_section(done):
    why = live.why_not(done)
    if why:
        return section("On real ranks", MEASURED, paragraph(f"{why[0].upper()}{why[1:]}.", "problem"))
    rows = live.rows_of(done)
    lines = [[f"{row['ranks']} ranks, {row['operation']}", size_name(row["block"]),
              *[with_interval(row, f"{time}_over_{order}") for order in ("rank", "blocking") for time in ("idle", "root", "all")],
              f"{100 * row['idle_noise']:.1f} %"]
             for row in rows]
    heads = ["", "bytes#", *[f"{order}: {time}#" for order in ("rank", "blocking") for time in ("idle", "root", "all")],
             "noise#"]
    return section(
        "On real ranks", MEASURED,
        paragraph("How many times as long another order takes as status order: rank order with nonblocking messages, and "
                  "blocking rank order, the source's. Until the last idle rank has its block (idle), the root is done "
                  f"(root), everybody is and all earlier transfers have ended (all). Medians and, in brackets, their 95 % intervals, of {rows[0]['rounds']} "
                  "rounds; each round repeats the same busy ranks in all orders. Noise: how far rank order, done "
                  "twice, differs from itself until the last idle rank has its block."),
        charts.table(heads, lines, stacked=True))


def gap(title, done):
    return section(title, paragraph(done.problem, "problem"))


def sections_of(done, quick):
    parts = []
    for name, title, makers in (("replay", "The example, cycle by cycle", (example,)),
                                ("sweep", "The improvement surfaces", (figure5_section, surfaces, sensitivities)),
                                ("beyond", "Beyond the source", (lambda beyond: beyond_section(beyond, done),))):  # the inverse search is a finding
        parts += [gap(title, done[name])] if done[name].data is None else [make(done[name].data) for make in makers]
    return [*parts, live_section(done)]
