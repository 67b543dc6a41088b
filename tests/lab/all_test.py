#!/usr/bin/env python3
"""`baton lab all`: order, failures, interruptions and going on, with studies made here; the page and the files beside it."""
import contextlib
import csv
import html.parser
import io
import json
import os
import signal
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

from lab import command  # noqa: E402
from lab.frame import report, report_page  # noqa: E402
from lab.frame.errors import LabError, StepFailed  # noqa: E402
from lab.frame.findings import Finding  # noqa: E402
from lab.frame.page import paragraph, section  # noqa: E402
from lab.frame.run import Result  # noqa: E402
from lab.frame.steps import Step  # noqa: E402
from lab.studies import STUDIES  # noqa: E402

# Of each source: how many figures and tables it numbers.
NUMBERED = {"scatter": (5, 1), "hbm": (8, 0), "deposit": (12, 2), "numa": (4, 2), "hybrid": (3, 5)}


class Fake:
    """A study of two steps; `work` is what the second one does."""

    def __init__(self, name, work=lambda: 2, built=True, **more):
        self.name, self.question, self.built, self.work, self.more = name, f"What of {name} & <others>?", built, work, more
        self.calls = []

    def load(self):
        return types.SimpleNamespace(ABOUT=f"About {self.name}.", ABOUT_SOURCE="Of its source.", PROGRAMS=(), steps=self.steps,
                                     result=self.result, figures=lambda: [("figure 1", "a diagram"), ("figure 2", "redrawn")],
                                     **self.more)

    def steps(self, context):
        def step(name, work):
            def run(_):
                self.calls.append(name)
                return {"value": work()}
            return Step(name, f"does {name}", "measured", run, {"quick": context.quick})
        return [step("first", lambda: 1), step("second", self.work)]

    def result(self, done, context):
        rows = [{"table": name, "kind": "measured", self.name: {"nested": [name, 1.5]}} for name, each in done.items() if each.data]
        found = [Finding(self.name, "one, with \"quotes\"", 1, 1, "measured", met=True),
                 Finding(self.name, "two", 2, 3, "measured", met=False), Finding(self.name, "three", 3, None, "measured"),
                 Finding(self.name, "four", None, 4, "measured")]
        return Result(found, rows, [f"It is so with {self.name}. And more.", "Last."], [section("Drawn (figures 2 to 3)", paragraph("x"))])


