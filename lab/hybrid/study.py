"""The hybrid study: which steps it has, and what is made of them."""
from lab.frame.machines import PROGRAM
from lab.frame.run import Result
from lab.hybrid import findings_model, live, model, sections, source, verdict
from lab.hybrid.apps import APPS

ABOUT = ("Three applications, each from one source: Hartree-Fock (a master hands out work), weather (a stencil on a plane), seismic "
         "waves (slabs), as serial programs, with threads, with ranks, and with both. `mpiexec --layout MxN` has the layouts by "
         "name. What is on this page of the source's systems is simulated; what is measured is this machine's.")
ABOUT_SOURCE = ("The source's numbers are those of its tables 3 to 5: speed-ups of Gamess, Wrf and Seis against the serial programs. "
                "They are held out: no step reads them.")
PROGRAMS = (PROGRAM, *(name for app in APPS for name in (app.program, f"{app.program}-serial")))
TAKES_COMMAND = True
figures = source.figures


def steps(context):
    """Of a user's command nothing is simulated."""
    return live.steps(context) if context.command else [*model.steps(context), *live.steps(context)]


def result(done, context):
    simulated = "model" in done
    told = verdict.of_this_machine(done, context)
    findings = findings_model.findings_of(done) if simulated else []
    rows = [*(findings_model.rows_of(done) if simulated else []), *live.rows(done, context)]
    parts = sections.of_this_machine(done, context) + (sections.of_the_model(done) if simulated else [])
    return Result(findings, rows, [*told, *(findings_model.verdict_of(done) if simulated else [])], parts, told[0])
