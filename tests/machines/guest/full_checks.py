"""What happens when memory is short: what prefers a full node goes elsewhere and says so, what is strict gives an error
and never dies, and how much fast memory each way of placing uses.
"""
import contextlib

import hardware
from check import check, demand
from fill import filled
from jobs import MIB, failed_places, places, read_ranks, run_places
from placement_checks import MEANING, demand_on
from sysfs import kills

FULL, LEFT_MIB, HEAP = 2, 6, 16 * MIB  # node 2, near the first socket: two ranks want 16 MiB each


@contextlib.contextmanager
def nothing_killed():
    before = kills()
    try:
        yield
    finally:
        demand(kills() == before, f"the kernel killed {kills() - before} times for want of memory")


@check("memory that prefers a full node goes to the next one, the job goes on and the report says so")
def preferred_falls_back(guest):
    with nothing_killed(), filled(FULL, LEFT_MIB):
        job = places(guest, ["--memory", "heap=hbm", "--memory-report"], heap=HEAP, plain=MIB)
    for rank in job.ranks:
        if rank.socket == 1:
            demand_on(rank, "heap", MEANING["hbm"](1))
    spilt = sum(count for rank in job.ranks if rank.socket == 0 for node, count in rank.heap.items() if node != FULL)
    demand(spilt > 0, f"nothing went elsewhere: {[rank.heap for rank in job.ranks]}")
    demand(f"came elsewhere than meant: node {FULL} was full" in job.stderr, f"the report does not say so:\n{job.stderr}")
    return f"{spilt} of {2 * HEAP // 4096} pages went elsewhere"


@check("what a full node has no space for goes on in the declared order, not to the node nearest to the full one")
def declared_order_is_kept(guest):
    with nothing_killed(), filled(FULL, 1):
        named = places(guest, ["--memory", f"heap=node:{FULL}+3"], plain=MIB)
        near = places(guest, ["--memory", f"heap=node:{FULL}"], plain=MIB)
    # How much of what was left free the kernel gives away differs, and meanwhile it frees some; the rest is what matters.
    for rank in named.ranks:
        demand_on(rank, "heap", {FULL, 3})
    for rank in near.ranks:
        demand_on(rank, "heap", {FULL} | MEANING["near"](rank.socket))
    for job in (named, near):
        on_full, wanted = (sum(counts) for counts in zip(*((rank.heap.get(FULL, 0), sum(rank.heap.values())) for rank in job.ranks)))
        demand(on_full < wanted / 2, f"{on_full} of {wanted} pages on the node that had space for 256")


@check("a strict heap on a full node is refused with an error, and nothing is killed")
def strict_heap_is_refused(guest):
    with nothing_killed(), filled(FULL, LEFT_MIB):
        job = places(guest, ["--memory", "heap=hbm!"], heap=HEAP, plain=MIB, program=("--refused-is-fine",))
    refused = [rank.rank for rank in job.ranks if rank.heap_error]
    demand(refused and all(job.ranks[number].socket == 0 for number in refused), f"refused: ranks {refused}")
    for rank in job.ranks:
        if not rank.heap_error:
            demand_on(rank, "heap", MEANING["hbm"](rank.socket))


def outcome_of_strict(guest, policy, what, leave_mib, **job):
    """With so much left: all is where it has to be, or the job ends with an error that names the node."""
    with nothing_killed(), filled(FULL, leave_mib):
        done = run_places(guest, ["--memory", policy], **job)
    if done.returncode != 0:
        demand(f"node {FULL}" in done.stderr, f"with {leave_mib} MiB left: {done.stderr[-800:]}")
        return "refused"
    ranks = read_ranks(done.stdout)
    for rank in ranks:
        if not rank.heap_error:
            demand_on(rank, what, MEANING["hbm"](rank.socket))
    return "refused" if any(rank.heap_error for rank in ranks) else "had it"


# What is strict; with so many MiB left it is refused at first and had in the end; the job.
NEARLY_FULL = (("queues", (1, 3, 6, 24), {"heap": 0, "plain": 4 * MIB}),
               ("heap", (1, 5, 8, 12, 60), {"heap": 4 * MIB, "plain": MIB, "program": ("--refused-is-fine",)}))


def demand_had_or_refused(guest, what, steps, job):
    told = {left: outcome_of_strict(guest, f"{what}=hbm!", what, left, **job) for left in steps}
    demand(told[steps[0]] == "refused" and told[steps[-1]] == "had it", f"{told}")
    return ", ".join(f"{left} MiB left: {outcome}" for left, outcome in told.items())


for one in NEARLY_FULL:
    check(f"strict {one[0]} on a node that is nearly full: there or refused with an error, and nothing is killed")(
        lambda guest, one=one: demand_had_or_refused(guest, *one))


@check("a whole process bound strictly to a full node is refused before it starts, and nothing is killed")
def strict_process_is_refused(guest):
    with nothing_killed(), filled(FULL, 2):
        done = failed_places(guest, ["--memory", "all=hbm!"], plain=8 * MIB)
    demand("node 2" in done.stderr, done.stderr[-800:])


@check("queues that prefer a full node go to the next one and messages arrive")
def preferred_queues_fall_back(guest):
    with nothing_killed(), filled(FULL, 2):
        job = places(guest, ["--memory", "queues=hbm"], plain=4 * MIB)
    for rank in job.ranks:
        demand_on(rank, "queues", {FULL, 0} if rank.socket == 0 else MEANING["hbm"](1))


def fast_mib_of(guest, options):
    """Of the fast nodes: all that the ranks have there while the job runs."""
    job = places(guest, options, heap=8 * MIB, plain=MIB)
    pages = sum(rank.pages_of(what).get(node, 0) for rank in job.ranks for what in ("queues", "heap", "anonymous")
                for node in hardware.FAST.values())
    return pages * 4096 / MIB


@check("placing queues and heap uses less fast memory than binding everything there")
def placing_uses_less(guest):
    queues = fast_mib_of(guest, ["--memory", "queues=hbm!"])
    placed = fast_mib_of(guest, ["--memory", "queues=hbm!,heap=hbm!"])
    bound = fast_mib_of(guest, ["--memory", "all=hbm!"])
    demand(queues < placed < bound, f"queues {queues:.1f}, queues and heap {placed:.1f}, everything {bound:.1f} MiB")
    return (f"queues {queues:.1f} MiB, queues and heap {placed:.1f} MiB, everything {bound:.1f} MiB: "
            f"{100 * (bound / placed - 1):.0f} % more (the source hbm: 12 %)")
