"""The verdict: sentences chosen by the data, with numbers from it."""
from lab.numa import live, source
from lab.numa.findings import BASE, errors, gain, in_words, order_of, signed_percent
from lab.numa.model import PROGRAMS


def of_lbm(table):
    order, told = order_of(table[BASE]), source.outputs()["order"]
    missed = {name: each for name, each in errors(table[BASE]).items() if abs(each) > source.TOLERANCE}
    same = "as in the source" if order == told else f"where the source has {in_words(told)}"
    within = (f"all of (2), (3) and (4) lie within {source.TOLERANCE * 100:.0f} % of its times" if not missed else
              f"{', '.join(f'({source.CONFIGURATIONS[name]}) misses by {signed_percent(each)}' for name, each in missed.items())}"
              f", the others lie within {source.TOLERANCE * 100:.0f} %")
    return (f"From configurations 1 and 5 and published figures the model puts lbm in the order {in_words(order)}, {same}; "
            f"{within}.")


def of_assumptions(table):
    variants = [label for label in table if label not in PROGRAMS and label != BASE]
    same = [label for label in variants if order_of(table[label]) == source.outputs()["order"]]
    widest = max(variants, key=lambda label: max(abs(table[label][name] / table[BASE][name] - 1)
                                                 for name in source.outputs()["configurations"]))
    return (f"The order is the same under {len(same)} of {len(variants)} other assumptions; {widest} moves a time the most. "
            "How pages on two nodes are used (in turn or at once) and what a larger share of the cache saves are not "
            "known for lbm, and the first was chosen to lead by someone who knew the source's times.")


def of_programs(table):
    chase, stream = gain(table["pointer chase"], "spread-interleave"), gain(table["stream"], "spread-interleave")
    return (f"Two memories and two caches (4) let a program that streams gain {100 * stream:.0f} %, one that follows pointers "
            f"{'loses' if chase < 0 else 'gains'} {abs(100 * chase):.0f} %: memory parallelism is for what is bound by bandwidth.")


def advised(table):
    """Program -> the configuration to use: another than (1) only where it gains more than what is the same."""
    found = {}
    for program in ("lbm", *PROGRAMS):
        seconds = table[BASE if program == "lbm" else program]
        quickest = min(seconds, key=seconds.get)
        found[program] = quickest if gain(seconds, quickest) > live.SAME else "local"
    return found


def of_use(table):
    use = [f"{program} ({source.CONFIGURATIONS[name]}) {name}" for program, name in advised(table).items()]
    return f"What to use on such a machine: {', '.join(use)}. So does `baton advise`."


def verdict_of(done):
    model = done["model"]
    if not model.data:
        return [f"The question is open: {model.problem}.", live.verdict(done)]
    table = model.data["seconds"]
    return [of_lbm(table), of_assumptions(table), of_programs(table), of_use(table), live.verdict(done)]
