"""A comparison as one HTML page that opens from disk: time by size beside peers and bare loops, and ratios."""
import sys
from html import escape

import peers
import ratios
import report
import sizes

sys.path.insert(0, peers.ROOT)
from lab.frame.charts import curves, in_bytes, table  # noqa: E402
from lab.frame.page import document, paragraph, read_style, section  # noqa: E402

COLORS = ("main", "cold", "wait", "other")
DRAWN_MOST = 6  # ratios beyond it, or below its inverse, are drawn there


def bounds(comparison, cells):
    """The bare loops of a series: {loop: {bytes: µs}}."""
    found = {}
    for size, cell in cells.items():
        for name in report.limit_names(cell):
            if comparison.limit_values.get(name):
                found.setdefault(name.split("/")[0], {})[size] = ratios.median(comparison.limit_values[name])
    return found


def within(values):
    return {size: min(max(value, 1 / DRAWN_MOST), DRAWN_MOST) for size, value in values.items()}


def drawn(comparison, title, cells, marks):
    names = [library.name for library in comparison.libraries]
    titles = {library.name: library.title for library in comparison.libraries}
    lines = {name: report.medians(comparison, cells, name) for name in names}
    loops = bounds(comparison, cells)
    times = [(titles[name], COLORS[at % len(COLORS)], lines[name]) for at, name in enumerate(names)]
    times += [(f"bare loop: {name}", "bound", values) for name, values in loops.items()]
    unit = report.UNITS.get(title.split("/")[0], "µs")
    out = curves(f"{title}: time", times, unit, marks)
    first = names[0]
    over = []
    for at, name in enumerate(names[1:], 1):
        paired = {size: ratios.paired(comparison.values[cell].get(first, []), comparison.values[cell].get(name, []))
                  for size, cell in cells.items()}
        over.append((f"{titles[first]} / {titles[name]}", COLORS[at % len(COLORS)],
                     within({size: ratios.median(values) for size, values in paired.items() if values})))
    over += [(f"{titles[first]} / {name}", "bound", within({size: lines[first][size] / value for size, value in
                                                            values.items() if size in lines[first] and value}))
             for name, values in loops.items()]
    return out + (curves(f"{title}: ratio, below 1 is ahead", over, "", marks, level=1.0) if over else "")


def behind_table(comparison, subject, titles):
    found = report.summary(comparison, subject)
    lines = [(cell, f"{found['cells'][cell]['ratio']:.2f}",
              f"{found['cells'][cell]['low']:.2f} to {found['cells'][cell]['high']:.2f}",
              titles[found["cells"][cell]["peer"]],
              ", ".join(f"{ratio:.2f} x {name}" for name, ratio in found["cells"][cell]["limits"].items()))
             for cell in found["behind"]]
    mean = f"Geometric mean of all cells: {found['mean']:.3f}. " if found["mean"] else ""
    words = f"{mean}Behind is a cell whose whole 95 % interval of the paired ratio lies above 1: {len(lines) or 'none'}."
    return paragraph(words) + (table(["cell", "ratio#", "95 %#", "best peer", "beside bare loops"], lines) if lines else "")


def valleys_table(comparison, name):
    found = report.valleys(comparison, name)
    words = "Sizes that take over 5 % longer than a longer message of the same kind: "
    lines = [(title, in_bytes(size), f"{took:.3g}", in_bytes(longer), f"{its:.3g}") for title, size, took, longer, its in found]
    return paragraph(words + (f"{len(lines)}." if lines else "none.")) + (
        table(["series", "size#", "µs#", "longer size#", "its µs#"], lines) if lines else "")


def write(path, comparison, absent, machine, build):
    titles = {library.name: library.title for library in comparison.libraries}
    first = comparison.libraries[0].name
    marks = sorted(sizes.thresholds(build).items()) if first == "baton" else []
    where = f"{machine['cpu']}, {machine['cpus']} usable CPUs, Linux {machine['kernel']}; {comparison.rounds} rounds, " \
            "libraries interleaved within each; medians."
    out = paragraph(" ".join(f"{name} takes no part: {reason}." for name, reason in absent.items())) if absent else ""
    body = "".join([
        '<p class="over">./dev bench</p>', f"<h1>{escape(titles[first])} beside the others, by size</h1>", paragraph(where),
        out, section("Behind", behind_table(comparison, first, titles)),
        section("Valleys", valleys_table(comparison, first)),
        *(section(title, drawn(comparison, title, cells, marks)) for title, cells in report.series_of(comparison.values).items()
          if len(cells) > 1)])
    with open(path, "w", encoding="utf-8") as file:
        file.write(document("./dev bench", body, read_style("style.css")))
