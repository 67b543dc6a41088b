"""Medians of a few rounds, and how sure they are."""
import math
import statistics


def spread(values):
    """The median, and between which values the median of endless rounds lies with a probability of about 95 % (by order
    statistics); of fewer than six rounds the least and the most, which is less sure."""
    ordered = sorted(values)
    outer = max(0, math.floor((len(ordered) - 1.96 * math.sqrt(len(ordered))) / 2))
    return statistics.median(ordered), ordered[outer], ordered[len(ordered) - 1 - outer]


def with_interval(values):
    """As pages show a spread."""
    middle, low, high = values
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"
