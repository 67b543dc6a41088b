"""The page of a study, and the parts that it shares with the report of all: files without any address in them, for screen,
phone and paper."""
import os
from html import escape

from lab.frame import machine
from lab.frame.charts import table
from lab.frame.findings import with_unit

FOLDER = os.path.dirname(os.path.abspath(__file__))


def paragraph(words, kind=""):
    return f'<p{f" class={kind}" if kind else ""}>{escape(words)}</p>'


class Section(str):
    """Markup that knows its own title."""
    heading = ""


def section(title, *parts):
    made = Section(f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>")
    made.heading = title
    return made


def kind_mark(kind):
    return f'<span class="kind {escape(kind)}">{escape(kind)}</span>'


def problems_of(data):
    return "".join(paragraph(f"{each['step']}: {each['problem']}", "problem") for each in data["method"]
                   if each["problem"])


def method_section(data, title, *before):
    lines = [(each["step"], ("markup", kind_mark(each["kind"])), each["what"],
              ("markup", f"<code>{escape(each['command'])}</code>" if each["command"] else ""),
              "-" if each["problem"] else f"{each['seconds']:.1f} s") for each in data["method"]]
    return section(title, *before, problems_of(data),
                   table(["step", "", "what it does", "command", "took#"], lines, stacked=True))


def findings_section(findings, about_source):
    lines = [(each.what, with_unit(each.paper, each.unit) if each.paper is not None else "says nothing",
              with_unit(each.ours, each.unit) if each.ours is not None else "none",
              ("markup", kind_mark(each.kind)), each.note) for each in findings]
    return section("The source's findings beside ours", paragraph(about_source),
                   table(["finding", "source", "ours", "", "note"], lines, stacked=True))


def figures_section(title, figures):
    """figures: (which of the source's, where it is here)."""
    return section(title, table(["", "here"], figures, stacked=True))


def verdict_section(data):
    verdict = "".join(f"<p>{escape(sentence)}</p>" for sentence in data["verdict"])
    return section("Verdict", f'<div class="verdict">{verdict}</div>')


def opening(over, title, *parts):
    """over: short words above the title."""
    return f'<p class="over">{" &middot; ".join(map(escape, over))}</p><h1>{escape(title)}</h1>{"".join(parts)}'


def quick_words(data):
    return " This was a quick run: fewer points and draws than the full one." if data["quick"] else ""


def sections_between(outcome):
    """All but the method."""
    return [verdict_section(outcome.data), findings_section(outcome.findings, outcome.module.ABOUT_SOURCE), *outcome.sections]


def read_style(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def document(title, body, style):
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>{body}</body></html>\n")


def render(outcome):
    data = outcome.data
    command = f"baton lab {data['study']}"
    body = "".join([
        opening((command, data["date"]), data["question"], paragraph(outcome.module.ABOUT + quick_words(data))),
        *sections_between(outcome),
        method_section(data, "Machine and method", paragraph(machine.in_words(data["machine"]))),
        paragraph("All numbers stand in data.json beside this page, those of each step in raw/.", "soft")])
    return document(command, body, read_style("style.css"))
