"""The source's tables beside the model's: rank correlations, tendencies, and what is missed by how much. Only here and on the
page are outputs.json and the prediction brought together."""
from itertools import combinations
from statistics import median

from lab.frame.findings import Finding
from lab.hybrid import source
from lab.hybrid.cells import layout_of
from lab.hybrid.model import BASE, MEMORY_BOUND, WITHOUT_SHARES

WANTED = 0.8  # of Spearman's rank correlation
HELD = 0.02   # what differs by less is the same: the source's speed-ups have two or three digits
NAMES = {"hartree_fock": "Gamess", "weather": "Wrf", "seismic": "Seis"}


def ranks(values):
    """From 1; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def correlation(ones, others):
    """Pearson's; None where one of them does not vary."""
    mean_one, mean_other = sum(ones) / len(ones), sum(others) / len(others)
    both = sum((one - mean_one) * (other - mean_other) for one, other in zip(ones, others))
    alone = sum((one - mean_one) ** 2 for one in ones) * sum((other - mean_other) ** 2 for other in others)
    return both / alone ** 0.5 if alone else None


def spearman(ones, others):
    return correlation(ranks(ones), ranks(others))


def cpus_of(application, name):
    """That the source counts: a master on top is not among them."""
    first = name.split()[0]
    return int(first) if application == "seismic" else layout_of(first).cpus


class Compared:
    """Every number of the tables with ours, under one variant."""

    def __init__(self, data, label=BASE, outputs=None):
        tables = (outputs or source.outputs())["tables"]
        self.rows = [{"application": application, "system": system, "name": name, "cpus": cpus_of(application, name), "paper": paper,
                      "doubt": table.get("doubtful", {}).get(system, {}).get(name),
                      "ours": data["speed_up"][label][application][system][name]}
                     for application, table in tables.items() for system, cells in table["speed_up"].items()
                     for name, paper in cells.items()]

    def of(self, application=None):
        return [row for row in self.rows if application in (None, row["application"])]

    def spearman(self, application=None, ours="ours"):
        rows = self.of(application)
        return spearman([row["paper"] for row in rows], [row[ours] for row in rows])

    def equal_cpus(self, application=None):
        """Of pairs on equally many CPUs that the source tells apart: how many are in its order, and how many there are."""
        pairs = [(one, other) for one, other in combinations(self.of(application), 2)
                 if one["application"] == other["application"] and one["cpus"] == other["cpus"] and one["paper"] != other["paper"]]
        return sum((one["paper"] > other["paper"]) == (one["ours"] > other["ours"]) for one, other in pairs), len(pairs)

    def error(self, application=None):
        """The median, and the row that is off the most."""
        rows = self.of(application)
        return median(abs(off(row)) for row in rows), max(rows, key=lambda row: abs(off(row)))


def off(row):
    return row["ours"] / row["paper"] - 1


def told(row):
    doubt = ", which the source itself doubts" if row["doubt"] else ""
    return f"{NAMES[row['application']]} {row['name']} on system {row['system']}: {row['ours']:.1f} instead of {row['paper']}{doubt}"


# ---- tendencies: of the model, and of the source's own numbers where it has both sides ----


def ratios(speed_ups, pick):
    """Where both sides are known: (name, one side over the other)."""
    return [(f"{NAMES[application]}, system {system}, {label}", cells[one] / others[other])
            for application, system, label, cells, one, others, other in pick(speed_ups) if one in cells and other in others]


def bound_over_unbound(speed_ups):
    for application, table in speed_ups.items():
        for system, cells in table.items():
            for name in cells:
                if name.endswith(" bound"):
                    yield application, system, name, cells, name, cells, name.replace(" bound", " unbound")


def master_on_top(speed_ups):
    """With bound threads, over as many processes, unbound, of which one is the master; as the source has it."""
    for system, cells in speed_ups["hartree_fock"].items():
        for name in cells:
            if name.startswith("1+") and name.endswith(" bound"):
                yield ("hartree_fock", system, name, cells, name, cells, name.removeprefix("1+").replace(" bound", " unbound"))


