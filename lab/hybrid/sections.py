"""The page's own sections: this machine's layouts, where their time goes, the model of the source's systems."""
from lab.frame import charts
from lab.frame.machines import parameters_section
from lab.frame.medians import with_interval
from lab.frame.page import figures_section, kind_mark, paragraph, section
from lab.hybrid import live, source
from lab.hybrid.findings_model import NAMES, Compared, off, sensitivity

MEASURED, SIMULATED = (f"<p>{kind_mark(kind)}</p>" for kind in ("measured", "simulated"))


def speed_ups(one):
    """Figures 1 to 3 and tables 3 to 5 of the source, for this machine: speed-up against the serial program by layout."""
    lines = []
    for layout, binding in sorted(one.cases(), key=lambda case: (live.cpus_of(case[0]), case)):
        middle, low, high = one.times(layout, binding)
        lines.append((f"{layout} {binding}", middle, f"{low:.2f} to {high:.2f}"))
    return charts.bars(f"{one.app.name}: speed-up by layout", lines, " times", digits=2)


def time_in_mpi(one):
    kinds = sorted({name for case in one.cases() for name in one.kinds(*case)})
    heads = ["layout", "", "in MPI#", "waiting#", *[f"{kind}#" for kind in kinds]]
    rows = [[layout, binding, charts.percent(one.share(layout, binding, "mpi")), charts.percent(one.share(layout, binding, "waiting")),
             *[charts.percent(one.kinds(layout, binding).get(kind, 0)) for kind in kinds]] for layout, binding in one.cases()]
    return charts.table(heads, rows, stacked=True)


def cost_table(one):
    heads = ["layout", "", "CPU time#", f"{live.COMPUTING}#", f"{live.WAITING}#", f"{live.MOVING}#"]
    rows = []
    for layout, binding in one.cases():
        costs = live.costs(one, layout, binding)
        rows.append([layout, binding, f"{sum(costs.values()):.2f}", *[f"{value:.2f}" for value in costs.values()]])
    return charts.table(heads, rows, stacked=True)


def of_application(one):
    stands_for = f" It stands in for {one.app.stands_for}." if one.app.stands_for else ""
    serial = with_interval(live.spread(one.serial()))
    return section(
        f"{one.app.name} on this machine", MEASURED,
        paragraph(f"Speed-up against the serial program ({serial} s), with the interval of the rounds.{stands_for} MxN: M ranks "
                  "with N threads each; 1+MxN: an extra rank that hands out work and has no CPU of its own. Bound: as mpiexec "
                  "binds; unbound: --bind-to none."),
        speed_ups(one),
        paragraph("CPU time in units of the serial program's; 1 in all would be perfect. "
                  f"{'; '.join(words[0].upper() + words[1:] for words in live.MEANING.values())}."), cost_table(one),
        paragraph("Share of the ranks' time in MPI, by kind of call; without an extra master, which only waits."), time_in_mpi(one))


def of_this_machine(done, context):
    found = live.measured(done, context)
    missing = [section(f"{app.name} on this machine", paragraph(done[name].problem, "problem")) for app in live.applications(context)
               for name in (live.step_name(context, app),) if not done[name].data]
    return [*[of_application(one) for one in found], *missing]


# ---- the source's systems ----


def table_section(compared, application, table):
    """One of the source's tables, every number beside the model's."""
    lines = []
    for row in compared.of(application):
        lines += [f"{row['name']}, system {row['system']}", ("source", row["paper"], "doubtful" if row["doubt"] else ""),
                  ("model", round(row["ours"], 1), f"{100 * off(row):+.0f} %")]
    number, program = table["place"].split(", ")
    return section(f"Speed-up of {program} ({number})", SIMULATED,
                   paragraph(f"On models of the source's systems: 1 a Sun Fire 15K, 2 eight V880 with Myrinet, 3 three 6800 with Sun Fire "
                             f"Link. Our {application.replace('_', '-')} program's shape stands in for {program}."),
                   charts.bars(f"speed-up of {program}", lines, " times"))


def sensitivity_section(data):
    rows = [[row["assumption"], f"{row['spearman']:.2f}", *[f"{row[name]:.2f}" for name in NAMES],
             f"{row['equal_cpus_right']} of {row['equal_cpus_pairs']}", f"{row['system_3_behind']} of {row['system_3_behind_of']}",
             f"{row['median_error_percent']:.0f} %", row["worst"]] for row in sensitivity(data)]
    heads = ["assumption", "all#", *[f"{name}#" for name in NAMES.values()], "pairs in order#", "system 3 behind#", "median error#", "the most"]
    return section("What the assumptions do", SIMULATED,
                   paragraph("Rank correlation with the source's numbers, over all and by table; how many pairs on equally many CPUs are in "
                             "the source's order; in how many of the cells in which the source has system 3 behind system 1 the model has."),
                   charts.table(heads, rows, stacked=True))


def of_the_model(done):
    data = done["model"].data
    figures = figures_section("The source's figures and tables", source.figures())
    if not data:
        return [section("The source's systems", paragraph(done["model"].problem, "problem")), figures]
    compared, tables = Compared(data), source.outputs()["tables"]
    return [*[table_section(compared, application, table) for application, table in tables.items()], sensitivity_section(data),
            *[parameters_section(machine) for machine in data["machines"].values()], figures]
