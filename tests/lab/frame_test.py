#!/usr/bin/env python3
"""The lab's frame: steps are kept and used again, findings are whole, nothing on a page escapes its markup."""
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

from lab.frame import charts, page  # noqa: E402
from lab.frame.errors import LabError, StepFailed  # noqa: E402
from lab.frame.files import write  # noqa: E402
from lab.frame.findings import Finding, with_unit  # noqa: E402
from lab.frame.programs import Programs  # noqa: E402
from lab.frame.progress import PlainProgress  # noqa: E402
from lab.frame.steps import Step, Steps  # noqa: E402
from lab.studies import STUDIES, find  # noqa: E402

NASTY = "<script>alert('&')</script>"


class InFolder(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = self.kept.name
        self.said = io.StringIO()
        self.progress = PlainProgress("trial", 2, self.said)

    def tearDown(self):
        self.kept.cleanup()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)


class Kept(InFolder):
    def step(self, value, **key):
        def work(heard):
            heard("half")
            self.calls += 1
            return {"value": value}
        return Step("one", "counts", "measured", work, key)

    def setUp(self):
        super().setUp()
        self.calls = 0

    def run_step(self, step, fresh=False):
        return Steps(self.folder, fresh).run(step, self.progress)

    def test_a_step_that_is_done_is_used_again(self):
        self.assertFalse(self.run_step(self.step(1, size=4)).reused)
        again = self.run_step(self.step(2, size=4))
        self.assertTrue(again.reused)
        self.assertEqual((again.data, self.calls), ({"value": 1}, 1))
        self.assertIn("used again", self.said.getvalue())

    def test_other_parameters_or_fresh_do_it_anew(self):
        self.run_step(self.step(1, size=4))
        self.assertEqual(self.run_step(self.step(2, size=8)).data, {"value": 2})
        self.assertEqual(self.run_step(self.step(3, size=8), fresh=True).data, {"value": 3})

    def test_a_broken_file_is_no_data(self):
        self.run_step(self.step(1))
        for text in ("{", "[]", '{"key": {}}', ""):
            with open(self.path("raw", "one.json"), "w") as file:
                file.write(text)
            self.assertFalse(self.run_step(self.step(2)).reused, text)

    def test_a_failing_step_says_why_and_leaves_no_file(self):
        def work(_):
            raise StepFailed("no such thing; make one")
        done = self.run_step(Step("one", "fails", "measured", work))
        self.assertEqual((done.data, done.problem), (None, "no such thing; make one"))
        self.assertEqual(os.listdir(self.path("raw")), [])

    def test_an_interrupted_step_leaves_the_ones_before_it(self):
        self.run_step(self.step(1))

        def work(_):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.run_step(Step("two", "is interrupted", "measured", work))
        self.assertEqual(os.listdir(self.path("raw")), ["one.json"])

    def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(self):
        with open(self.path("taken"), "w"):
            pass
        with self.assertRaisesRegex(LabError, "--out"):
            Steps(self.path("taken"), False)

    def test_a_file_is_written_whole_or_not_at_all(self):
        write(self.path("page"), "whole")
        self.assertEqual(os.listdir(self.folder), ["page"])
        with self.assertRaisesRegex(LabError, "cannot write"):
            write(self.path("nowhere", "page"), "whole")