class Page(html.parser.HTMLParser):
    """Anchors, links and addresses of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.addresses = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name == "href" and value.startswith("#"):
                self.links.append(value[1:])
            elif name in ("href", "src", "action", "data", "srcset", "xlink:href"):
                self.addresses.append(value)


class All(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))

    def run_all(self, *studies, words=()):
        self.out, self.err = io.StringIO(), io.StringIO()
        with mock.patch.object(command, "STUDIES", studies), contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            return command.main(["all", "--quick", "--out", self.folder, *words])

    def read(self, *parts):
        with open(os.path.join(self.folder, *parts), encoding="utf-8") as file:
            return file.read()

    def data(self):
        return json.loads(self.read("data.json"))

    def table(self, name):
        return list(csv.DictReader(io.StringIO(self.read(name))))


class Ran(All):
    def test_all_are_run_in_order_and_each_has_its_own_folder(self):
        one, two = Fake("one"), Fake("two")
        self.assertEqual(self.run_all(one, two), 0, self.err.getvalue())
        said = self.err.getvalue()
        places = [said.index(words) for words in ("all: study 1 of 2: one", "one: step 2 of 2: second: done", "study 1 of 2: one: complete",
                                                  "all: study 2 of 2: two", "two: step 1 of 2: first")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(self.out.getvalue(), f"one: It is so with one.\ntwo: It is so with two.\n{self.folder}/index.html\n")
        for name in ("one", "two"):
            self.assertEqual(json.loads(self.read(name, "data.json")), self.data()["studies"][name])
            self.assertTrue(self.read(name, "index.html"))

    def test_steps_that_are_done_are_used_again(self):
        one = Fake("one")
        self.run_all(one)
        self.assertEqual(self.run_all(one), 0)
        self.assertEqual(one.calls, ["first", "second"])
        self.run_all(one, words=["--fresh"])
        self.assertEqual(one.calls, ["first", "second"] * 2)

    def test_a_study_that_fails_does_not_stop_the_others(self):
        def step_fails():
            raise StepFailed("no such program")

        def lab_fails():
            raise LabError("no answer; ask again")

        def breaks():
            raise KeyError("mistake")
        studies = [Fake("step", step_fails), Fake("lab", lab_fails), Fake("bug", breaks), Fake("none", built=False), Fake("last")]
        self.assertEqual(self.run_all(*studies), 1)
        reasons = {"step": "second: no such program", "lab": "no answer; ask again", "bug": "KeyError: 'mistake'", "none": "not built yet"}
        for name, reason in reasons.items():
            self.assertRegex(self.err.getvalue(), f"baton lab all: study . of 5: {name}: .*{reason}")
            self.assertIn(html.escape(reason), self.read("index.html"))
        self.assertIn("Traceback", self.err.getvalue())
        data = self.data()
        self.assertFalse(data["complete"])
        self.assertEqual([name for name, each in data["studies"].items() if "problem" in each], ["lab", "bug", "none"])
        self.assertEqual([data["studies"][name]["complete"] for name in ("step", "last")], [False, True])
        self.assertIn("It is so with last.", self.read("index.html"))

    def test_what_takes_too_long_is_ended_and_the_next_begins(self):
        with mock.patch.object(report, "LIMIT_SECONDS", 1):
            self.assertEqual(self.run_all(Fake("slow", lambda: time.sleep(60)), Fake("next")), 1)
        self.assertIn("slow: given up after", self.err.getvalue())
        self.assertTrue(self.data()["studies"]["next"]["complete"])

    def interrupt(self, how, code):
        calls = []

        def work():
            calls.append(1)
            if len(calls) == 1:
                how()
            return 2
        one, two, three = Fake("one"), Fake("two", work), Fake("three")
        self.assertEqual(self.run_all(one, two, three), code)
        self.assertIn("baton lab all: interrupted; steps that are done are kept", self.err.getvalue())
        self.assertEqual(three.calls, [])
        self.assertIn(report.NOT_YET, self.read("index.html"))
        self.assertTrue(self.data()["studies"]["one"]["complete"])
        self.assertEqual(self.run_all(one, two, three), 0)
        self.assertEqual((one.calls, two.calls), (["first", "second"], ["first", "second", "second"]))
        self.assertTrue(self.data()["complete"])

    def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(self):
        def how():
            raise KeyboardInterrupt
        self.interrupt(how, 130)

    def test_sigterm_does_so_too(self):
        self.interrupt(lambda: os.kill(os.getpid(), signal.SIGTERM), 143)


class Called(All):
    def test_a_command_is_refused(self):
        for words in (["--", "true"], ["--"]):
            self.assertEqual(self.run_all(Fake("one"), words=words), 2)
            self.assertEqual(self.err.getvalue().count("\n"), 1)
            self.assertIn("takes no command of yours", self.err.getvalue())

    def test_a_study_that_is_not_built_says_so_where_it_is_called_alone(self):
        err = io.StringIO()
        with mock.patch.object(command, "find", lambda name: Fake(name, built=False)), contextlib.redirect_stderr(err):
            self.assertEqual(command.main(["none"]), 2)
        self.assertIn("none is not built yet", err.getvalue())

    def test_the_list_and_the_help_name_it(self):
        self.assertIn("baton lab all", command.listing())
        self.assertIn("rows.csv", command.parser_of_all().format_help())


class Written(All):
    def test_csv_files_have_every_row_and_finding_and_all_columns(self):
        self.run_all(Fake("one"), Fake("two"))
        rows, found = self.table("rows.csv"), self.table("findings.csv")
        self.assertEqual(list(rows[0]), ["study", "table", "kind", "one", "two"])
        self.assertEqual([(row["study"], row["table"]) for row in rows],
                         [("one", "first"), ("one", "second"), ("two", "first"), ("two", "second")])
        self.assertEqual((json.loads(rows[0]["one"]), rows[0]["two"]), ({"nested": ["first", 1.5]}, ""))
        self.assertEqual(list(found[0]), ["study", "source", "what", "paper", "ours", "kind", "unit", "note", "met"])
        self.assertEqual([(row["what"], row["paper"], row["met"]) for row in found[:4]],
                         [("one, with \"quotes\"", "1", "true"), ("two", "2", "false"), ("three", "3", ""), ("four", "", "")])
        self.assertEqual(len(found), 8)

    def test_links_resolve_ids_are_unique_and_there_is_no_address(self):
        self.run_all(Fake("one"), Fake("two"), Fake("none", built=False))
        text = self.read("index.html")
        page = Page(text)
        self.assertEqual(page.addresses, [])
        for address in ("http:", "https:", "//", "url(", "@import"):
            self.assertNotIn(address, text)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual(set(page.links) - set(page.ids), set())
        self.assertTrue({"one", "two", "none", report_page.FIGURES, report_page.CONTENTS, "one-3", "two-3"} <= set(page.links))
        self.assertIn(html.escape("What of one & <others>?"), text)

    def test_contents_have_verdict_kinds_and_findings_met(self):
        self.run_all(Fake("one"))
        text = self.read("index.html")
        line = text[text.index('data-name="study"'):]
        line = line[:line.index("</tr>")]
        for words in ("It is so with one.<", "measured</span>", "1 of 2, 1 not judged"):
            self.assertIn(words, line)
        self.assertNotIn("simulated", line)

    def test_a_section_that_names_a_figure_is_where_it_is_redrawn(self):
        self.run_all(Fake("one"))
        text = self.read("index.html")
        table = text[text.index(f'id="{report_page.FIGURES}"'):]
        self.assertRegex(table, 'one, figure 2</td>.*?redrawn</td>.*?<a href="#one-3">Drawn')
        self.assertRegex(table, 'one, figure 1</td>.*?diagram</td>.*?<a href="#one">one')
        for heading, figures in (("Figures 7 to 9, redrawn", "789"), ("Tables 1 and 3", ""), ("Gains (figure 5)", "5"), ("Figure 12", "")):
            named = "".join(str(number) for number in range(1, 10) if report_page.names(heading, f"figure {number}"))
            self.assertEqual(named, figures, heading)
        self.assertEqual([report_page.names("Tables 1 and 3", f"table {number}") for number in (1, 2, 3)], [True, False, True])


class Sources(unittest.TestCase):
    def test_every_figure_and_table_of_every_source_is_in_the_table(self):
        parts = [report.Part(study) for study in STUDIES]
        made = report_page.figures_section(parts, [{} for _ in parts])
        for name, (figures, tables) in NUMBERED.items():
            numbered = [f"figure {number}" for number in range(1, figures + 1)] + [f"table {number}" for number in range(1, tables + 1)]
            with self.subTest(source=name):
                self.assertEqual([figure for figure in numbered if f">{name}, {figure}<" not in made], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
