"""The hbm study: which steps it has, and what is made of them."""
from lab.frame.guest import why_not
from lab.frame.machines import PROGRAM
from lab.frame.run import Result
from lab.hbm import collectives, guest, live, model, source, xeon_max
from lab.hbm.findings import findings_of, verdict_of
from lab.hbm.model import gain
from lab.hbm.sections import sections_of

ABOUT = ("Pairs of ranks on a Xeon Phi (KNL) send 32 KiB through MPI's shared memory: everything in DDR4, the segments in "
         "MCDRAM, or the users' buffers, too, as mpiexec --memory queues=hbm,heap=hbm places them. In a tile a pair shares a "
         "cache; across tiles it does not. The source measured it with MVAPICH; here the machine is a model. Where the "
         "fast memory is a device's, docs/device-memory.md says what messages cost.")
ABOUT_SOURCE = "All numbers of the source are held out: no step reads them."
PROGRAMS = (PROGRAM, live.PROGRAM)
figures = source.figures


def steps(context):
    return [*model.steps(context), *collectives.steps(context), *xeon_max.steps(context), *guest.steps(context), *live.steps(context)]


def result(done, context):
    data = done["model"].data
    rows = [{"table": "model", "kind": "simulated", "assumption": label, "case": name, "gain_percent": gain(bandwidth),
             "slow_gbs": bandwidth["slow"], "fast_gbs": bandwidth["fast"]}
            for label, table in data["bandwidth"].items() for name, bandwidth in table.items()] if data else []
    verdict, missing = verdict_of(done), {"guest": why_not(done), "live": live.why_not(done)}
    return Result(findings_of(done), rows + collectives.rows(done) + xeon_max.rows(done) + guest.rows(done) + live.rows(done), verdict, sections_of(done), verdict[0],
                  {name: why for name, why in missing.items() if why})
