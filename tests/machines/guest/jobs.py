"""Runs guest_places under a policy and reads what the ranks found. Used by placement_checks.py."""
import json
from dataclasses import dataclass

import hardware
from check import demand

MIB = 1 << 20


@dataclass
class Rank:
    """What one rank says of its memory: pages by node (of `process` and `used_kib`: KiB)."""
    rank: int
    cpus: list
    slice: dict
    heap: dict
    heap_error: int
    policies: dict  # of queues and heap: the kernel's MPOL_...
    plain: dict
    process: dict
    used_kib: dict

    @property
    def socket(self):
        return hardware.socket_of(self.cpus[0])

    def pages_of(self, what):
        """Pages by node of: queues, heap, plain (the program's own), anonymous (all that is no file)."""
        if what == "queues":
            sums = {}
            for pages in self.slice.values():
                for node, count in pages.items():
                    sums[node] = sums.get(node, 0) + count
            return sums
        if what == "anonymous":
            return {node: kib // 4 for node, kib in self.process.get("anonymous", {}).items()}
        return getattr(self, what)


def by_number(pages):
    return {int(node): count for node, count in pages.items()}


def read_rank(line):
    told = json.loads(line)
    for name in ("heap", "plain", "used_kib"):
        told[name] = by_number(told[name])
    for name in ("slice", "process"):
        told[name] = {part: by_number(pages) for part, pages in told[name].items()}
    return Rank(**told)


@dataclass
class Job:
    ranks: list
    stderr: str


def run_places(guest, options, ranks=hardware.CPUS, heap=2 * MIB, plain=2 * MIB, program=(), seconds=90, **environment):
    """The finished process. BATON_CMA=0 unless told otherwise: long messages then go through staging, too."""
    words = ["guest_places", *(["--heap", str(heap)] if heap else []), "--plain", str(plain), *program]
    return guest.job(["-n", str(ranks), "--timeout", str(seconds - 10), *options], words, seconds=seconds,
                     **{"BATON_CMA": "0", **environment})


def read_ranks(text):
    found = [read_rank(line) for line in text.splitlines() if line.startswith('{"rank"')]
    return sorted(found, key=lambda rank: rank.rank)


def places(guest, options, ranks=hardware.CPUS, **more):
    """What the ranks report of a job that has to succeed."""
    done = guest.succeed(run_places(guest, options, ranks, **more))
    found = read_ranks(done.stdout)
    demand(len(found) == ranks, f"{len(found)} of {ranks} ranks reported\n{done.stdout[-500:]}{done.stderr[-500:]}")
    return Job(found, done.stderr)


def failed_places(guest, options, **more):
    """A job that has to fail, as the finished process."""
    done = run_places(guest, options, **more)
    demand(done.returncode != 0, f"the job went on\n{done.stdout[-300:]}{done.stderr[-300:]}")
    return done
