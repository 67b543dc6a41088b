"""The page of a study: one file without any address in it, for screen, phone and paper."""
import os
from html import escape

from lab.frame import machine
from lab.frame.charts import table
from lab.frame.findings import with_unit

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "style.css")


def paragraph(words, kind=""):
    return f'<p{f" class={kind}" if kind else ""}>{escape(words)}</p>'


def section(title, *parts):
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def kind_mark(kind):
    return f'<span class="kind {escape(kind)}">{escape(kind)}</span>'


def problems_of(data):
    return "".join(paragraph(f"{each['step']}: {each['problem']}", "problem") for each in data["method"]
                   if each["problem"])


def method_section(data):
    lines = [(each["step"], ("markup", kind_mark(each["kind"])), each["what"],
              ("markup", f"<code>{escape(each['command'])}</code>" if each["command"] else ""),
              "-" if each["problem"] else f"{each['seconds']:.1f} s") for each in data["method"]]
    return section("Machine and method", paragraph(machine.in_words(data["machine"])), problems_of(data),
                   table(["step", "", "what it does", "command", "took#"], lines, stacked=True))


def findings_section(findings, about_source):
    lines = [(each.what, with_unit(each.paper, each.unit) if each.paper is not None else "says nothing",
              with_unit(each.ours, each.unit) if each.ours is not None else "none",
              ("markup", kind_mark(each.kind)), each.note) for each in findings]
    return section("The source's findings beside ours", paragraph(about_source),
                   table(["finding", "source", "ours", "", "note"], lines, stacked=True))


def render(data, findings, sections, room):
    with open(STYLE, encoding="utf-8") as file:
        style = file.read()
    quick = " This was a quick run: fewer points and draws than the full one." if data["quick"] else ""
    verdict = "".join(f"<p>{escape(sentence)}</p>" for sentence in data["verdict"])
    body = "".join([
        f'<p class="over">baton lab {escape(data["study"])} &middot; {escape(data["date"])}</p>',
        f"<h1>{escape(data['question'])}</h1>", paragraph(room.ABOUT + quick),
        section("Verdict", f'<div class="verdict">{verdict}</div>'), findings_section(findings, room.ABOUT_SOURCE),
        *sections, method_section(data),
        paragraph("All numbers stand in data.json beside this page, those of each step in raw/.", "soft")])
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>baton lab {escape(data['study'])}</title><style>{style}</style></head>\n<body>{body}</body></html>\n")
