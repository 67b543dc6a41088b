"""What a comparison found: cell by cell beside the best peer and the machine's own limits, then in sum."""
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


def compared(comparison, cell, subject, rivals):
    """One cell of one library against the best of the others and against the limits."""
    columns = comparison.values[cell]
    values = columns.get(subject, [])
    found = {"value": ratios.median(ratios.present(values)) if ratios.present(values) else None, "limits": {}}
    for name in limit_names(cell):
        against = ratios.paired(values, comparison.limit_values.get(name, []))
        if against:
            found["limits"]["plain loop" if name.endswith(" plain") else name.split("/")[0]] = ratios.median(against)
    rival = ratios.best(columns, rivals)
    pairs = ratios.paired(values, columns[rival]) if rival else []
    if pairs:
        low, high = ratios.interval(pairs)
        found.update(peer=rival, peer_value=ratios.median(ratios.present(columns[rival])),
                     ratio=ratios.median(pairs), low=low, high=high, behind=low > 1.0)
    return found


def summary(comparison, subject):
    """All that is said of one library: its cells, the mean of each group of cells, where it is behind."""
    rivals = [library.name for library in comparison.libraries if library.name not in (subject, "baton")]
    cells = {cell: compared(comparison, cell, subject, rivals) for cell in comparison.values}
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


def medians(comparison, cells, name):
    values = {size: ratios.present(comparison.values[cell].get(name, [])) for size, cell in cells.items()}
    return {size: ratios.median(column) for size, column in values.items() if column}


def valleys(comparison, name):
    """Sizes at which a message takes longer than a longer one: (series, bytes, µs, longer bytes, their µs)."""
    found = []
    for title, cells in series_of(comparison.values).items():
        times = medians(comparison, cells, name)
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


def cell_line(cell, found, title, titles):
    if found["value"] is None:
        return f"{cell:<32} {title} gave no value"
    limits = ", ".join(f"{ratio:.2f} x {name} ({1 / ratio:.0%})" for name, ratio in found["limits"].items())
    limits = f"; {limits}" if limits else ""
    unit = UNITS.get(ratios.group_of(cell), "µs")
    if "ratio" not in found:
        return f"{cell:<32} {found['value']:.4g} {unit}, no peer to compare with{limits}"
    drawn = f" {bar(found['ratio'])}" if sys.stdout.isatty() else ""
    return (f"{cell:<32}{drawn} {found['ratio']:7.3f} [{found['low']:.3f}, {found['high']:.3f}] of "
            f"{titles[found['peer']]} ({found['peer_value']:.4g} {unit}){limits}{'  behind' if found['behind'] else ''}")


def print_summary(comparison, subject, titles):
    found = summary(comparison, subject)
    print(f"\n{titles[subject]} / the best of {', '.join(titles[r] for r in found['rivals']) or 'nobody'}: "
          f"median [95 % interval] of the paired ratio over {comparison.rounds} rounds, lower is better")
    if any(its["limits"] for its in found["cells"].values()):
        print(f"after it, e.g. 2.00 x copy (50%): {titles[subject]} in units of this machine's bare loop of that name (see "
              "bench/limits.c), and the loop's time as a share of it")
    many = len(found["cells"]) > CELLS_SHOWN
    for cell, its in found["cells"].items():
        if not many:
            print(cell_line(cell, its, titles[subject], titles))
    if many:
        print(f"{len(found['cells'])} cells: on the page, and in the file of --json")
    if found["means"]:
        print("\ngeometric means of ratios")
        for group, its in found["means"].items():
            print(f"{group:<32} {its['mean']:7.3f} of {its['cells']}")
        print(f"{'all':<32} {found['mean']:7.3f} of {sum(its['cells'] for its in found['means'].values())}")
    print(f"\nbehind (the whole interval above 1): {'nowhere' if not found['behind'] else ''}")
    for cell in found["behind"]:
        its = found["cells"][cell]
        print(f"{cell:<32} {its['ratio']:7.3f} [{its['low']:.3f}, {its['high']:.3f}] of {titles[its['peer']]}")
    for title, size, took, longer, its in valleys(comparison, subject):
        print(f"valley: {title}/{size} takes {took:.4g} µs, {longer} bytes {its:.4g}")


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


def show(comparison, absent, machine):
    titles = {library.name: library.title for library in comparison.libraries}
    print(f"\nmachine: {machine['cpu']}, {machine['cpus']} usable CPUs, Linux {machine['kernel']}")
    print(f"for single copy: CMA {machine['cma']}, XPMEM {machine['xpmem']}, KNEM {machine['knem']}")
    for library in comparison.libraries:
        seen = f"; seen at 1 MiB: {library.single_copy_seen}" if library.single_copy_seen else ""
        print(f"{library.title}: {library.how}; single copy: {library.single_copy}{seen}")
    for name, reason in absent.items():
        print(f"{name} takes no part: {reason}")
    for subject in subjects(comparison):
        print_summary(comparison, subject, titles)
    for line in failure_lines(comparison, titles):
        print(line)
    for (metric, ranks), reason in comparison.left_out.items():
        print(f"{metric} np={ranks} was left out: {reason}")


def write_json(path, comparison, absent, machine):
    data = {
        "machine": machine,
        "method": {"rounds": comparison.rounds, "milliseconds": comparison.options.milliseconds,
                   "libraries": {lib.name: {"how": lib.how, "single_copy": lib.single_copy,
                                            "single_copy_seen": lib.single_copy_seen}
                                 for lib in comparison.libraries}, "absent": absent},
        "units": {**UNITS, "others": "µs"},
        "cells": comparison.values,
        "limits": comparison.limit_values,
        "summary": {subject: summary(comparison, subject) for subject in subjects(comparison)},
        "failures": [{"library": name, "metric": metric, "ranks": ranks, "times": count, "reason": reason}
                     for (name, metric, ranks), (count, reason) in comparison.failures.items()],
        "left_out": [{"metric": metric, "ranks": ranks, "reason": reason}
                     for (metric, ranks), reason in comparison.left_out.items()],
    }
    with open(path, "w") as file:
        json.dump(data, file, indent=1)
