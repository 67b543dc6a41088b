"""The numa study: which steps it has, and what is made of them."""
from lab.frame.guest import why_not
from lab.frame.machines import PROGRAM
from lab.frame.run import Result
from lab.numa import counters, guest, live, model, source
from lab.numa.findings import findings_of
from lab.numa.sections import sections_of
from lab.numa.source import CONFIGURATIONS
from lab.numa.verdict import verdict_of

ABOUT = ("Four processes on a machine of two NUMA nodes, in the source's five configurations: (1) one node's cores and its "
         "memory; (2) the same cores, memory of both nodes; (3) cores of both nodes, memory of one; (4) both of both; (5) one "
         "node's cores, the other's memory. `mpiexec --config` has them by name. What is on this page of the source's machine "
         "is simulated; what is measured is this machine's.")
ABOUT_SOURCE = ("The source's times are those of its table 2. Configurations 1 and 5 are inputs of the model, the others are "
                "held out: no step reads them.")
PROGRAMS = (PROGRAM, live.PROGRAM)
TAKES_COMMAND = True
figures = source.figures


def steps(context):
    return [*model.steps(context), *guest.steps(context), *live.steps(context), *counters.steps(context)]


def rows_of(done):
    rows = []
    if done["model"].data:
        rows += [{"table": "model", "kind": "simulated", "assumption": label, "configuration": name,
                  "number": CONFIGURATIONS[name], "seconds": seconds}
                 for label, table in done["model"].data["seconds"].items() for name, seconds in table.items()]
    return rows + guest.rows(done) + live.rows(done) + counters.rows(done)


def result(done, context):
    missing = {"live": live.why_not(done), "guest": why_not(done), "counters": counters.why_not(done)}
    verdict = verdict_of(done)
    return Result(findings_of(done), rows_of(done), verdict, sections_of(done), verdict[0], {name: why for name, why in missing.items() if why})
