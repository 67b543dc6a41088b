"""The source's configurations beside ours, each taken from what a step found."""
from lab.frame.findings import Finding
from lab.numa import counters, guest, live, source
from lab.numa.model import PROGRAMS

BASE = "base"


def finding(what, paper, ours, kind="simulated", unit="", note="", met=None):
    return Finding(source.NAME, what, paper, ours, kind, unit, note, met)


def order_of(seconds):
    """Configurations by their numbers in the source, the quickest first."""
    return [source.CONFIGURATIONS[name] for name in sorted(seconds, key=seconds.get)]


def in_words(order):
    return " < ".join(map(str, order))


def error(seconds, name):
    """How far a prediction lies from the source's time, as a share of it."""
    return seconds[name] / source.outputs()["configurations"][name]["seconds"] - 1


def errors(seconds):
    return {name: error(seconds, name) for name in source.outputs()["configurations"]}


def signed_percent(share):
    return f"{100 * share:+.1f} %"


def span(table, name):
    """Over all variants of lbm: what open assumptions make of a configuration."""
    values = [seconds[name] for label, seconds in table.items() if label not in PROGRAMS]
    return min(values), max(values)


def gain(seconds, name):
    return seconds["local"] / seconds[name] - 1


def of_lbm(data):
    table, told = data["seconds"], source.outputs()
    order = order_of(table[BASE])
    found = [finding("lbm: configurations by time", in_words(told["order"]), in_words(order), met=order == told["order"])]
    for name, row in told["configurations"].items():
        low, high = span(table, name)
        found.append(finding(f"lbm: ({row['number']}) {name}", row["seconds"], round(table[BASE][name], 1), unit="s",
                             note=f"{signed_percent(error(table[BASE], name))}; over all assumptions {low:.0f} to {high:.0f} s",
                             met=abs(error(table[BASE], name)) <= source.TOLERANCE))
    for name, row in source.inputs()["configurations"].items():
        found.append(finding(f"lbm: ({row['number']}) {name}", row["seconds"], round(table[BASE][name], 1), unit="s",
                             note="an input of the model: no prediction"))
    return found


def of_programs(data):
    best = {program: max((name for name in source.CONFIGURATIONS if name != "local"),
                         key=lambda name, program=program: gain(data["seconds"][program], name)) for program in PROGRAMS}
    return [finding(f"{program}: best gain over (1) local", None, round(100 * gain(data["seconds"][program], name), 1),
                    unit="%", note=f"({source.CONFIGURATIONS[name]}) {name}") for program, name in best.items()]


def findings_of(done):
    model = done["model"]
    found = of_lbm(model.data) + of_programs(model.data) if model.data else \
        [finding("all that is simulated", None, None, note=model.problem)]
    return found + guest.findings(done) + live.findings(done) + counters.findings(done)
