"""The hybrid study: which steps it has, and what is made of them."""
from lab.frame.run import Result
from lab.hybrid import live, sections, verdict
from lab.hybrid.apps import APPS

ABOUT = ("Three applications, each from one source: Hartree-Fock (a master hands out work), weather (a stencil on a plane), seismic "
         "waves (slabs), as serial programs, with threads, with ranks, and with both. `mpiexec --layout MxN` has the layouts by "
         "name. What is on this page of the source's systems is simulated; what is measured is this machine's.")
ABOUT_SOURCE = "The source's numbers are those of its tables 3 to 5: speed-ups against the serial programs. They are held out: no step reads them."
PROGRAMS = tuple(name for app in APPS for name in (app.program, f"{app.program}-serial"))
TAKES_COMMAND = True


def steps(context):
    return live.steps(context)


def result(done, context):
    told = verdict.of_this_machine(done, context)
    return Result([], live.rows(done, context), told, sections.of_this_machine(done, context), told[0])
