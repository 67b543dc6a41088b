"""The deposit study: which steps it has, and what is made of them."""
from lab.deposit import live, model, network_live, source
from lab.deposit.findings import findings_of
from lab.deposit.sections import sections_of
from lab.deposit.verdict import verdict_of
from lab.frame.run import Result

ABOUT = ("MPI over direct deposits: a sender stores into a queue in its receiver's memory. Five models: (1) head and tail as "
         "messages of their own; (2) lazy pointers and numbered messages; (3) and no copy at the receiver; (4) and no copy at the "
         "sender; (5) both, by size. The source measured two Pentium III on Myrinet under VMMC. Here they run on a model of that "
         "network, and on this machine's shared memory beside Baton's own protocols; and MPI and the five models over TCP are "
         "measured against the raw provider, as figures 11 and 12 do.")
ABOUT_SOURCE = "What the source says came out is held out: no step reads it. The costs that it gives are inputs."
PROGRAMS = (live.PROGRAM, network_live.PROGRAM)
figures = source.figures


def steps(context):
    return [*model.steps(), *live.steps(context), *network_live.steps(context)]


def result(done, context):
    data = done["model"].data
    rows = [{"table": "model", "kind": "simulated", "assumption": label, "pattern": pattern, "mode": mode, "bytes": int(size), "mbs": value}
            for label, patterns in data["bandwidth"].items() for pattern, modes in patterns.items() for mode, sizes in modes.items()
            for size, value in sizes.items()] if data else []
    verdict = verdict_of(done)
    missing = {name: why for name, why in (("live", live.why_not(done)), ("network", network_live.why_not(done))) if why}
    return Result(findings_of(done), rows + live.rows(done) + network_live.rows(done), verdict, sections_of(done), verdict[0], missing)