def system_1_over_3(speed_ups):
    for application, table in speed_ups.items():
        for name in table["1"]:
            yield application, "1", f"{name} over system 3", table["1"], name, table["3"], name


def hosts(speed_ups):
    """More hosts over fewer, of equally many ranks."""
    for system, cells in speed_ups["seismic"].items():
        for one, other in combinations(cells, 2):
            if one.split()[0] == other.split()[0] and one.split()[-1] == other.split()[-1]:
                more, fewer = sorted((one, other), key=lambda name: -int(name.split()[2]))
                yield "seismic", system, f"{more} over {fewer}", cells, more, cells, fewer


TENDENCIES = {"bound is never behind": bound_over_unbound, "a master on top and bound threads help": master_on_top,
              "system 3 is behind system 1": system_1_over_3, "where ranks are on hosts hardly matters": hosts}


def holds(name, ratio):
    if name == "where ranks are on hosts hardly matters":
        return abs(ratio - 1) <= 0.05
    return ratio >= 1 - HELD if name == "bound is never behind" else ratio > 1


def tendencies(data, outputs=None, label=BASE):
    """Name -> of the source, of ours where the source has both sides, and of all ours: how often it holds, of how many, and from
    where to where the ratio goes. It is met where ours holds in each case in which the source's own numbers do."""
    outputs = outputs or source.outputs()
    papers = {application: {system: table["speed_up"].get(system, {}) for system in data["speed_up"][label][application]}
              for application, table in outputs["tables"].items()}
    found = {}
    for name, pick in TENDENCIES.items():
        paper, ours = dict(ratios(papers, pick)), dict(ratios(data["speed_up"][label], pick))
        needed = [what for what, ratio in paper.items() if holds(name, ratio)]
        missed = [f"{what} {ours[what]:.2f}, {paper[what]:.2f} in the source" for what in needed if not holds(name, ours[what])]
        found[name] = {"paper": counted(name, paper), "ours": counted(name, {what: ours[what] for what in paper}),
                       "all": counted(name, ours), "needed": len(needed), "missed": missed}
    return found


def counted(name, found):
    values = list(found.values())
    return {"hold": sum(holds(name, ratio) for ratio in values), "of": len(values), "low": min(values), "high": max(values)}


def in_words(count):
    return f"{count['hold']} of {count['of']} ({count['low']:.2f} to {count['high']:.2f} times)"


# ---- what the study takes ----


def sensitivity(data, outputs=None):
    """A row for each variant: what moves how far."""
    rows = []
    for label in data["speed_up"]:
        compared = Compared(data, label, outputs)
        right, pairs = compared.equal_cpus()
        error, worst = compared.error()
        behind = tendencies(data, outputs, label)["system 3 is behind system 1"]
        rows.append({"assumption": label, "spearman": compared.spearman(), **{name: compared.spearman(name) for name in NAMES},
                     "equal_cpus_right": right, "equal_cpus_pairs": pairs,
                     "system_3_behind": behind["needed"] - len(behind["missed"]), "system_3_behind_of": behind["needed"],
                     "median_error_percent": 100 * error, "worst": told(worst),
                     "worst_percent": 100 * off(worst)})
    return rows


def finding(what, paper, ours, note="", met=None):
    return Finding(source.NAME, what, paper, ours, "simulated", note=note, met=met)


def correlation_findings(data, outputs):
    compared, swept = Compared(data, BASE, outputs), sensitivity(data, outputs)
    found = []
    for name in (*NAMES, None):
        ours, cpus = compared.spearman(name), compared.spearman(name, "cpus")
        right, pairs = compared.equal_cpus(name)
        key = name or "spearman"
        band = [row[key] for row in swept]
        reached = "reached" if ours >= WANTED else f"missed by {WANTED - ours:.2f}"
        table = outputs["tables"][name]["place"] if name else "tables 3 to 5, all"
        found.append(finding(f"rank correlation, {table}", f"at least {WANTED}", round(ours, 3), met=ours >= WANTED, note=(
            f"{len(compared.of(name))} numbers; {reached}; {min(band):.2f} to {max(band):.2f} over all assumptions; the number of CPUs "
            f"alone gives {cpus:.2f}; of {pairs} pairs on equally many CPUs {right} are in the source's order")))
    return found


