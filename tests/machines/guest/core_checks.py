"""That ranks run where --cores and --layout say: the CPUs of each as the kernel tells them to the rank itself, what
OpenMP is told of them, and that --report-binding draws what then is.
"""
import os
import re
import tempfile
from dataclasses import dataclass

import hardware
from check import check, demand

ALL = tuple(range(hardware.CPUS))
BOUND, UNBOUND = "close", "false"
# A rank that needs no MPI.
TELL = ("/bin/sh", "-c", 'echo "rank=$BATON_RANK cpus=$(grep Cpus_allowed_list /proc/self/status | cut -f 2)'
        ' threads=$OMP_NUM_THREADS bound=$OMP_PROC_BIND places=$OMP_PLACES"')


@dataclass(frozen=True)
class Case:
    options: str
    cpus: tuple          # of each rank
    threads: tuple = ()  # of each rank, with --layout: OMP_NUM_THREADS
    bound: str = BOUND   # with --layout: OMP_PROC_BIND
    complaint: str = ""  # what mpiexec has to say


CASES = (
    Case("--cores numa:1", ((2,), (3,))),
    Case("--cores package:0 -n 2", ((0,), (1,))),
    Case("--cores l3:1 -n 1", ((2,),)),
    Case("--cores numa:1 -n 3", ((2, 3),) * 3),
    Case("--cores 3,1 -n 2", ((3,), (1,))),
    Case("--cores spread -n 2", ((0,), (2,))),
    Case("--cores spread:2 -n 3", ((0,), (1,), (2,))),
    Case("--cores spread:1 -n 2", ((0,), (1,))),
    Case("--cores spread:2 -n 4 --map-by numa", ((0,), (2,), (1,), (3,))),
    Case("--layout 2x2", ((0, 1), (2, 3)), (2, 2)),
    Case("--layout 1x2 --cores numa:1", ((2, 3),), (2,)),
    Case("--layout 2x1 --cores spread:2", ((0,), (2,)), (1, 1)),
    Case("--layout 1x3", ((0, 1, 2),), (3,), complaint="rank 0 has CPUs of several NUMA nodes"),
    Case("--layout 1+1x2", ((2,), (0, 1)), (1, 2)),
    Case("--layout 1+2x1 --cores spread", ((1,), (0,), (2,)), (1, 1, 1)),
    Case("--layout 1+2x2", (ALL,) * 3, (1, 2, 2), UNBOUND, "3 ranks with 5 threads in all share 4 usable CPUs"),
    Case("--layout 2x3", (ALL,) * 2, (3, 3), UNBOUND, "2 ranks with 6 threads in all share 4 usable CPUs"),
)


def numbers_in(text):
    """Of a list such as 0-2,5."""
    parts = [part.partition("-") for part in text.split(",")]
    return tuple(number for first, _, last in parts for number in range(int(first), int(last or first) + 1))


def told_by_ranks(guest, options):
    """What each rank says, by its number; and what mpiexec says. What mpiexec inherits must not count."""
    done = guest.succeed(guest.job([*options, "--timeout", "60"], TELL, OMP_PROC_BIND="true", OMP_PLACES="sockets"))
    ranks = dict(re.findall(r"^rank=(\d+) (.*)$", done.stdout, re.M))
    demand(sorted(map(int, ranks)) == list(range(len(ranks))) and ranks, f"not all ranks said something: {done.stdout}")
    told = [dict(word.split("=", 1) for word in ranks[str(rank)].split()) for rank in range(len(ranks))]
    return told, done.stderr


