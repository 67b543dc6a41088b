"""A comparison as one HTML page that opens from disk: time by size beside peers and bare loops, and ratios, for each
distance of CPUs in curves of its own.
"""
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


def bounds(column, cells):
    """The bare loops of a series: {loop: {bytes: µs}}."""
    found = {}
    for size, cell in cells.items():
        for name in report.limit_names(cell):
            values = ratios.present(column.limit_values.get(name, []))
            if values:
                found.setdefault(name.split("/")[0], {})[size] = ratios.median(values)
    return found


def within(values):
    return {size: min(max(value, 1 / DRAWN_MOST), DRAWN_MOST) for size, value in values.items()}


def drawn(column, title, cells, marks):
    names = [library.name for library in column.libraries]
    titles = {library.name: library.title for library in column.libraries}
    lines = {name: report.medians(column, cells, name) for name in names}
    loops = bounds(column, cells)
    times = [(titles[name], COLORS[at % len(COLORS)], lines[name]) for at, name in enumerate(names)]
    times += [(f"bare loop: {name}", "bound", values) for name, values in loops.items()]
    unit = report.UNITS.get(title.split("/")[0], "µs")
    out = curves(f"{title}, {column.distance}: time", times, unit, marks)
    first = names[0]
    over = []
    for at, name in enumerate(names[1:], 1):
        paired = {size: ratios.paired(column.values[cell].get(first, []), column.values[cell].get(name, []))
                  for size, cell in cells.items()}
        over.append((f"{titles[first]} / {titles[name]}", COLORS[at % len(COLORS)],
                     within({size: ratios.median(values) for size, values in paired.items() if values})))
    over += [(f"{titles[first]} / {name}", "bound", within({size: lines[first][size] / value for size, value in
                                                            values.items() if size in lines[first] and value}))
             for name, values in loops.items()]
    return out + (curves(f"{title}, {column.distance}: ratio, below 1 is ahead", over, "", marks, level=1.0) if over else "")


def behind_table(column, subject, titles):
    found = report.summary(column, subject)
    lines = [(cell, f"{found['cells'][cell]['ratio']:.2f}",
              f"{found['cells'][cell]['low']:.2f} to {found['cells'][cell]['high']:.2f}",
              titles[found["cells"][cell]["peer"]], str(found["cells"][cell]["pairs"]),
              ", ".join(f"{ratio:.2f} x {name}" for name, ratio in found["cells"][cell]["limits"].items()),
              report.bound_words(found["cells"][cell]))
             for cell in found["behind"]]
    mean = f"Geometric mean of all cells: {found['mean']:.3f}. " if found["mean"] else ""
    words = f"{column.distance}, {report.counted(column.rounds, 'round')}. {mean}Behind is a cell whose whole 95 % interval of the paired ratio " \
            f"lies above 1: {len(lines) or 'none'}."
    heads = ["cell", "ratio#", "95 %#", "best peer", "pairs#", "beside bare loops", "their times"]
    return paragraph(words) + (table(heads, lines) if lines else "")


def valleys_table(columns, name):
    lines = [(title, column.distance, in_bytes(size), f"{took:.3g}", in_bytes(longer), f"{its:.3g}") for column in columns
             for title, size, took, longer, its in report.valleys(column, name)]
    words = "Sizes that take over 5 % longer than a longer message of the same kind: "
    return paragraph(words + (f"{len(lines)}." if lines else "none.")) + (
        table(["series", "distance", "size#", "µs#", "longer size#", "its µs#"], lines) if lines else "")


def series_of_all(columns):
    """{series: [(column, {bytes: cell})]}, of those that have two sizes at the distance of a column."""
    found = {}
    for column in columns:
        for title, cells in report.series_of(column.values).items():
            if len(cells) > 1:
                found.setdefault(title, []).append((column, cells))
    return found


def opening(comparison, absent, machine):
    words = f"{machine['cpu']}, {machine['cpus']} usable CPUs, Linux {machine['kernel']}; {machine['date']}; " \
            f"{comparison.rounds} rounds, libraries interleaved within each; medians."
    distances = "Distance of the CPUs: " + "; ".join(report.distance_lines(comparison)) + "."
    missing = " ".join(f"{name} takes no part: {reason}." for name, reason in absent.items())
    return "".join(paragraph(its) for its in (words, distances, missing) if its)


def write(path, comparison, absent, machine, build):
    titles = {library.name: library.title for library in comparison.libraries}
    first = comparison.libraries[0].name
    marks = sorted(sizes.thresholds(build).items()) if first == "baton" else []
    columns = comparison.in_order()
    body = "".join([
        '<p class="over">./dev bench</p>', f"<h1>{escape(titles[first])} beside the others, by size</h1>",
        opening(comparison, absent, machine),
        section("Behind", *(behind_table(column, first, titles) for column in columns)),
        section("Valleys", valleys_table(columns, first)),
        *(section(title, *(drawn(column, title, cells, marks) for column, cells in its))
          for title, its in series_of_all(columns).items())])
    with open(path, "w", encoding="utf-8") as file:
        file.write(document("./dev bench", body, read_style("style.css")))
