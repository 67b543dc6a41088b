#!/usr/bin/env python3
"""`baton lab numa`: its quick form, what its model may not read, its live steps on a machine that seems to have two NUMA
nodes, and wrong calls. Usage: numa_test.py BIN_FOLDER"""
import html
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from calls import BIN, LIBEXEC, ROOT, WATCHDOG_SECONDS, lab, read
from lab.frame.programs import Programs
from lab.frame.run import Context, run_study
from lab.frame.steps import Done
from lab.numa import counters, guest, live, model, source, verdict
from lab.studies import find

HAS_MODEL = os.path.exists(os.path.join(LIBEXEC, "baton-machine"))


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name


@unittest.skipUnless(HAS_MODEL, "built without SimGrid")
class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.done = lab("numa", "--quick", "--out", cls.kept.name)
        assert cls.done.returncode == 0, cls.done.stderr
        cls.data, cls.page = json.loads(read(cls.kept.name, "data.json")), read(cls.kept.name, "index.html")

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def seconds(self, assumption):
        return {row["number"]: row["seconds"] for row in self.data["rows"]
                if row["table"] == "model" and row["assumption"] == assumption}

    def test_the_inputs_come_back(self):
        told = source.inputs()["configurations"]
        for name in told:
            self.assertAlmostEqual(self.seconds("base")[told[name]["number"]] / told[name]["seconds"], 1, delta=0.01)

    def test_configurations_come_in_the_sources_order(self):
        seconds = self.seconds("base")
        self.assertEqual(sorted(seconds, key=seconds.get), source.outputs()["order"])

    def test_each_error_on_the_page_is_that_of_its_numbers(self):
        for name, row in source.outputs()["configurations"].items():
            error = self.seconds("base")[row["number"]] / row["seconds"] - 1
            self.assertLess(abs(error), 0.15)
            note = next(each["note"] for each in self.data["findings"] if f"({row['number']}) {name}" in each["what"])
            self.assertIn(f"{100 * error:+.1f} %", note)
            said = f"({row['number']}) misses by" in self.data["verdict"][0]
            self.assertEqual(said, abs(error) > source.TOLERANCE)

    def test_a_program_that_follows_pointers_gains_under_five_percent(self):
        seconds = self.seconds("pointer chase")
        self.assertLess(max(seconds[1] / each for each in seconds.values()) - 1, 0.05)

    def test_the_page_has_every_finding_and_the_sources_figures(self):
        for finding in self.data["findings"]:
            for words in (finding["what"], finding["note"]):
                self.assertIn(html.escape(words), self.page)
        for figure in ("figure 1", "figure 2", "figure 3", "figure 4", "table 1", "table 2"):
            self.assertIn(figure, self.page)
        for parameter in ("DDR3.bandwidth", "link.bandwidth", "core.lines"):
            self.assertIn(parameter, self.page)

    def test_a_full_run_has_the_same_verdict_and_uses_what_is_done(self):
        done = lab("numa", "--out", self.kept.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("model: already done", done.stderr)
        self.assertEqual(json.loads(read(self.kept.name, "data.json"))["verdict"][:3], self.data["verdict"][:3])


    def test_what_to_use_is_what_baton_advise_says(self):
        done = subprocess.run([os.path.join(BIN, "baton"), "advise", "--json", "-n", "4", "--topology",
                               os.path.join(ROOT, "tests", "machines", "two-sockets.xml")],
                              capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        says = {one["purpose"]: one["options"].split("--config ")[-1] for one in json.loads(done.stdout)["advice"]}
        seconds = {row["assumption"]: {} for row in self.data["rows"] if row["table"] == "model"}
        for row in self.data["rows"]:
            if row["table"] == "model":
                seconds[row["assumption"]][row["configuration"]] = row["seconds"]
        use = verdict.advised(seconds)
        for program in ("lbm", "stream", "stencil"):
            self.assertEqual(use[program], says["programs that wait for memory"])
        self.assertEqual(use["pointer chase"], says["programs that wait for each other rather than for memory"])
        for program, name in use.items():
            self.assertIn(f"{program} ({source.CONFIGURATIONS[name]}) {name}", self.data["verdict"][3])


class Model(Folder):
    def test_no_step_reads_what_is_held_out(self):
        opened = []
        sys.addaudithook(lambda event, words: opened.append(str(words[0])) if event == "open" else None)
        cases = model.cases()
        with mock.patch.object(source, "outputs", side_effect=AssertionError("a step reads outputs.json")):
            step = model.steps(Context(self.folder, True, True, Programs(BIN, LIBEXEC)))[0]
            if HAS_MODEL:
                step.work(lambda said: None)
        self.assertTrue(any(name.endswith("inputs.json") for name in opened))
        self.assertFalse([name for name in opened if name.endswith("outputs.json")])
        text = json.dumps(cases) + read(ROOT, "lab", "numa", "inputs.json") + read(ROOT, "lab", "machines", "two-x5570.json")
        for row in source.outputs()["configurations"].values():
            self.assertNotIn(str(row["seconds"]), text)

    def test_without_simgrid_the_remedy_is_named(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        self.assertEqual(run_study(find("numa"), Context(self.folder, True, False, Programs(empty))), 1)
        page = read(self.folder, "index.html")
        self.assertIn("libsimgrid-dev", page)
        self.assertFalse(json.loads(read(self.folder, "data.json"))["complete"])

    @unittest.skipUnless(HAS_MODEL, "built without SimGrid")
    def test_a_truncated_file_of_a_step_is_done_again(self):
        self.assertEqual(lab("numa", "--quick", "--out", self.folder).returncode, 0)
        raw = os.path.join(self.folder, "raw", "model.json")
        with open(raw, "r+", encoding="utf-8") as file:
            file.truncate(100)
        done = lab("numa", "--quick", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("model: done in", done.stderr)


FAKE = """#!/usr/bin/env python3
import json, sys
config = sys.argv[sys.argv.index("--config") + 1]
with open(sys.argv[0] + ".calls", "a") as calls:
    calls.write(config + " " + " ".join(sys.argv[-2:]) + "\\n")
seconds = {"local": 2.0, "interleave": 1.5, "spread": 2.5, "spread-interleave": 1.0, "remote": 3.0}[config]
print(json.dumps({"seconds": {"stream": [seconds, seconds], "in cache": [1.0, 1.0]}}))
"""


class Live(Folder):
    """On a machine that seems to have two nodes, with an mpiexec that only tells numbers."""

    def run_live(self, command=()):
        fake = os.path.join(self.folder, "mpiexec")
        with open(fake, "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(fake, os.stat(fake).st_mode | stat.S_IXUSR)
        context = Context(os.path.join(self.folder, "out"), True, True, Programs(self.folder, LIBEXEC), list(command))
        with mock.patch.object(live, "nodes_with_cpus", return_value=2):
            code = run_study(find("numa"), context)
        return code, json.loads(read(context.folder, "data.json")), read(fake + ".calls").splitlines()

    @unittest.skipUnless(HAS_MODEL, "built without SimGrid")
    def test_all_configurations_are_measured_in_turn(self):
        code, data, calls = self.run_live()
        self.assertEqual(code, 0)
        order = [call.split()[0] for call in calls]
        self.assertEqual(order, list(source.CONFIGURATIONS) * live.QUICK["repeats"])
        rows = {(row["program"], row["configuration"]): row for row in data["rows"] if row["table"] == "live"}
        self.assertEqual(len(rows), 10)
        self.assertEqual((rows["stream", "local"]["seconds"], rows["stream", "local"]["kind"]), (2.0, "measured"))
        self.assertIn("stream 100 % in (4) spread-interleave", data["verdict"][-1])

    @unittest.skipUnless(HAS_MODEL, "built without SimGrid")
    def test_a_command_of_the_users_is_measured(self):
        code, data, calls = self.run_live(["./program", "words"])
        self.assertEqual(code, 0)
        self.assertTrue(all(call.endswith("./program words") for call in calls), calls)
        self.assertEqual({row["program"] for row in data["rows"] if row["table"] == "live"}, {"command"})

    @unittest.skipUnless(HAS_MODEL, "built without SimGrid")
    def test_only_what_is_clearly_better_is_advised(self):
        _, data, _ = self.run_live()
        self.assertIn("Use: stream (4) spread-interleave, in cache (1) local.", data["verdict"][-1])

    def counted(self, perf):
        """What the step of counters finds, with a perf that prints this."""
        file = os.path.join(self.folder, "perf")
        with open(file, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncat > \"$2\" <<'END'\n{perf}\nEND\n")
        os.chmod(file, 0o755)
        context = Context(self.folder, True, True, Programs(BIN, LIBEXEC), ["true"])
        path = f"{self.folder}:{os.environ['PATH']}"
        with mock.patch.object(live, "nodes_with_cpus", return_value=2), mock.patch.dict(os.environ, {"PATH": path}):
            return counters.measure(context, lambda said: None)

    def test_events_are_counted_in_each_configuration(self):
        found = self.counted("123,,LLC-loads,9,100.00,,\n7,,node-load-misses:u,9,100.00,,\n<not supported>,,node-loads,0,100.00,,")
        self.assertEqual(found["counts"], {name: {"LLC-loads": 123, "node-load-misses": 7} for name in source.CONFIGURATIONS})

    def test_a_machine_that_counts_nothing_says_so(self):
        self.assertEqual(self.counted("<not supported>,,LLC-loads,0,100.00,,")["why"], counters.NONE)

    def test_the_program_of_the_four_kinds_is_right(self):
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "600", "-n", "2",
                               os.path.join(LIBEXEC, "baton-numa-live"), "4", "2"], capture_output=True, text=True,
                              timeout=WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertTrue(told["right"])
        self.assertEqual({name: len(seconds) for name, seconds in told["seconds"].items()},
                         {"stream": 2, "stencil": 2, "pointer chase": 2, "in cache": 2})
        self.assertTrue(all(each > 0 for seconds in told["seconds"].values() for each in seconds))

    def test_bad_words_of_the_program_are_refused(self):
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "600", "-n", "1",
                               os.path.join(LIBEXEC, "baton-numa-live"), "none"], capture_output=True, text=True,
                              timeout=WATCHDOG_SECONDS)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MIB: 1 to 65536, not none", done.stderr)


class Guest(unittest.TestCase):
    """Rows of page counts, from counts that are given; the real ones are tested by guest_test.py."""

    def rows(self, near, far, sockets=(0, 0)):
        ranks = [{"rank": number, "socket": socket, "pages": {"heap": {"0": near}, "plain": {"1": far}}} for number, socket in enumerate(sockets)]
        done = {"guest": Done(None, {"counted": True, "jobs": {"interleave": ranks}})}
        return guest.rows(done)

    def test_shares_hold_within_two_percent(self):
        self.assertTrue(guest.holds(self.rows(51, 49)[0]))
        self.assertFalse(guest.holds(self.rows(53, 47)[0]))
        self.assertFalse(guest.holds(self.rows(50, 50, sockets=(0, 1))[0]))

    def test_without_sources_the_remedy_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("./dev test-numa", guest.steps(Context(folder, True, True, Programs(folder)))[0].work(lambda said: None)["why"])


class Words(unittest.TestCase):
    def test_wrong_calls_are_refused(self):
        for words, said in ((("numa", "--"), "no command follows --"),
                            (("scatter", "--", "ls"), "takes no command")):
            done = lab(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)

    def test_help_names_the_command(self):
        self.assertIn("-- COMMAND", lab("numa", "--help").stdout)
        self.assertNotIn("-- COMMAND", lab("scatter", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