def demand_case(guest, case):
    told, complaints = told_by_ranks(guest, case.options.split())
    cpus = tuple(numbers_in(rank["cpus"]) for rank in told)
    demand(cpus == case.cpus, f"the ranks may run on {cpus}, not {case.cpus}\n{complaints}")
    demand(case.complaint in complaints if case.complaint else not complaints, f"mpiexec says: {complaints}")
    for rank, threads in enumerate(case.threads):
        demand(told[rank]["threads"] == str(threads), f"rank {rank} is told of {told[rank]['threads']} threads")
        demand(told[rank]["bound"] == case.bound, f"rank {rank}: OMP_PROC_BIND={told[rank]['bound']}")
        if case.bound == BOUND:
            places = ",".join(f"{{{cpu}}}" for cpu in case.cpus[rank])
            demand(told[rank]["places"] == places, f"rank {rank}: OMP_PLACES={told[rank]['places']}, not {places}")


def sentence_of(case):
    if len(set(case.cpus)) == 1 and len(case.cpus) > 1:
        where = f"{len(case.cpus)} ranks on CPUs {', '.join(map(str, case.cpus[0]))}, not bound"
    else:
        where = "ranks on CPUs " + "; ".join(", ".join(map(str, cpus)) for cpus in case.cpus)
    return f"mpiexec {case.options}: {where}" + (", and OpenMP is told so" if case.threads else "")


for one in CASES:
    check(sentence_of(one))(lambda guest, case=one: demand_case(guest, case))


@check("--report-binding draws the ranks on the CPUs that the kernel then gives them")
def drawing_is_true(guest):
    for options in (["-n", "3"], ["--cores", "spread:2", "-n", "2"], ["--layout", "1+1x2"]):
        told, drawing = told_by_ranks(guest, [*options, "--report-binding"])
        drawn = {int(rank): numbers_in(cpus) for rank, cpus in re.findall(r"^rank (\d+): CPU (\S+)$", drawing, re.M)}
        real = {rank: numbers_in(words["cpus"]) for rank, words in enumerate(told)}
        demand(drawn == real, f"{options}: drawn on {drawn}, on {real} in truth\n{drawing}")
        cells = {int(cpu): ranks for cpu, ranks in re.findall(r"\[(\d+): ([^\]]+)\]", drawing)}
        expected = {cpu: ",".join(str(rank) for rank in real if cpu in real[rank]) or "." for cpu in ALL}
        demand(cells == expected, f"{options}: {cells}\n{drawing}")
        for node in hardware.NODES:
            if node.cpus:
                cells = rf"\n *\[{node.cpus[0]}: .*\[{node.cpus[-1]}: "
                demand(re.search(rf"^package {node.socket}, NUMA node {node.number}\b.*{cells}", drawing, re.M),
                       f"node {node.number} has not its CPUs:\n{drawing}")


@check("--report-binding=FILE.svg is a picture with every rank on its core, and one that cannot be written is an error")
def picture_is_true(guest):
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "binding.svg")
        guest.succeed(guest.job(["--cores", "3,1", "-n", "2", f"--report-binding={picture}"], TELL))
        with open(picture) as file:
            drawn = file.read()
    on_core = dict(re.findall(r'class="cpu">(\d+)</text>\s*<text[^>]*class="rank">(\d+)</text>', drawn))
    demand(on_core == {"3": "0", "1": "1"}, f"{on_core}\n{drawn[:2000]}")
    refused = guest.job(["-n", "1", f"--report-binding={picture}"], TELL)
    demand(refused.returncode == 1 and "--report-binding=" in refused.stderr and not refused.stdout,
           f"code {refused.returncode}: {refused.stdout}{refused.stderr}")


@check("cores that the machine does not have are refused with those that it has")
def absent_cores_are_refused(guest):
    for words, told in ((["--cores", "numa:2"], "there are 0-1"), (["--cores", "spread:3"], "2 NUMA nodes"),
                        (["--cores", "4"], "there are 0-3"), (["--cores", "sokcet:0"], "did you mean socket?")):
        done = guest.job([*words, "-n", "1"], TELL)
        demand(done.returncode == 2 and told in done.stderr and not done.stdout,
               f"{words}: code {done.returncode}: {done.stdout}{done.stderr}")
