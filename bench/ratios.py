"""Paired ratios and their spread. Rounds are the pairs: within one, all libraries ran side by side."""
import math
import random
import statistics


def median(values):
    return statistics.median(values)


def paired(ours, theirs):
    """Ratios of the rounds in which both gave a value."""
    return [a / b for a, b in zip(ours, theirs) if a is not None and b is not None and b > 0]


def interval(values, draws=4000, share=0.95, seed=1):
    """Bootstrap interval of the median; the seed makes a rerun of the same data print the same."""
    if len(values) < 3:
        return (min(values), max(values))
    source = random.Random(seed)
    medians = sorted(median(source.choices(values, k=len(values))) for _ in range(draws))
    cut = int(draws * (1 - share) / 2)
    return (medians[cut], medians[-1 - cut])


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def group_of(cell):
    """A cell's metric and variant: its name without sizes and ranks. "lat/cold/4096" is of "lat/cold"."""
    return "/".join(part for part in cell.split()[0].split("/") if not part.isdigit())


def grouped_means(ratio_by_cell):
    """{group: (geometric mean, how many cells)}"""
    groups = {}
    for cell, ratio in ratio_by_cell.items():
        groups.setdefault(group_of(cell), []).append(ratio)
    return {group: (geometric_mean(values), len(values)) for group, values in groups.items()}


def present(values):
    return [value for value in values if value is not None]


def best(values_by_library, names):
    """The library with the lowest median, or None."""
    ranked = [(median(present(values_by_library[name])), name) for name in names
              if present(values_by_library.get(name, []))]
    return min(ranked)[1] if ranked else None
