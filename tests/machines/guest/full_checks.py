"""What happens when memory is short: what prefers a full node goes elsewhere and says so, what is strict gives an error
and never dies, and how much fast memory each way of placing uses.
"""
import re

import hardware
from check import check, demand
from fill import filled
from jobs import MIB, failed_places, places, read_ranks, run_places
from placement_checks import MEANING, demand_on

FULL, LEFT_MIB, HEAP = 2, 6, 16 * MIB  # node 2, near the first socket: two ranks want 16 MiB each


def kills(guest):
    """How often the kernel has killed for want of memory since it started."""
    text = open("/proc/vmstat").read()
    return int(re.search(r"^oom_kill (\d+)", text, re.M).group(1))


def demand_no_kill(guest, before):
    demand(kills(guest) == before, f"the kernel killed {kills(guest) - before} times for want of memory")


@check("memory that prefers a full node goes to the next one, the job goes on and the report says so")
def preferred_falls_back(guest):
    before = kills(guest)
    with filled(FULL, LEFT_MIB):
        job = places(guest, ["--memory", "heap=fast", "--memory-report"], heap=HEAP, plain=MIB)
    demand_no_kill(guest, before)
    for rank in job.ranks:
        if rank.socket == 1:
            demand_on(rank, "heap", MEANING["fast"](1))
    spilt = sum(count for rank in job.ranks if rank.socket == 0 for node, count in rank.heap.items() if node != FULL)
    demand(spilt > 0, f"nothing went elsewhere: {[rank.heap for rank in job.ranks]}")
    demand(f"came elsewhere than meant: node {FULL} was full" in job.stderr, f"the report does not say so:\n{job.stderr}")
    return f"{spilt} of {2 * HEAP // 4096} pages went elsewhere"


@check("a strict heap on a full node is refused with an error, and nothing is killed")
def strict_heap_is_refused(guest):
    before = kills(guest)
    with filled(FULL, LEFT_MIB):
        job = places(guest, ["--memory", "heap=fast!"], heap=HEAP, plain=MIB, program=("--refused-is-fine",))
    demand_no_kill(guest, before)
    refused = [rank.rank for rank in job.ranks if rank.heap_error]
    demand(refused and all(job.ranks[number].socket == 0 for number in refused), f"refused: ranks {refused}")
    for rank in job.ranks:
        if not rank.heap_error:
            demand_on(rank, "heap", MEANING["fast"](rank.socket))


def outcome_of_strict(guest, policy, what, leave_mib, **job):
    """With so much left: all is where it has to be, or the job ends with an error that names the node."""
    before = kills(guest)
    with filled(FULL, leave_mib):
        done = run_places(guest, ["--memory", policy], **job)
    demand_no_kill(guest, before)
    if done.returncode != 0:
        demand(f"node {FULL}" in done.stderr, f"with {leave_mib} MiB left: {done.stderr[-800:]}")
        return "refused"
    ranks = read_ranks(done.stdout)
    for rank in ranks:
        if not rank.heap_error:
            demand_on(rank, what, MEANING["fast"](rank.socket))
    return "refused" if any(rank.heap_error for rank in ranks) else "had it"


@check("strict queues on a node that is nearly full are there or refused with an error, and nothing is killed")
def strict_queues_are_refused(guest):
    told = {leave: outcome_of_strict(guest, "queues=fast!", "queues", leave, heap=0, plain=4 * MIB)
            for leave in (1, 3, 6, 24)}
    demand(told[24] == "had it", f"{told}")
    return ", ".join(f"{leave} MiB left: {outcome}" for leave, outcome in told.items())


@check("a strict heap on a node that is nearly full is there or refused with an error, and nothing is killed")
def strict_heap_near_the_end(guest):
    told = {leave: outcome_of_strict(guest, "heap=fast!", "heap", leave, heap=4 * MIB, plain=MIB,
                                     program=("--refused-is-fine",)) for leave in (1, 5, 8, 12, 60)}
    demand(told[1] == "refused" and told[60] == "had it", f"{told}")
    return ", ".join(f"{leave} MiB left: {outcome}" for leave, outcome in told.items())


@check("a whole process bound strictly to a full node is refused before it starts, and nothing is killed")
def strict_process_is_refused(guest):
    before = kills(guest)
    with filled(FULL, 2):
        done = failed_places(guest, ["--memory", "all=fast!"], plain=8 * MIB)
    demand_no_kill(guest, before)
    demand("node 2" in done.stderr, done.stderr[-800:])


@check("queues that prefer a full node go to the next one and messages arrive")
def preferred_queues_fall_back(guest):
    before = kills(guest)
    with filled(FULL, 2):
        job = places(guest, ["--memory", "queues=fast"], plain=4 * MIB)
    demand_no_kill(guest, before)
    for rank in job.ranks:
        demand_on(rank, "queues", {FULL, 0} if rank.socket == 0 else MEANING["fast"](1))


def fast_mib_of(guest, options):
    """Of the fast nodes: all that the ranks have there while the job runs."""
    job = places(guest, options, heap=8 * MIB, plain=MIB)
    pages = sum(rank.pages_of(what).get(node, 0) for rank in job.ranks for what in ("queues", "heap", "anonymous")
                for node in hardware.FAST.values())
    return pages * 4096 / MIB


@check("placing queues and heap uses less fast memory than binding everything there")
def placing_uses_less(guest):
    queues = fast_mib_of(guest, ["--memory", "queues=fast!"])
    placed = fast_mib_of(guest, ["--memory", "queues=fast!,heap=fast!"])
    bound = fast_mib_of(guest, ["--memory", "all=fast!"])
    demand(queues < placed < bound, f"queues {queues:.1f}, queues and heap {placed:.1f}, everything {bound:.1f} MiB")
    return (f"queues {queues:.1f} MiB, queues and heap {placed:.1f} MiB, everything {bound:.1f} MiB: "
            f"{100 * (bound / placed - 1):.0f} % more (the source hbm: 12 %)")