def cell_findings(data, outputs):
    found = []
    for row in Compared(data, BASE, outputs).rows:
        table = outputs["tables"][row["application"]]
        band = [data["speed_up"][label][row["application"]][row["system"]][row["name"]] for label in data["speed_up"]]
        found.append(finding(f"speed-up of {NAMES[row['application']]}, {row['name']}, system {row['system']}", row["paper"],
                             round(row["ours"], 1), note=f"{table['place']}; off by {100 * off(row):+.0f} %; over all assumptions "
                             f"{min(band):.1f} to {max(band):.1f}{'; doubtful: ' + row['doubt'] if row['doubt'] else ''}"))
    return found


def findings_of(done):
    step = done["model"]
    if not step.data:
        return [finding("all that is simulated", None, None, note=step.problem)]
    outputs = source.outputs()
    found = correlation_findings(step.data, outputs)
    for name, count in tendencies(step.data, outputs).items():
        missed = f"; not in ours, but in the source: {'; '.join(count['missed'])}" if count["missed"] else ""
        found.append(finding(name, in_words(count["paper"]), in_words(count["ours"]), met=not count["missed"], note=(
            f"{outputs['statements'][name]}; of all that is modelled {in_words(count['all'])}{missed}")))
    return found + cell_findings(step.data, outputs)


def verdict_of(done):
    step = done["model"]
    if not step.data:
        return [f"What the source's systems would do is open: {step.problem}."]
    compared = Compared(step.data)
    error, worst = compared.error()
    by_table = ", ".join(f"{name} {compared.spearman(key):.2f}" for key, name in NAMES.items())
    right, pairs = compared.equal_cpus()
    whole = compared.spearman()
    reached = "as wanted" if min(whole, *map(compared.spearman, NAMES)) >= WANTED else f"where {WANTED} was wanted"
    without = Compared(step.data, WITHOUT_SHARES)
    return [
        f"On models of the source's three systems the rank correlation with its tables is {whole:.2f} over all ({by_table}), {reached}; "
        f"the number of CPUs alone gives {compared.spearman(None, 'cpus'):.2f}. Of pairs on equally many CPUs {right} of {pairs} are in "
        "its order; chance would be half.",
        f"Half of the speed-ups are off by less than {100 * error:.0f} %; the most is {told(worst)}.",
        f"Without what the source says of where its programs' time goes the correlation is {without.spearman():.2f}, and "
        f"{without.equal_cpus()[0]} of the pairs are in order.",
        *[f"{name[0].upper()}{name[1:]}: {'so it is' if not count['missed'] else 'missed'}, in {in_words(count['ours'])}, in the "
          f"source's own numbers in {in_words(count['paper'])}."
          for name, count in tendencies(step.data).items()],
        *of_memory_bound(step.data)]


def of_memory_bound(data):
    if MEMORY_BOUND not in data["speed_up"]:
        return []
    behind = {label: tendencies(data, label=label)["system 3 is behind system 1"] for label in (BASE, MEMORY_BOUND)}
    base, bound = (f"{count['needed'] - len(count['missed'])} of {count['needed']}" for count in behind.values())
    return [f"Where the source has system 3 behind, so has the model {base}; with programs as memory-bound as the ranges allow, {bound}."]


def rows_of(done):
    """For data.json: every prediction, and what each assumption moves."""
    data = done["model"].data
    if not data:
        return []
    rows = [{"table": "model", "kind": "simulated", "assumption": label, "application": application, "system": system, "cell": name,
             "speed_up": speed_up} for label, tables in data["speed_up"].items() for application, table in tables.items()
            for system, cells in table.items() for name, speed_up in cells.items()]
    return rows + [{"table": "sensitivity", "kind": "simulated", **row} for row in sensitivity(data)]
