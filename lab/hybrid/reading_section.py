"""The page's sections of reading: what this machine's ranks took, and what the three ways take of nodes."""
from lab.frame import charts
from lab.frame.page import kind_mark, paragraph, section
from lab.hybrid import reading


def in_ms(values):
    middle, low, high = (round(1000 * value) for value in values)
    return middle, f"{low} to {high}"


def seconds_chart(one):
    lines = []
    for layout in one.layouts:
        lines.append(f"{layout.name}, {reading.form_of(layout)}")
        for way in reading.WAYS:
            lines.append((way, *in_ms(one.spread(layout, way, "memory"))))
    return charts.bars("time to read a model in the page cache", lines, " ms", digits=0)


def measured_table(one):
    def in_mb(layout, way, place, name):
        values = one.spread(layout, way, place, name)
        return f"{values[0]:.0f}" if values else "-"
    def time(layout, way, place):
        middle, interval = in_ms(one.spread(layout, way, place))
        return f"{middle} ({interval})"
    heads = ["layout", "", "way", "from storage, ms#", "from memory, ms#", "memory, MB#", "asked for, MB#", "from storage, MB#"]
    rows = [[layout.name, reading.form_of(layout), way, *[time(layout, way, place) for place in reading.PLACES],
             in_mb(layout, way, "storage", "memory"), in_mb(layout, way, "storage", "asked"), in_mb(layout, way, "storage", "stored")]
            for layout in one.layouts for way in reading.WAYS]
    return charts.table(heads, rows, stacked=True)


def of_this_machine(one):
    ways = "; ".join(f"{way}: {what}" for way, what in reading.WAYS.items())
    crowded = f" This machine has {one.cpus} CPUs, which the ranks share." if one.cpus < reading.CPUS else ""
    stored = "" if one.from_storage() else " Here nothing came from storage: the file system keeps the file in memory."
    return section(
        "How the seismic program reads on this machine", f"<p>{kind_mark('measured')}</p>",
        paragraph(f"A model of {one.megabytes:.1f} MB, of which each rank needs its rows only. {ways}. All three check the whole file's "
                  f"checksum. Bars: the slowest rank's time, of a file in the page cache.{crowded}"),
        seconds_chart(one),
        paragraph("From storage: no page of the file was in memory before; one page cache serves all ranks of a node, so that the file comes "
                  "from storage once in all three ways. Memory: by how much the most that each rank had in memory grew, of all ranks "
                  "together. Asked for: read by system calls of the job from all files; the page cache or the storage has to "
                  f"deliver it.{stored}"),
        measured_table(one))


def of_nodes():
    heads = ["nodes", "layout on each", "", "way", "asked for#", "by messages#", "memory#"]
    rows = [[nodes, layout.name, reading.form_of(layout), way, *[f"{parts[name]:g}" for name in ("asked", "messages", "memory")]]
            for nodes, layout, way, parts in reading.modelled()]
    return section(
        f"What reading takes of nodes with {reading.NODE_CPUS} CPUs", f"<p>{kind_mark('modelled')}</p>",
        paragraph("Computed from how the three ways work, in lengths of the file. Asked for: of its file system, by the node that asks for "
                  "the most. A file system that keeps pages on the node delivers the file once to each node even if each rank asks for it; "
                  "one that does not delivers all that is asked for. By messages: what comes to a node from others, if a broadcast goes to "
                  "each node once. Memory: that the model takes on each node."),
        charts.table(heads, rows, stacked=True))


def sections(done):
    if reading.NAME not in done:
        return []
    one = reading.measured(done)
    found = of_this_machine(one) if one else section("How the seismic program reads on this machine",
                                                     paragraph(done[reading.NAME].problem, "problem"))
    return [found, of_nodes()]
