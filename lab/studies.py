"""Which studies there are. One that is built has a folder of its own; what its `study.py` has is in
docs/architecture.md."""
import importlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Study:
    name: str
    question: str
    built: bool = False

    def load(self):
        return importlib.import_module(f"lab.{self.name}.study")


STUDIES = [
    Study("system", "What do messages and memory cost on this machine?", built=True),
    Study("scatter", "Does a root that looks before it sends, and serves idle nodes first, finish earlier?", built=True),
    Study("hbm", "What do MPI's own memory and MPI_Alloc_mem gain from on-package memory?", built=True),
    Study("deposit", "Which protocol, and whose queues, make a message cheapest?", built=True),
    Study("numa", "When do two NUMA nodes beat one that is near?", built=True),
    Study("hybrid", "How many ranks, how many threads each, for which shape of application?", built=True),
    Study("scale", "Which algorithm leads on how many nodes, and what do a job's start and memory cost there?", built=True),
]


def find(name):
    return next((study for study in STUDIES if study.name == name), None)
