"""The page's own sections: gains beside the source, bandwidths, what moves them, what the model is told, the figures."""
from lab.frame import charts
from lab.frame.machines import parameters_section
from lab.frame.page import figures_section, kind_mark, paragraph, section
from lab.hbm import collectives, guest, live, source, xeon_max
from lab.hbm.findings import BASE, gains
from lab.hbm.model import CASES, VARIANTS, gain, in_a_tile_over_across

ASSUMED = [["segment written back, in a tile", "nothing", "assumed: it stays in the tile's cache, as the source explains figure 6", ""],
           ["segment written back, across tiles", "each byte once", "assumed from how such caches share lines; no reference found, 0 and 2 "
            "times are among the assumptions", ""]]
SIMULATED, MEASURED = (f"<p>{kind_mark(kind)}</p>" for kind in ("simulated", "measured"))


def gains_section(data):
    lines = []
    for name, (paper, ours, least, most) in gains(data).items():
        lines += [name, ("source", paper, ""), ("model", round(ours, 1), f"over all assumptions {least:.0f} to {most:.0f} %")]
    told = source.outputs()["in_a_tile_over_across"]
    lines += ["in a tile over across tiles", ("source", told["percent"], ""),
              ("model", round(in_a_tile_over_across(data["bandwidth"][BASE]), 1), "")]
    return section("Gains over all in DDR4, 32 KiB (figures 3 to 7)", SIMULATED,
                   paragraph("Percent more bandwidth of all pairs together. Messages go in two copies through a segment, and no "
                             "buffer is used twice, as in the source."),
                   charts.bars("gains over all in DDR4", lines, " %", digits=0))


def bandwidths(data):
    rows = [[name, f"{table['slow']:.1f}", f"{table['fast']:.1f}"] for name, table in data["bandwidth"][BASE].items()]
    return section("Bandwidth of all pairs", SIMULATED,
                   paragraph("GB/s of messages. The source gives none in words."),
                   charts.table(["", "all in DDR4#", "as named#"], rows, stacked=True))


def sensitivity(data):
    lines = []
    for name in CASES:
        lines.append(name)
        lines += [(label, round(gain(data["bandwidth"][label][name]), 1) + 0.0, "") for label in VARIANTS]
    return section("What the assumptions do", SIMULATED,
                   paragraph("The gain in percent; each row but the first of a group changes one assumption."),
                   charts.bars("gains by assumption", lines, " %", digits=0))


def sections_of(done):
    data = done["model"].data
    parts = [make(data) for make in (gains_section, bandwidths, sensitivity)] if data else \
        [section("Gains over all in DDR4", paragraph(done["model"].problem, "problem"))]
    parts.append(section("Collectives", SIMULATED,
                         paragraph("What the source left for later: a long allgather or alltoall whose buffers lie in MCDRAM, over all in DDR4. Every "
                                   "rank copies what it gets straight from where it lies. One core is bound by latency, which MCDRAM has more "
                                   "of; many are bound by the memory."), collectives.drawing(done)))
    parts.append(section("On a Xeon Max", SIMULATED,
                         paragraph("What pairs gain over all in DDR5 when segments and buffers lie in HBM. Hardly any figure of this machine was found, "
                                   "so its file has ranges: least and most are their ends."), xeon_max.drawing(done)))
    parts.append(section("Fast memory used (figure 8)", MEASURED,
                         paragraph(f"Pages in fast memory, of {guest.RANKS} ranks in an emulated machine; counted by the kernel, no times. The source "
                                   f"says {source.outputs()['whole_over_bound']['percent']} % between the last two; ours is what our program has besides its buffers."), guest.drawing(done)))
    parts.append(section("On this machine", MEASURED,
                         paragraph("MB/s of all ranks together, no buffer used twice; messages above 32 KiB and collectives are what the source left "
                                   "for later. Medians of rounds in turn, and of their ratios the interval (of fewer than six rounds: the "
                                   "least and the most)."), live.drawing(done)))
    told = [parameters_section(done[step].data["machine"], more) for step, more in (("model", ASSUMED), ("xeon-max", ())) if done[step].data]
    return [*parts, *told, figures_section("The source's figures", source.figures())]
