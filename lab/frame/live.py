"""Steps that run a program of ours on this machine. A build without it has no data and says why, which is no failure."""
from lab.frame.steps import Step

ABSENT = "not measured: this build has no live program"


def live_step(context, name, what, program, key, measure, command):
    """`measure(heard)` returns what it found, or {"measured": False, "why": ...}. Another program or library, another key."""
    programs = context.programs

    def work(heard):
        return measure(heard) if programs.has(program) else {"measured": False, "why": ABSENT}

    built = {"program": programs.fingerprint(program), "library": programs.fingerprint("../lib/libmpi_abi.so.1")}
    return Step(name, what, "measured", work, {**key, **built}, command)


def why_not(done, name):
    """Why a live step has no data; empty: it has some."""
    return done[name].problem or done[name].data.get("why", "")
