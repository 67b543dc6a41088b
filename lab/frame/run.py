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


def method_of(steps, missing):
    return [{"step": done.step.name, "what": done.step.what, "kind": done.step.kind, "command": done.step.command,
             "seconds": done.seconds, "problem": done.problem or missing.get(done.step.name, "")} for done in steps]


def run_study(study, context):
    """0, or 1 when a step failed; the page is written in either case."""
    make_folder(context.folder)
    room = study.load()
    steps, kept = room.steps(context), Steps(context.folder, context.fresh)
    with progress(study.name, len(steps)) as bar:
        done = [kept.run(step, bar) for step in steps]
    result = room.result({each.step.name: each for each in done}, context)
    data = {
        "format": FORMAT, "study": study.name, "question": study.question, "quick": context.quick,
        "complete": not any(each.problem for each in done),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine.describe(context.programs), "method": method_of(done, result.missing or {}),
        "findings": [finding.as_dict() for finding in result.findings], "verdict": result.verdict, "rows": result.rows,
    }
    page = os.path.join(context.folder, "index.html")
    write_json(os.path.join(context.folder, "data.json"), data, indent=1)
    write(page, render(data, result.findings, result.sections, room))
    print(f"{result.summary}\n{page}" if result.summary else page)
    for each in done:
        if each.problem:
            print(f"baton lab {study.name}: {each.step.name}: {each.problem}", file=sys.stderr)
    return 0 if data["complete"] else 1