class Ran(InFolder):
    def program(self, text):
        with open(self.path("program"), "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(self.path("program"), 0o755)
        return Programs(self.folder)

    def test_a_report_is_read_and_its_progress_heard(self):
        heard = []
        programs = self.program('echo "rows: 1 of 2" >&2; echo \'{"a": 1}\' > "$3"')
        self.assertEqual(programs.report("program", ["go"], heard.append), {"a": 1})
        self.assertEqual(heard, ["rows: 1 of 2"])

    def test_a_program_that_fails_or_writes_nothing_fails_the_step(self):
        with self.assertRaisesRegex(StepFailed, "ended with 3: it hurts"):
            self.program('echo "it hurts" >&2; exit 3').report("program", [], print)
        with self.assertRaisesRegex(StepFailed, "wrote no report"):
            self.program("exit 0").report("program", [], print)
        with self.assertRaisesRegex(StepFailed, "does not start"):
            Programs(self.folder).report("absent", [], print)

    def test_a_job_prints_its_report(self):
        programs = self.program('echo "{\\"words\\": \\"$*\\"}"')
        os.rename(self.path("program"), self.path("mpiexec"))
        told = programs.job(16, "work", ["a=1"], 60, print)
        self.assertEqual(told["words"], f"--timeout 60 -n 16 {self.path('work')} a=1")
        with self.assertRaisesRegex(StepFailed, "printed no JSON"):
            self.program("exit 0")
            os.rename(self.path("program"), self.path("mpiexec"))
            programs.job(16, "work", [], 60, print)

    def test_a_program_ends_with_us(self):
        def interrupt(line):
            self.pid = int(line)
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.program("echo $$ >&2; exec sleep 100").report("program", [], interrupt)
        with self.assertRaises(ProcessLookupError):
            os.kill(self.pid, 0)

    def test_another_build_has_another_fingerprint(self):
        first = self.program("exit 0").fingerprint("program")
        self.assertNotEqual(first, self.program("exit 1").fingerprint("program"))
        self.assertIsNone(Programs(self.folder).fingerprint("absent"))


class Findings(unittest.TestCase):
    def test_a_finding_is_whole_or_refused(self):
        Finding("scatter", "best", 1.0, 2.0, "simulated")
        Finding("scatter", "live", None, None, "measured", note="there is no program")
        for words in (("scatter", "best", 1.0, 2.0, "guessed"), ("", "best", 1, 2, "measured"),
                      ("scatter", "", 1, 2, "measured"), ("scatter", "best", None, None, "measured")):
            with self.assertRaises(ValueError, msg=words):
                Finding(*words)

    def test_numbers_have_their_unit(self):
        self.assertEqual([with_unit(value, "%") for value in (78.93, 80.0, 39, None, "as said")],
                         ["78.93 %", "80 %", "39 %", "-", "as said"])


class Drawn(unittest.TestCase):
    def test_every_text_is_escaped(self):
        drawn = "".join([
            charts.bars(NASTY, [NASTY, (NASTY, 1, NASTY)], NASTY),
            charts.timeline(NASTY, [(NASTY, [(0, 1, NASTY, "main", NASTY)], 9)], 1),
            charts.heat_map(NASTY, [NASTY], [NASTY], [[1]], 1, NASTY, lambda *_: NASTY),
            charts.curves(NASTY, [(NASTY, "main", {1: 2.0, 4: 3.0})], NASTY, [(2, NASTY)], 1.0),
            charts.table([NASTY], [[NASTY]]), charts.figure("", NASTY), charts.legend(NASTY, NASTY),
            page.paragraph(NASTY), page.section(NASTY), page.kind_mark(NASTY)])
        self.assertNotIn("<script", drawn)

    def test_charts_of_nothing_are_drawn(self):
        charts.bars("none", [("no value", None, ""), ("zero", 0, "")], "")
        self.assertIn("no value", charts.curves("none", [("nothing", "main", {}), ("zero", "cold", {8: 0})], "us"))
        charts.curves("one point", [("one", "main", {8: 1.0})], "us")
        charts.heat_map("none", ["a"], ["b"], [[None]], 0, "", lambda *_: "")

    def test_bars_of_both_signs_stay_inside(self):
        drawn = charts.bars("both", [("up", 30, ""), ("down", -10, "")], "")
        self.assertIn('x="25" y="2" width="75"', drawn)
        self.assertIn('x="0" y="2" width="25"', drawn)


class Registry(unittest.TestCase):
    def test_studies_that_are_built_can_be_loaded(self):
        for study in STUDIES:
            if study.built:
                module = study.load()
                self.assertTrue(module.ABOUT and module.ABOUT_SOURCE and module.steps and module.result)
        self.assertIsNone(find("nonsense"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
