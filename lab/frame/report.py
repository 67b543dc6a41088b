"""Runs all studies one after the other and writes one page of them all, and all their data beside it. A study that fails
does not stop the others: the page has its reason instead."""
import contextlib
import csv
import io
import json
import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass, replace

from lab.frame import machine
from lab.frame.errors import LabError
from lab.frame.files import make_folder, write, write_json
from lab.frame.report_page import first_sentence, render
from lab.frame.run import FORMAT, PAGE, Outcome, now, perform

LIMIT_SECONDS = 1200  # of a study; on two cores each ends within half of it
NOT_YET = "not run yet"


@dataclass
class Part:
    """One study of the report."""
    study: object
    outcome: Outcome = None
    problem: str = NOT_YET  # why there is no outcome


@contextlib.contextmanager
def limit(seconds):
    """What takes longer is ended, as by a failure."""
    def end(*_):
        raise LabError(f"given up after {seconds // 60} minutes; steps that are done are kept, the same command goes on from there")
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def examine(study, context):
    """Runs one study, whatever comes of it."""
    if not study.built:
        return Part(study, problem="not built yet")
    try:
        with limit(LIMIT_SECONDS):
            context.programs.make_missing(study.load().PROGRAMS)
            return Part(study, perform(study, context), "")
    except LabError as error:
        return Part(study, problem=str(error))
    except Exception as error:  # a mistake in one study is no reason to lose the others
        traceback.print_exc()
        return Part(study, problem=f"a mistake in the study: {type(error).__name__}: {error}")


def complete(part):
    return part.outcome is not None and part.outcome.data["complete"]


def problems_of(part):
    return part.outcome.problems if part.outcome else [part.problem]


def table_of(parts, name):
    """All rows or findings as one flat CSV: the study first, then all columns that any of them has."""
    rows = [{"study": part.study.name, **row} for part in parts if part.outcome for row in part.outcome.data[name]]
    columns = list(dict.fromkeys(["study", *(column for row in rows for column in row)]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([in_a_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def in_a_cell(value):
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def write_report(parts, context):
    data = {
        "format": FORMAT, "date": now(), "quick": context.quick, "complete": all(map(complete, parts)),
        "machine": machine.describe(context.programs),
        "studies": {part.study.name: part.outcome.data if part.outcome else {"question": part.study.question, "problem": part.problem}
                    for part in parts},
    }
    write_json(os.path.join(context.folder, "data.json"), data, indent=1)
    write(os.path.join(context.folder, "rows.csv"), table_of(parts, "rows"))
    write(os.path.join(context.folder, "findings.csv"), table_of(parts, "findings"))
    write(os.path.join(context.folder, PAGE), render(data, parts))


def run_all(studies, context):
    """0, or 1 when a study failed, is incomplete or is not built. The page is written anew after each study, so that an
    interruption leaves one of those that were done."""
    def say(text):
        print(f"baton lab all: {text}", file=sys.stderr, flush=True)
    make_folder(context.folder)
    parts = [Part(study) for study in studies]
    for at, study in enumerate(studies):
        say(f"study {at + 1} of {len(studies)}: {study.name}: {study.question}")
        began = time.monotonic()
        parts[at] = examine(study, replace(context, folder=os.path.join(context.folder, study.name)))
        for ended in problems_of(parts[at]) or [f"complete after {time.monotonic() - began:.0f} s"]:
            say(f"study {at + 1} of {len(studies)}: {study.name}: {ended}")
        write_report(parts, context)
    for part in parts:
        print(f"{part.study.name}: {first_sentence(part.outcome.data) if part.outcome else part.problem}")
    print(os.path.join(context.folder, PAGE))
    return 0 if all(map(complete, parts)) else 1
