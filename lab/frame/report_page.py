"""The page of all studies: contents, each study as on its own page, and where every figure of the sources is redrawn."""
import re
from html import escape

from lab.frame import machine
from lab.frame.charts import table
from lab.frame.findings import KINDS
from lab.frame.page import (document, kind_mark, method_section, opening, paragraph, quick_words, read_style, section,
                            sections_between)

COMMAND, TITLE = "baton lab all", "The source studies, rerun"
FIGURES = "figures"  # anchors
CONTENTS = "contents"
ABOUT = ("Each study asks a published question again and sets the source's numbers beside ours. Measured numbers are this machine's, "
         "simulated and modelled ones those of the source's machine or of another that a study names.")


def link(anchor, words):
    return f'<a href="#{escape(anchor)}">{escape(words)}</a>'


def anchored(made, anchor):
    return made.replace("<section>", f'<section id="{escape(anchor)}">', 1)


def first_sentence(data):
    """Of the verdict."""
    return re.split(r"(?<=[.!?]) (?=[A-Z(])", next(iter(data["verdict"]), ""))[0]


def kinds_of(rows):
    """How ours were found."""
    return [kind for kind in KINDS if any(row.get("kind") == kind for row in rows)]


def met_in_words(findings):
    told = [each for each in findings if each.paper is not None]
    judged = [each.met for each in told if each.met is not None]
    met = f"{sum(judged)} of {len(judged)}" if judged else "none judged"
    rest = len(told) - len(judged)
    return f"{met}, {rest} not judged" if judged and rest else met


def contents_line(part):
    name = ("markup", link(part.study.name, part.study.name))
    if not part.outcome:
        return [name, part.study.question, part.problem, "", "-"]
    outcome = part.outcome
    lacks = "" if outcome.data["complete"] else f" Incomplete: {'; '.join(outcome.problems)}."
    kinds = " ".join(map(kind_mark, kinds_of(outcome.data["rows"])))
    return [name, part.study.question, first_sentence(outcome.data) + lacks, ("markup", kinds), met_in_words(outcome.findings)]


def contents(parts):
    return anchored(section(
        "Contents", table(["study", "question", "verdict", "numbers are", "findings met"], map(contents_line, parts), stacked=True),
        paragraph("Findings met: of those of the source to which the study sets a bound, how many ours keep to. Not judged are "
                  "those without a number of ours or without a bound.", "soft"),
        f"<p>{link(FIGURES, 'Every figure and table of the sources')}</p>"), CONTENTS)


def sections_of(part):
    """Anchor -> section."""
    if not part.outcome:
        return {}
    made = [*sections_between(part.outcome), method_section(part.outcome.data, "Method")]
    return {f"{part.study.name}-{number}": each for number, each in enumerate(made, 1)}


def article(part, sections):
    name = part.study.name
    begin = paragraph(part.outcome.module.ABOUT) if part.outcome else paragraph(part.problem, "problem")
    links = [link(CONTENTS, "Contents"), *[link(anchor, each.heading) for anchor, each in sections.items()]]
    return "".join([
        f'<article id="{escape(name)}">', opening((f"baton lab {name}",), part.study.question, begin), f"<nav>{' '.join(links)}</nav>",
        *[anchored(each, anchor) for anchor, each in sections.items()], "</article>"])


def names(heading, figure):
    """Whether a title such as "Gains (figures 3 to 7)" or "Tables 1 and 2" names, for example, "figure 5"."""
    kind, _, number = figure.partition(" ")
    for first, joined, last in re.findall(rf"\b{kind}s? (\d+)(?: (to|and) (\d+))?", heading, re.IGNORECASE):
        named = range(int(first), int(last) + 1) if joined == "to" else [int(each) for each in (first, last) if each]
        if number in map(str, named):
            return True
    return False


def place_of(figure, words, own, everywhere):
    """The anchor of what redraws it: a section of the study's own whose title names it, or any whose title the words name."""
    found = [anchor for anchor, each in own.items() if names(each.heading, figure)]
    found += [anchor for anchor, each in everywhere.items() if f'"{each.heading}"' in words]
    return found[0] if found else None


def figure_lines(part, own, everywhere):
    name = source = part.study.name
    try:
        module = part.study.load()
        source, figures = getattr(module, "SOURCE", name), module.figures()
    except Exception:  # not built, or not to be loaded: the study's own part says more
        figures = [("all", part.problem or "not listed")]
    lines = []
    for figure, words in figures:
        place = place_of(figure, words, own, everywhere)
        where = link(place, everywhere[place].heading) if place else link(name, name)
        lines.append([f"{source}, {figure}", words, ("markup", where)])
    return lines


def figures_section(parts, sections):
    everywhere = {anchor: each for own in sections for anchor, each in own.items()}
    lines = [line for part, own in zip(parts, sections) for line in figure_lines(part, own, everywhere)]
    return anchored(section(
        "Every figure and table of the sources",
        paragraph('"Curve unknown": only a picture has it, and of its values only those that the text names are known here.'),
        table(["figure or table", "in this report", "where"], lines, stacked=True)), FIGURES)


def render(data, parts):
    sections = [sections_of(part) for part in parts]
    body = "".join([
        opening((COMMAND, data["date"]), TITLE, paragraph(ABOUT + quick_words(data)), paragraph(machine.in_words(data["machine"]), "soft")),
        contents(parts), *[article(part, own) for part, own in zip(parts, sections)], figures_section(parts, sections),
        paragraph("Beside this page: all numbers in data.json, rows.csv and findings.csv; each study's own page, the raw data "
                  "of its steps and what else it writes in a folder of its name.", "soft")])
    return document(COMMAND, body, read_style("style.css") + read_style("report.css"))
