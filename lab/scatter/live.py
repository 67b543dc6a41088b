"""The live step: status order against rank order on real ranks. Its program runs under mpiexec and prints JSON; while
a build has none, the step has no data and says why, which is no failure."""
from lab.frame.steps import Step

PROGRAM = "baton-scatter-live"
WHAT = "status order against rank order, blocking and not, on 16 and 32 real ranks of which a third are busy"
ABSENT = "not measured: this build has no live program"


def step(context):
    def work(_):
        return {"measured": False, "why": ABSENT, "rows": []}

    key = {"format": 1, "program": context.programs.fingerprint(PROGRAM), "quick": context.quick}
    return Step("live", WHAT, "measured", work, key)


def why_not(done):
    """Why there are no live numbers; empty: there are some."""
    return done.problem or ("" if done.data["measured"] else done.data["why"])
