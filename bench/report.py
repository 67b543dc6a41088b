"""What a comparison found: cell by cell beside the best peer and the machine's own limits, then in sum; all of it for
each distance of CPUs on its own (see columns.py).
"""
import json
import sys

import ratios
from sizes import IN_ONE_LINE, base_of

UNITS = {"memory": "KiB", "finding/memory": "KiB", "overlap": "x", "overlap/peer": "x", "overlap/sender": "x",
         "instructions": "instructions"}
CELLS_SHOWN = 100        # each on a line of its own; more are only drawn
BOTH_COPY = 64 << 10     # from here on a message may be worth the work of both sides
THROUGH_BUFFER = 2 << 10  # from here on it may go through a buffer of shared memory
BUFFER_LOOPS = {"lat": "through", "bw": "stream", "bibw": "exchange"}  # the bare loops that do
# Those that reach into the memory of a process that sleeps, of the metrics that do it by MPI.
REACH_LOOPS = {"put": ("put-copy", "put-cma"), "get": ("get-copy", "get-cma"), "accumulate": ("sum",),
               "put_rate": ("put-copy",), "get_rate": ("get-copy",)}
WITH_LOOPS = ("lat", "bw", "bibw", "types", "atomics", *REACH_LOOPS)


def size_of(cell):
    return int(cell.split()[0].rsplit("/", 1)[1])


def limit_names(cell):
    """The bare loops (see limits.c) that do the work of a cell and nothing else."""
    metric, _, rest = cell.partition("/")
    metric = base_of(metric)
    if metric in REACH_LOOPS:  # after the kind of window
        return [f"{loop}/{rest.partition('/')[2]}" for loop in REACH_LOOPS[metric]]
    if metric == "atomics":
        return ["add-idle", "add-shared"]
    if metric == "reduce_local":
        return [f"{cell} plain"]
    if cell.startswith("types/vector512/"):
        return [cell.replace("types/vector512/", "copy512/")]
    if metric == "lat" and size_of(cell) <= IN_ONE_LINE:
        return ["line"]
    names = ["copy/" + rest] if metric == "lat" else []
    if metric in BUFFER_LOOPS and size_of(cell) >= THROUGH_BUFFER:
        names.append(f"{BUFFER_LOOPS[metric]}/{rest}")
    # A window's messages are written and read while others are copied: a cold one has no such limit.
    if metric == "lat" or (metric == "bw" and rest.startswith("warm/")):
        names += [f"{loop}/{rest}" for loop in ("both", "both-cma") if size_of(cell) >= BOTH_COPY]
    return names


def limit_plan(metrics, sizes_of):
    """{bare loop: sizes} for the cells of some metrics."""
    plan = {}
    for metric in metrics:
        for size in sizes_of(metric):
            kind = {"types": "vector512/", **dict.fromkeys(REACH_LOOPS, "allocated/")}.get(metric, "")
            for name in limit_names(f"{metric}/{kind}warm/{size}") if base_of(metric) in WITH_LOOPS else ():
                plan.setdefault(name.split("/")[0], set()).add(size)
    return {loop: sorted(sizes) for loop, sizes in plan.items()}


def compared(column, cell, subject, rivals):
    """One cell of one library against the best of the others and against the limits."""
    of_cell = column.values[cell]
    values = of_cell.get(subject, [])
    found = {"value": ratios.median(ratios.present(values)) if ratios.present(values) else None, "limits": {}, "bounds": {}}
    for name in limit_names(cell):
        loop, its = "plain loop" if name.endswith(" plain") else name.split("/")[0], column.limit_values.get(name, [])
        against = ratios.paired(values, its)
        if against:
            found["limits"][loop] = ratios.median(against)
        if ratios.present(its):
            found["bounds"][loop] = ratios.median(ratios.present(its))
    rival = ratios.best(of_cell, [name for name in rivals if ratios.paired(values, of_cell.get(name, []))])
    if rival:
        pairs = ratios.paired(values, of_cell[rival])
        low, high = ratios.interval(pairs)
        found.update(peer=rival, peer_value=ratios.median(ratios.present(of_cell[rival])), pairs=len(pairs),
                     ratio=ratios.median(pairs), low=low, high=high, behind=low > 1.0)
    return found


def summary(column, subject):
    """All that is said of one library: its cells, the mean of each group of cells, where it is behind."""
    rivals = [library.name for library in column.libraries if library.name not in (subject, "baton")]
    cells = {cell: compared(column, cell, subject, rivals) for cell in column.values}
    with_ratio = {cell: found["ratio"] for cell, found in cells.items() if "ratio" in found}
    behind = sorted((cell for cell in with_ratio if cells[cell]["behind"]), key=with_ratio.get, reverse=True)
    means = {group: {"mean": mean, "cells": count} for group, (mean, count) in ratios.grouped_means(with_ratio).items()}
    return {"rivals": rivals, "cells": cells, "means": means, "behind": behind,
            "mean": ratios.geometric_mean(with_ratio.values()) if with_ratio else None}


