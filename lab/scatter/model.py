"""The steps that the bus model does: what is simulated, not measured."""
from lab.frame.errors import StepFailed
from lab.frame.steps import Step

PROGRAM = "baton-bus"
FORMAT = 1  # of what we keep
WHAT = {
    "replay": "the source's example of 32 nodes in the bus model, cycle by cycle",
    "sweep": "the source's whole sweep in the bus model, and each open assumption alone",
    "inverse": "whether any setting of message, earlier transfer, busy nodes, header and look-up gives the source's best",
    "beyond": "what the source did not try: more nodes, ring and mesh, wrong status, several roots, hardware",
}


def missing(programs):
    return None if programs.has(PROGRAM) else (
        f"not simulated: {PROGRAM} is missing; packages do not have it. In Baton's sources `./dev build lab` builds it, "
        "with SystemC (on Debian: libsystemc-dev)")


def step(name, context):
    words = [name] + (["--quick"] if context.quick and name in ("sweep", "beyond") else [])

    def work(heard):
        why = missing(context.programs)
        if why:
            raise StepFailed(why)
        return context.programs.report(PROGRAM, words, heard)

    key = {"format": FORMAT, "command": words, "program": context.programs.fingerprint(PROGRAM)}
    return Step(name, WHAT[name], "simulated", work, key, " ".join([PROGRAM, *words]))


def steps(context):
    return [step(name, context) for name in WHAT]
