"""The source's gains beside ours, and the verdict: sentences chosen by the data."""
from lab.frame.findings import Finding
from lab.hbm import collectives, guest, live, source, xeon_max
from lab.hbm.model import VARIANTS, gain, in_a_tile_over_across, pair_that_explains

BASE = "base"
MORE = "17 pairs, all in MCDRAM", "34 pairs, all in MCDRAM"
SEGMENTS = "34 pairs, segments only", "34 pairs across tiles, segments only"


def finding(what, paper, ours, kind="simulated", unit="%", note="", met=None):
    return Finding(source.NAME, what, paper, ours, kind, unit, note, met)


def holds(paper, ours):
    return abs(ours - paper) <= (source.TOLERANCE * paper if paper else source.POINTS_OF_NOTHING)


def gains(data):
    """Name -> the source's, ours, and the least and most of all variants."""
    table, found = data["bandwidth"], {}
    for name, row in source.outputs()["gains"].items():
        all_of = [round(gain(table[label][name]), 1) + 0.0 for label in VARIANTS]  # never minus nothing
        found[name] = (row["percent"], round(gain(table[BASE][name]), 3) + 0.0, min(all_of), max(all_of))
    return found


def findings_of(done):
    model = done["model"]
    if not model.data:
        return [finding("all that is simulated", None, None, note=model.problem), guest.finding(done), *live.findings(done)]
    found = []
    for name, (paper, ours, least, most) in gains(model.data).items():
        reached = "within its bound" if holds(paper, ours) else "missed"
        found.append(finding(f"gain of {name}", paper, round(ours, 1),
                             note=f"{source.outputs()['gains'][name]['place']}; {reached}; over all assumptions {least:.0f} to {most:.0f} %",
                             met=holds(paper, ours)))
    told = source.outputs()["in_a_tile_over_across"]
    ours = in_a_tile_over_across(model.data["bandwidth"][BASE])
    found.append(finding("34 pairs in a tile over across tiles, all in MCDRAM", told["percent"], round(ours, 1),
                         note=f"{told['place']}; {'within its bound' if holds(told['percent'], ours) else 'missed'}",
                         met=holds(told["percent"], ours)))
    found.append(guest.finding(done))
    return [*found, *collectives.findings(done), *xeon_max.findings(done), *live.findings(done)]


def verdict_of(done):
    model = done["model"]
    if not model.data:
        return [f"The question is open: {model.problem}.", live.verdict(done)]
    table, found = model.data["bandwidth"][BASE], gains(model.data)
    reached = [name for name, (paper, ours, *_) in found.items() if holds(paper, ours)]
    missed = [f"{name} +{ours:.0f} instead of +{paper} %" for name, (paper, ours, *_) in found.items() if name not in reached]
    needed = {name: pair_that_explains(table, name, found[name][0]) for name in MORE}
    less = found[SEGMENTS[0]][1] < found[SEGMENTS[1]][1]
    return [
        f"From published figures alone {len(reached)} of {len(found)} gains come out within {source.TOLERANCE * 100:.0f} %: "
        f"{'; '.join(reached) or 'none'}. Missed: {'; '.join(missed) or 'none'}.",
        f"Segments alone gain {'less' if less else 'no less'} in a tile than across tiles, "
        f"{'as in the source' if less else 'other than in the source'}: in a tile they stay in its cache.",
        f"What is missing is how fast one pair copies. Put the other way round, the source's own gains ask for "
        f"{needed[MORE[0]]:.1f} GB/s a pair with 17 pairs and {needed[MORE[1]]:.1f} with 34; no public figure was found, so "
        "it is swept.",
        live.verdict(done)]
