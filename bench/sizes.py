"""Which sizes are measured, and what a metric of messages is called."""
import json
import os
import re
import subprocess

MESSAGES = ("lat", "rate", "bw", "bibw")
PLACEMENTS = ("odd", "small", "huge")
IN_ONE_LINE = 48  # bytes of a message that fit into a cache line beside its envelope
QUICK_MAX, WHOLE_MAX = 4 << 20, 64 << 20
# Settings at which a message's protocol changes, and what is so up to there, or from there on.
THRESHOLDS = {"eager_bytes_max": "eager ends", "cma_bytes_min": "single copy may begin",
              "early_bytes_max": "early bytes end", "shared_bytes_min": "both sides may copy"}


def base_of(metric):
    """bw of bw8-odd: what is measured, without the number of messages in a window and where buffers lie."""
    found = re.fullmatch(rf"({'|'.join(MESSAGES)})(\d*)(?:-({'|'.join(PLACEMENTS)}))?", metric)
    if not found or (found[2] and (found[1] in ("lat", "rate") or not 1 <= int(found[2]) <= 64)):
        return metric
    return found[1]


def thresholds(build):
    """{bytes: words} of Baton in a build folder; empty where it cannot be asked."""
    try:
        told = subprocess.run([os.path.join(build, "bin", "baton"), "settings", "--json"], capture_output=True, text=True,
                              timeout=20)
        values = {row["variable"].removeprefix("BATON_").lower(): row["value"]
                  for row in json.loads(told.stdout)["settings"]}
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        return {}
    found = {IN_ONE_LINE: "one line ends"}
    for name, words in THRESHOLDS.items():
        if name in values:
            found[int(values[name])] = words
    return found


def powers_of_two(most):
    return [1 << bit for bit in range(most.bit_length())]


def around(marks, most):
    """One below each threshold, the threshold, one above."""
    return [size for mark in marks for size in (mark - 1, mark, mark + 1) if 1 <= size <= most]


def all_sizes(build, whole):
    most = WHOLE_MAX if whole else QUICK_MAX
    return sorted({*powers_of_two(most), *around(thresholds(build), most)})
