#!/usr/bin/env python3
"""`baton lab` from its command line: the scatter study in its quick form, resumed, interrupted, without its model, and
wrong calls. Usage: scatter_test.py BIN_FOLDER"""
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from calls import BIN, ROOT, WATCHDOG_SECONDS, lab, read

MODEL = os.path.join(BIN, "..", "libexec", "baton", "baton-bus")
HAS_MODEL = os.path.exists(MODEL)


class Words(unittest.TestCase):
    def test_without_a_name_the_studies_are_listed(self):
        done = lab()
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("scatter", "hbm", "deposit", "numa", "hybrid"):
            self.assertIn(name, done.stdout)

    def test_wrong_calls_are_refused(self):
        for words in (("nonsense",), ("--quick",), ("scatter", "--nonsense"), ("scatter", "--qui"), ("scatter", "more")):
            done = lab(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("baton lab", done.stderr)

    def test_help_names_the_options(self):
        done = lab("scatter", "--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--quick", "--out", "--fresh"):
            self.assertIn(option, done.stdout)
        self.assertIn("lab", subprocess.run([os.path.join(BIN, "baton"), "--help"], capture_output=True, text=True,
                                            timeout=WATCHDOG_SECONDS).stdout)

    def test_without_python_the_remedy_is_named(self):
        with tempfile.TemporaryDirectory() as empty:
            done = lab("scatter", env={**os.environ, "PATH": empty})
        self.assertEqual(done.returncode, 1)
        self.assertIn("install Python", done.stderr)

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        done = lab("scatter", "--quick", "--out", os.path.abspath(__file__))
        self.assertEqual(done.returncode, 1)
        self.assertIn("--out", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([os.path.join(BIN, "baton"), "lab"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("baton lab: "), done.stderr)


@unittest.skipUnless(HAS_MODEL, "built without SystemC")
class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.kept.name, "a folder")
        cls.done = lab("scatter", "--quick", "--out", cls.folder)
        assert cls.done.returncode == 0, cls.done.stderr
        cls.data, cls.page = json.loads(read(cls.folder, "data.json")), read(cls.folder, "index.html")

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def test_data_has_what_is_promised(self):
        for name in ("machine", "method", "rows", "findings", "verdict"):
            self.assertTrue(self.data[name], name)
        self.assertTrue(self.data["complete"] and self.data["quick"])
        for finding in self.data["findings"]:
            self.assertTrue({"source", "what", "paper", "ours", "kind", "note"} <= set(finding), finding)
            self.assertIn(finding["kind"], ("measured", "simulated", "modelled"))
            self.assertTrue(finding["ours"] is not None or finding["note"], finding)
        self.assertEqual({"sweep, scatter", "sweep, gather", "sensitivity", "scale", "topology", "status", "roots",
                          "packing", "hardware", "live", *(["synthesis"] if shutil.which("yosys") else [])},
                         {row["table"] for row in self.data["rows"]})

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_what_is_synthesized_is_counted_in_gates(self):
        sizes = {(row["design"], row["nodes"]): row for row in self.data["rows"] if row["table"] == "synthesis"}
        self.assertEqual({nodes for _, nodes in sizes}, {8, 16, 32})
        for (design, nodes), row in sizes.items():
            self.assertEqual(row["gates"], row["nand"] + row["inverters"] + 6 * row["flip_flops"])
            self.assertEqual(row["flip_flops"], (nodes - 1) * (5 if design == "least_left" else 1))
            self.assertIn(str(row["gates"]), self.page)

    def test_the_example_is_the_sources(self):
        replayed = [finding for finding in self.data["findings"] if finding["what"].startswith("example")]
        self.assertEqual([(each["paper"], each["ours"]) for each in replayed], [(39, 39), (31, 31)])

    def test_figure_5_leads_with_the_reading_that_has_all_tendencies(self):
        """The values of the source's example of six busy nodes, by nodes and by what is in flight."""
        best = [finding for finding in self.data["findings"] if finding["what"].startswith("figure 5, six nodes")]
        self.assertEqual([each["ours"] for each in best], [14.29, 53.33, 77.42])
        self.assertEqual([each["paper"] for each in best], [None, None, 78.93])
        row = self.page[self.page.index("Figure 5 in both readings"):]
        row = row[:row.index("any share of the nodes")]
        for value in ("14.3 %", "53.3 %", "25.8 %", "65.8 %", "77.4 %"):
            self.assertIn(value, row)
        self.assertIn("77.42 % beside the source", self.data["verdict"][1])

    def test_no_setting_gives_the_sources_number(self):
        found = next(each for each in self.data["findings"] if each["what"].startswith("a setting that gives"))
        self.assertEqual(found["ours"], "none of 241800")

    def test_measured_numbers_have_no_simulated_one_beside_them(self):
        for finding in self.data["findings"]:
            if finding["kind"] == "measured":
                self.assertIsNone(finding["paper"], finding["what"])

    def test_the_page_has_every_finding_and_the_verdict(self):
        for finding in self.data["findings"]:
            for words in (finding["what"], finding["note"]):
                self.assertIn(html.escape(words), self.page)
        for sentence in self.data["verdict"]:
            self.assertIn(html.escape(sentence), self.page)

    def test_the_page_needs_nothing_from_elsewhere(self):
        self.assertEqual(re.findall(r"https?:|//[a-z]|\bsrc=|\bhref=|@import|url\(", self.page), [])
        self.assertEqual(re.findall(r"<(?:script|link|iframe|img)\b", self.page), [])
        self.assertNotIn(ROOT, self.page)

    def test_the_page_suits_dark_phone_and_paper(self):
        for words in ("prefers-color-scheme: dark", "@media print", "width=device-width"):
            self.assertIn(words, self.page)

    def test_real_ranks_were_measured(self):
        rows = [row for row in self.data["rows"] if row["table"] == "live"]
        self.assertEqual({row["ranks"] for row in rows}, {16, 32})
        for row in rows:
            self.assertGreater(row["idle_over_rank"], 0)
            self.assertGreater(row["idle_over_blocking"], 0)
            self.assertGreaterEqual(row["idle_noise"], 0)  # none, by chance
        self.assertEqual({finding["kind"] for finding in self.data["findings"] if "real ranks" in finding["what"]},
                         {"measured"})

    def test_progress_is_told_in_plain_lines(self):
        self.assertRegex(self.done.stderr, r"step 1 of \d: replay")

    def test_a_second_run_uses_what_is_done(self):
        shutil.copytree(self.folder, self.folder + " again")
        done = lab("scatter", "--quick", "--out", self.folder + " again")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("used again"), len(self.data["method"]))
        self.assertEqual(json.loads(read(self.folder + " again", "data.json"))["findings"], self.data["findings"])
        fresh = lab("scatter", "--quick", "--fresh", "--out", self.folder + " again")
        self.assertNotIn("used again", fresh.stderr)


@unittest.skipUnless(HAS_MODEL, "built without SystemC")
class Cut(unittest.TestCase):
    """A run that is interrupted, and one without the model: with a folder of programs of our own."""

    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.programs = os.path.join(self.kept.name, "bin")
        self.out = os.path.join(self.kept.name, "out")
        os.mkdir(self.programs)
        os.symlink(os.path.join(BIN, "baton"), os.path.join(self.programs, "baton"))

    def tearDown(self):
        self.kept.cleanup()

    def command(self):
        return [sys.executable, os.path.join(ROOT, "lab"), "--programs", self.programs, self.programs, "scatter", "--quick", "--out",
                self.out]

    def model(self, sweep):
        path = os.path.join(self.programs, "baton-bus")
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nif [ "$1" = sweep ]; then {sweep}; fi\nexec \'{MODEL}\' "$@"\n')
        os.chmod(path, 0o755)

    def test_interrupted_it_ends_with_130_and_keeps_what_is_done(self):
        self.model("echo waiting >&2; exec sleep 100")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            child = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            watchdog = threading.Timer(WATCHDOG_SECONDS, child.kill)
            watchdog.start()
            said = ""
            for line in child.stderr:
                said += line
                if "step 2 of" in line:
                    child.send_signal(number)
            ended = child.wait(WATCHDOG_SECONDS)
            watchdog.cancel()
            self.assertEqual(ended, code, said)
            child.stderr.close()
            self.assertIn("interrupted", said)
            self.assertNotIn("Traceback", said)
            self.assertEqual(os.listdir(os.path.join(self.out, "raw")), ["replay.json"])

    def test_without_the_model_the_page_says_so_and_the_command_fails(self):
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn("libsystemc-dev", done.stderr)
        self.assertIn("libsystemc-dev", read(self.out, "index.html"))
        self.assertFalse(json.loads(read(self.out, "data.json"))["complete"])

    def test_a_step_that_fails_leaves_the_others(self):
        self.model("echo 'no more memory' >&2; exit 1")
        done = subprocess.run(self.command(), capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 1)
        data = json.loads(read(self.out, "data.json"))
        self.assertIn("no more memory", read(self.out, "index.html"))
        self.assertEqual([each["step"] for each in data["method"] if "no more memory" in each["problem"]], ["sweep"])
        self.assertIn("hardware", {row["table"] for row in data["rows"]})
        live = [each for each in data["method"] if each["step"].startswith("live")]
        self.assertTrue(live and all("not measured" in each["problem"] for each in live))
        self.assertIn("not measured", read(self.out, "index.html"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
