"""That the five configurations of mpiexec --config are what they claim: on which socket each rank runs, and on which
nodes its own memory lies. Two ranks, as many as a socket has cores.
"""
from check import check, demand
from jobs import MIB, places
from placement_checks import demand_job_shares

# Sockets of the ranks; the nodes of their pages, in which proportions.
CLAIMS = {
    "local": ((0, 0), {0: 1}),
    "interleave": ((0, 0), {0: 1, 1: 1}),
    "spread": ((0, 1), {0: 1}),
    "spread-interleave": ((0, 1), {0: 1, 1: 1}),
    "remote": ((0, 0), {1: 1}),
}


def demand_claim(guest, name):
    sockets, shares = CLAIMS[name]
    job = places(guest, ["--config", name], ranks=len(sockets), heap=4 * MIB, plain=4 * MIB)
    found = tuple(rank.socket for rank in job.ranks)
    demand(found == sockets, f"the ranks are on sockets {found}, not {sockets}")
    demand(len({tuple(rank.cpus) for rank in job.ranks}) == len(job.ranks), "ranks share a CPU")
    demand_job_shares(job, shares, ("heap", "plain"))


for one in CLAIMS:
    check(f"--config {one}: ranks on sockets {CLAIMS[one][0]}, memory on nodes {sorted(CLAIMS[one][1])}")(
        lambda guest, name=one: demand_claim(guest, name))
