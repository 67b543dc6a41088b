"""The page's own sections: predictions beside the source, what moves them, programs, this machine, the source's figures."""
from lab.frame import charts
from lab.frame.machines import parameters_section
from lab.frame.page import figures_section, kind_mark, paragraph, section
from lab.numa import counters, guest, live, source
from lab.numa.findings import BASE, errors, gain, signed_percent
from lab.numa.model import PROGRAMS

SIMULATED, MEASURED = (f"<p>{kind_mark(kind)}</p>" for kind in ("simulated", "measured"))


def number_and_name(name):
    return f"({source.CONFIGURATIONS[name]}) {name}"


def lbm(data):
    seconds, told = data["seconds"][BASE], source.outputs()["configurations"]
    known = source.inputs()["configurations"]
    lines = []
    for name in sorted(source.CONFIGURATIONS, key=source.CONFIGURATIONS.get):
        lines += [number_and_name(name), ("source", {**told, **known}[name]["seconds"], ""),
                  ("model", seconds[name], "an input" if name in known else signed_percent(errors(seconds)[name]))]
    return section(
        "Execution time of lbm (table 2)", SIMULATED,
        paragraph("Seconds of four processes. Cores and memory of each configuration are as `mpiexec --config` plans them. "
                  "Memory's own and the remote bandwidth are those of configurations 1 and 5."),
        charts.bars("execution time of lbm", lines, " s", digits=0))


def sensitivity(data):
    table = data["seconds"]
    lines = []
    for name in source.outputs()["configurations"]:
        lines.append(number_and_name(name))
        lines += [(label, 100 * error, "") for label, error in
                  ((label, errors(seconds)[name]) for label, seconds in table.items() if label not in PROGRAMS)]
    return section(
        "What the assumptions do", SIMULATED,
        paragraph("How far each prediction lies from the source's time, in percent of it; each row but the first of a group "
                  "changes one assumption, or two where it says so."),
        charts.bars("error of each prediction", lines, " %"))


def programs(data):
    names = [name for name in source.CONFIGURATIONS if name != "local"]
    rows = [[program, *[signed_percent(gain(data["seconds"][program], name)) for name in names]] for program in PROGRAMS]
    return section(
        "Four kinds of programs", SIMULATED,
        paragraph("Gain over configuration 1. Pages on two nodes are used in turn. A program whose data stay in its cache moves "
                  "nothing through memory, so the model has no difference to show for it."),
        charts.table(["", *[f"{number_and_name(name)}#" for name in names]], rows, stacked=True))


def parameters(data):
    share = source.inputs()["cache_share"]
    return parameters_section(data["machine"], [["traffic left with twice the cache",
                                                 f"{share['range'][0]:g} to {share['range'][1]:g}", share["source"], ""]])


def sections_of(done):
    model = done["model"].data
    parts = [make(model) for make in (lbm, sensitivity, programs)] if model else \
        [section("Execution time of lbm (table 2)", paragraph(done["model"].problem, "problem"))]
    parts.append(section("Where pages lie", MEASURED,
                         paragraph("Counted page by page in an emulated machine of two sockets with a NUMA node each; it tells no times."),
                         guest.drawing(done)))
    parts.append(section("On this machine", MEASURED, live.drawing(done)))
    parts.append(section("Hardware counters (table 1)", MEASURED,
                         paragraph(f"Of all ranks together. perf has no name on all processors for {', '.join(counters.NO_NAME)}."), counters.drawing(done)))
    return [*parts, *([parameters(model)] if model else []), figures_section("The source's figures and tables", source.figures())]
