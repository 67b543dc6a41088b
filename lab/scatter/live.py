"""The live steps: status order against rank order on real ranks, a third of them busy. `live.c` beside this is the
program."""
from lab.frame import live

PROGRAM = "baton-scatter-live"
FORMAT = 2  # of what we keep
RANKS = (16, 32)
WHAT = "status order against rank order (nonblocking and blocking) on {} real ranks, a third of them in earlier transfers"
SECONDS = 1800  # after which a job is given up
ORDERS = "orders=rank,status,blocking,again"  # again: rank order once more, so that the noise is known
QUICK = ["operation=scatter", "blocks=65536,262144", ORDERS, "rounds=25"]
FULL = ["operation=scatter,gather", "blocks=4096,65536,262144,1048576", ORDERS, "rounds=199"]
TIMES = ("idle", "root", "all")


def name_of(ranks):
    return f"live{ranks}"


def step(ranks, context):
    words = QUICK if context.quick else FULL

    def work(heard):
        return {"measured": True, **context.programs.job(ranks, PROGRAM, words, SECONDS, heard)}

    return live.live_step(context, name_of(ranks), WHAT.format(ranks), PROGRAM, {"format": FORMAT, "words": words}, work,
                          " ".join(["mpiexec", "-n", str(ranks), PROGRAM, *words]))


def steps(context):
    return [step(ranks, context) for ranks in RANKS]


def why_not(done):
    """Why there are no live numbers at all; empty: there are some."""
    reasons = [live.why_not(done, name_of(ranks)) for ranks in RANKS]
    return reasons[0] if all(reasons) else ""


def rows_of(done):
    """One a job size, operation and block: how much longer other orders take than status order."""
    rows = []
    for each in (done[name_of(ranks)] for ranks in RANKS):
        for cell in (each.data or {}).get("cells", []):
            by = {order["order"]: order for order in cell["orders"]}
            rows.append({"ranks": each.data["ranks"], "operation": cell["operation"], "block": cell["block_bytes"],
                         "rounds": each.data["rounds"],
                         **{f"{order}_{time}_us": by[order][f"{time}_us"] for order in by for time in TIMES},
                         **{f"{time}_over_{order}": by["status"][f"{time}_gain_over_{order}"]
                            for order in ("rank", "blocking") for time in TIMES},
                         **{f"{time}_over_{order}_interval": by["status"][f"{time}_gain_over_{order}_interval"]
                            for order in ("rank", "blocking") for time in TIMES},
                         **{f"{time}_noise": abs(by["again"][f"{time}_gain_over_rank"] - 1) for time in TIMES}})
    return rows


def noise(rows):
    """How far rank order differed from itself at the most."""
    return max(row["idle_noise"] for row in rows)
