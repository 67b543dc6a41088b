"""The steps: each fabric by flows and by shares, and live measurements where there are some."""
from lab.frame.steps import Step
from lab.scale import fabrics, questions
from lab.scale.fabrics import PROGRAM

FORMAT = 1  # of what we keep
KIND = {questions.FLOWS: "simulated", questions.SHARES: "modelled"}
WHAT = {questions.FLOWS: "every algorithm message by message, as flows that share links fairly (SimGrid), to 1024 ranks, an "
                         "alltoall to 256",
        questions.SHARES: "the same, and up to 100 000 ranks, with links that divide themselves equally; of many steps that are "
                          "alike a sample; memory and start in closed form"}


def plan_of(name, quick):
    about = fabrics.described(name)
    per_node = about["ranks_per_node"]
    topology = about["topology"]
    nodes = topology.get("nodes") or (topology["groups"] * topology["switches"] * topology["nodes_per_switch"]
                                      if "groups" in topology else _product(topology["down"]))
    return questions.Plan(per_node, per_node * nodes, quick)


def _product(factors):
    all_of_them = 1
    for factor in factors:
        all_of_them *= factor
    return all_of_them


def link_of(name):
    """Bytes per second."""
    return fabrics.described(name)["parameters"]["network.bandwidth"]["value"] * 1e9


def asked(name, by, quick):
    return questions.all_of(plan_of(name, quick), link_of(name), by)


def step_name(name, by):
    return f"{name}-{by}"


def steps(context):
    made = []
    for name in fabrics.NAMES:
        for by in (questions.FLOWS, questions.SHARES):
            wanted = asked(name, by, context.quick)

            def work(heard, name=name, wanted=wanted):
                heard(f"{fabrics.WORDS[name]}: {len(wanted)} questions")
                return fabrics.ask(context.programs, fabrics.path_of(name), wanted, heard)
            key = {"format": FORMAT, **fabrics.key_of(context.programs, fabrics.path_of(name), wanted)}
            made.append(Step(step_name(name, by), f"{fabrics.WORDS[name]}: {WHAT[by]}", KIND[by], work, key,
                             f"{PROGRAM} run --fabric {name}.json"))
    return made