def series_of(cells):
    """{(metric, variant and ranks): {bytes: cell}} of the cells that have a size."""
    series = {}
    for cell in cells:
        head, _, rest = cell.partition(" ")
        path = head.split("/")
        if len(path) > 1 and path[-1].isdigit():
            series.setdefault("/".join(path[:-1]) + (f" {rest}" if rest else ""), {})[int(path[-1])] = cell
    return series


def medians(column, cells, name):
    values = {size: ratios.present(column.values[cell].get(name, [])) for size, cell in cells.items()}
    return {size: ratios.median(its) for size, its in values.items() if its}


def valleys(column, name):
    """Sizes at which a message takes longer than a longer one: (series, bytes, µs, longer bytes, their µs)."""
    found = []
    for title, cells in series_of(column.values).items():
        times = medians(column, cells, name)
        for size in sorted(times):
            longer = [other for other in times if other > size]
            best = min(longer, key=times.get, default=None)
            if best and times[best] * 1.05 < times[size]:
                found.append((title, size, times[size], best, times[best]))
    return found


def bar(ratio):
    """A ratio as a length: the mark stands at 1."""
    length = max(0, min(30, round(ratio * 15)))
    return ("#" * min(length, 15)).ljust(15) + "|" + "#" * (length - 15)


def counted(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def limit_words(found, alone):
    """All bare loops of a cell; beside other columns only the quickest, the bound."""
    limits = sorted(found["limits"].items(), key=lambda item: item[1])
    words = ", ".join(f"{ratio:.2f} x {name} ({1 / ratio:.0%})" for name, ratio in (limits if alone else limits[-1:]))
    return f"; {words}" if words else ""


def cell_words(cell, found, titles, rounds=0, alone=True):
    """A cell at one distance. Pairs are counted where they are fewer than the rounds of that distance."""
    if found["value"] is None:
        return "no value"
    limits, unit = limit_words(found, alone), UNITS.get(ratios.group_of(cell), "µs")
    if "ratio" not in found:
        return f"{found['value']:.4g} {unit}, no peer to compare with{limits}"
    drawn = f"{bar(found['ratio'])} " if alone and sys.stdout.isatty() else ""
    few = f", {counted(found['pairs'], 'pair')}" if found["pairs"] < rounds else ""
    return (f"{drawn}{found['ratio']:7.3f} [{found['low']:.3f}, {found['high']:.3f}] of {titles[found['peer']]} "
            f"({found['peer_value']:.4g} {unit}{few}){limits}{'  behind' if found['behind'] else ''}")


def side_by_side(rows):
    """Lines of a table: rows are a name and a text for each distance."""
    widths = [max(map(len, texts)) for texts in zip(*(texts for _, texts in rows))]
    return [f"{name:<32} " + " | ".join(text.ljust(width) for text, width in zip(texts, widths)).rstrip() for name, texts in rows]


def rows_of(columns, founds, titles):
    """A head, and each cell that was measured at any distance."""
    rows = [("", [f"{column.distance} ({counted(column.rounds, 'round')})" for column in columns])]
    for cell in dict.fromkeys(cell for found in founds for cell in found["cells"]):
        rows.append((cell, [cell_words(cell, found["cells"][cell], titles, column.rounds, len(columns) == 1)
                            if cell in found["cells"] else "not measured" for column, found in zip(columns, founds)]))
    return rows


def mean_rows(columns, founds):
    def words(its):
        return f"{its['mean']:7.3f} of {its['cells']}" if its else "none"
    rows = [("", [column.distance for column in columns])]
    for group in dict.fromkeys(group for found in founds for group in found["means"]):
        rows.append((group, [words(found["means"].get(group)) for found in founds]))
    alls = [{"mean": found["mean"], "cells": sum(its["cells"] for its in found["means"].values())} for found in founds]
    return [*rows, ("all", [words(its if its["cells"] else None) for its in alls])]


def bound_words(found):
    """The bare loops of a cell, at the distance of its values."""
    return ", ".join(f"bare loop {name} {took:.4g} µs" for name, took in found["bounds"].items())


def behind_lines(column, found, titles):
    for cell in found["behind"]:
        its = found["cells"][cell]
        bound = f"; it takes {its['value']:.4g} µs, {bound_words(its)}" if its["bounds"] else ""
        yield (f"{cell:<32} {column.distance}: {its['ratio']:7.3f} [{its['low']:.3f}, {its['high']:.3f}] of "
               f"{titles[its['peer']]}{bound}")


def print_summary(columns, subject, titles):
    founds = [summary(column, subject) for column in columns]
    rivals = ", ".join(titles[name] for name in founds[0]["rivals"]) or "nobody"
    print(f"\n{titles[subject]} / the best of {rivals}: median [95 % interval] of the paired ratio at each distance of the "
          "CPUs, lower is better")
    if any(its["limits"] for found in founds for its in found["cells"].values()):
        print(f"after it, e.g. 2.00 x copy (50%): {titles[subject]} in units of this machine's bare loop of that name (see "
              "bench/limits.c), and the loop's time as a share of it")
    rows = rows_of(columns, founds, titles)
    many = len(rows) > CELLS_SHOWN
    print("\n".join(side_by_side(rows[:1] if many else rows)))
    if many:
        print(f"{len(rows) - 1} cells: on the page, and in the file of --json")
    if any(found["means"] for found in founds):
        print("\ngeometric means of ratios\n" + "\n".join(side_by_side(mean_rows(columns, founds))))
    behind = [line for column, found in zip(columns, founds) for line in behind_lines(column, found, titles)]
    print("\n".join([f"\nbehind (the whole interval above 1): {'' if behind else 'nowhere'}", *behind]))
    for column in columns:
        for title, size, took, longer, its in valleys(column, subject):
            print(f"valley: {title}/{size} takes {took:.4g} µs, {longer} bytes {its:.4g} ({column.distance})")


def subjects(comparison):
    """Baton, or without it each peer against the others."""
    names = [library.name for library in comparison.libraries]
    return ["baton"] if "baton" in names else names


def failure_lines(comparison, titles):
    """What failed for the same reason in one line: a library may lack a chapter that many metrics need."""
    found = {}
    for (name, metric, ranks), (count, reason) in comparison.failures.items():
        found.setdefault((name, count, reason), []).append(f"{metric} np={ranks}")
    return [f"{titles[name]} failed {count} times at {', '.join(its)}: {reason}" for (name, count, reason), its in found.items()]


def distance_lines(comparison):
    """What was seen of the CPUs' distance, and what became of runs during which it changed."""
    rounds = {column.distance: column.rounds for column in comparison.in_order()}
    watch = comparison.watch
    for name, (least, middle, most) in watch.seen().items():
        yield (f"{name}: a cache line took {middle:.0f} ns one way ({least:.0f} to {most:.0f}), "
               f"values of {counted(rounds.get(name, 0), 'round')}")
    pairs = sorted({watch.usual, *watch.pairs.values()} - {None})
    yield f"looked at between CPUs {', '.join(f'{a} and {b}' for a, b in pairs)}" if pairs and watch.probe else \
        "nobody looked at the distance of CPUs"
    if watch.repeated or comparison.dropped:
        yield (f"the distance changed: {watch.repeated} of {watch.runs} runs were repetitions, values of "
               f"{sum(comparison.dropped.values())} runs were dropped")
    for (who, what), count in comparison.dropped.items():
        yield f"{who}: {count} dropped at {what}"


def show(comparison, absent, machine):
    titles = {library.name: library.title for library in comparison.libraries}
    print(f"\nmachine: {machine['cpu']}, {machine['cpus']} usable CPUs, Linux {machine['kernel']}; {machine['date']}")
    print("\n".join(distance_lines(comparison)))
    print(f"for single copy: CMA {machine['cma']}, XPMEM {machine['xpmem']}, KNEM {machine['knem']}")
    for library in comparison.libraries:
        seen = f"; seen at 1 MiB: {library.single_copy_seen}" if library.single_copy_seen else ""
        print(f"{library.title}: {library.how}; single copy: {library.single_copy}{seen}")
    for name, reason in absent.items():
        print(f"{name} takes no part: {reason}")
    columns = comparison.in_order()
    for subject in subjects(comparison) if columns else ():
        print_summary(columns, subject, titles)
    for line in failure_lines(comparison, titles):
        print(line)
    for (metric, ranks), reason in comparison.left_out.items():
        print(f"{metric} np={ranks} was left out: {reason}")


def distances_of(comparison):
    """{distance: rounds, times of a cache line, all values and what follows from them}."""
    seen = comparison.watch.seen()
    return {column.distance: {
        "rounds": column.rounds,
        "nanoseconds": dict(zip(("least", "median", "most"), seen.get(column.distance, ()))),
        "cells": column.values,
        "limits": column.limit_values,
        "summary": {subject: summary(column, subject) for subject in subjects(comparison)},
    } for column in comparison.in_order()}


def write_json(path, comparison, absent, machine):
    watch = comparison.watch
    data = {
        "machine": machine,
        "method": {"rounds": comparison.rounds, "milliseconds": comparison.options.milliseconds,
                   "libraries": {lib.name: {"how": lib.how, "single_copy": lib.single_copy,
                                            "single_copy_seen": lib.single_copy_seen}
                                 for lib in comparison.libraries}, "absent": absent},
        "units": {**UNITS, "others": "µs"},
        "distances": distances_of(comparison),
        "runs": {"all": watch.runs, "repetitions": watch.repeated,
                 "dropped": [{"who": who, "what": what, "times": count} for (who, what), count in comparison.dropped.items()]},
        "failures": [{"library": name, "metric": metric, "ranks": ranks, "times": count, "reason": reason}
                     for (name, metric, ranks), (count, reason) in comparison.failures.items()],
        "left_out": [{"metric": metric, "ranks": ranks, "reason": reason}
                     for (metric, ranks), reason in comparison.left_out.items()],
    }
    with open(path, "w") as file:
        json.dump(data, file, indent=1)
