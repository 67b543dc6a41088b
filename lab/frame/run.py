"""Runs a study: its steps one after the other, then its page and data.json from what the steps found."""
import datetime
import os
import sys
from dataclasses import dataclass, field

from lab.frame import machine
from lab.frame.files import make_folder, write, write_json
from lab.frame.page import render
from lab.frame.programs import Programs
from lab.frame.progress import progress
from lab.frame.steps import Steps

FORMAT = 1  # of data.json
PAGE = "index.html"


@dataclass(frozen=True)
class Context:
    folder: str
    quick: bool
    fresh: bool
    programs: Programs
    command: list = field(default_factory=list)  # the user's own, of a study that takes one


@dataclass
class Result:
    """What a study makes of its steps."""
    findings: list
    rows: list
    verdict: list     # sentences
    sections: list    # of the page, between method and findings
    summary: str = ""  # one line for the terminal
    missing: dict = None  # step name -> why it has no data, without being a failure


@dataclass
class Outcome:
    """What a study has come to: all that pages are made of."""
    data: dict         # as in data.json
    findings: list
    sections: list
    module: object       # the study's module
    summary: str = ""
    problems: list = field(default_factory=list)  # of steps that failed, in words


def method_of(steps, missing):
    return [{"step": done.step.name, "what": done.step.what, "kind": done.step.kind, "command": done.step.command,
             "seconds": done.seconds, "problem": done.problem or missing.get(done.step.name, "")} for done in steps]


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def perform(study, context):
    """Runs the steps; the page and data.json are written also when one has failed."""
    make_folder(context.folder)
    module = study.load()
    steps, kept = module.steps(context), Steps(context.folder, context.fresh)
    with progress(study.name, len(steps)) as bar:
        done = [kept.run(step, bar) for step in steps]
    result = module.result({each.step.name: each for each in done}, context)
    data = {
        "format": FORMAT, "study": study.name, "question": study.question, "quick": context.quick,
        "complete": not any(each.problem for each in done), "date": now(),
        "machine": machine.describe(context.programs), "method": method_of(done, result.missing or {}),
        "findings": [finding.as_dict() for finding in result.findings], "verdict": result.verdict, "rows": result.rows,
    }
    outcome = Outcome(data, result.findings, result.sections, module, result.summary,
                      [f"{each.step.name}: {each.problem}" for each in done if each.problem])
    write_json(os.path.join(context.folder, "data.json"), data, indent=1)
    write(os.path.join(context.folder, PAGE), render(outcome))
    return outcome


def run_study(study, context):
    """0, or 1 when a step failed."""
    outcome = perform(study, context)
    page = os.path.join(context.folder, PAGE)
    print(f"{outcome.summary}\n{page}" if outcome.summary else page)
    for problem in outcome.problems:
        print(f"baton lab {study.name}: {problem}", file=sys.stderr)
    return 1 if outcome.problems else 0
