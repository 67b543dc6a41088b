"""The hybrid study: which steps it has, and what is made of them."""
from lab.frame.machines import PROGRAM
from lab.frame.run import Result
from lab.hybrid import findings_model, live, model, reading, reading_section, sections, source, verdict
from lab.hybrid.apps import APPS

ABOUT = ("Three applications, each from one source: Hartree-Fock (a master hands out work), weather (a stencil on a plane), seismic "
         "waves (slabs), as serial programs, with threads, with ranks, and with both. `mpiexec --layout MxN` has the layouts by "
         "name. What is on this page of the source's systems is simulated; what is measured is this machine's. How the seismic "
         "program's ranks read a file is measured here, and modelled for jobs on more nodes.")
ABOUT_SOURCE = ("The source's numbers are those of its tables 3 to 5: speed-ups of Gamess, Wrf and Seis against the serial programs. "
                "They are held out: no step reads them.")
PROGRAMS = (PROGRAM, *(name for app in APPS for name in (app.program, f"{app.program}-serial")))
TAKES_COMMAND = True
figures = source.figures


def steps(context):
    """Of a user's command nothing is simulated."""
    return live.steps(context) if context.command else [*model.steps(context), *live.steps(context), reading.step(context)]


def result(done, context):
    simulated = "model" in done
    told = verdict.of_this_machine(done, context)
    findings = findings_model.findings_of(done) if simulated else []
    rows = [*(findings_model.rows_of(done) if simulated else []), *live.rows(done, context), *reading.rows(done)]
    parts = [*sections.of_this_machine(done, context), *reading_section.sections(done), *(sections.of_the_model(done) if simulated else [])]
    words = [*told, *reading.verdict(done), *(findings_model.verdict_of(done) if simulated else [])]
    return Result(findings, rows, words, parts, told[0])
