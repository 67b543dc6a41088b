#!/usr/bin/env python3
"""baton-bus as people and the lab call it: replay, run, sweep, their errors, and an interruption."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)
PATIENCE = 1200


def call(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=PATIENCE)


def report_of(*words):
    done = call(*words)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Replay(unittest.TestCase):
    def test_example_is_replayed_exactly(self):
        report = report_of("replay")
        self.assertTrue(report["exact"])
        self.assertEqual((report["rank"]["cycles"], report["status"]["cycles"]), (39, 31))
        self.assertEqual(report["status"]["order"], [*range(7, 32), 5, 6, 3, 4, 1, 2])

    def test_timeline_has_every_cycle(self):
        report = report_of("replay")
        for order, waits in (("rank", 8), ("status", 0)):
            cycles = report[order]["timeline"]["cycles"]
            self.assertEqual([row["cycle"] for row in cycles], list(range(report[order]["cycles"])))
            phases = [row["phase"] for row in cycles]
            self.assertEqual(phases, ["wait"] * waits + ["data"] * 31)
            self.assertEqual([row["node"] for row in cycles[waits:]], report[order]["order"])

    def test_timeline_names_the_phases_of_overhead(self):
        report = report_of("replay", "--arbitration=1", "--header=1", "--look-up=2", "--hand-shake=1")
        self.assertFalse(report["exact"])
        phases = [row["phase"] for row in report["status"]["timeline"]["cycles"]]
        self.assertEqual(phases, ["look-up"] * 2 + ["arbitration", "header", "data", "hand-shake"] * 31)
        gathered = report_of("replay", "--operation=gather", "--header=1")
        phases = [row["phase"] for row in gathered["status"]["timeline"]["cycles"]]
        self.assertEqual(phases, ["request", "header", "data"] * 31)


class Inverse(unittest.TestCase):
    def test_what_a_setting_gives_is_found_and_the_sources_number_is_not(self):
        self.assertEqual(report_of("inverse", "--quiet")["found"], 0)
        # Six nodes busy with 1536 B, messages of 64 B: 880 and 496 cycles.
        report = report_of("inverse", "--quiet", "--percent", str(100 * (880 / 496 - 1)))
        self.assertGreater(report["found"], 0)
        for each in report["nearest"]:
            self.assertAlmostEqual(each["cycles_rank"] / each["cycles_status"], 880 / 496)


class Run(unittest.TestCase):
    def test_busy_nodes_as_given(self):
        report = report_of("run", "--nodes=4", "--message=4", "--busy=1:40,2:8:16")
        self.assertEqual(report["status"]["order"], [3, 2, 1])
        self.assertEqual((report["rank"]["cycles"], report["status"]["cycles"]), (13, 11))
        self.assertAlmostEqual(report["gain"], 13 / 11 - 1)

    def test_same_seed_same_report(self):
        words = ("run", "--left=drawn", "--each", "--wrong-share=0.3", "--age=50", "--read-again")
        self.assertEqual(report_of(*words, "--seed=3"), report_of(*words, "--seed=3"))
        self.assertNotEqual(report_of(*words, "--seed=3"), report_of(*words, "--seed=4"))

    def test_dead_node_is_named_and_not_a_success(self):
        done = call("run", "--nodes=4", "--busy=2:dead", "--patience=100")
        self.assertEqual(done.returncode, 3)
        self.assertIn("not delivered", done.stderr)
        self.assertEqual(json.loads(done.stdout)["status"]["undelivered"], [{"root": 0, "node": 2}])

    def test_errors_name_option_and_remedy(self):
        for words, expected in (
                (("--nodes=1",), ("--nodes", "2 to 1024")),
                (("--nodes=4", "--roots=4"), ("--roots", "0 to 3")),
                (("--nodes=4", "--roots=1,1"), ("--roots", "once")),
                (("--nodes=4", "--blocks=1,2"), ("--blocks", "one a node")),
                (("--busy=1",), ("--busy", "RANK:LEFT")),
                (("--busy=99:4",), ("--busy", "no such rank")),
                (("--busy=1:8:4",), ("--busy", "EARLIER")),
                (("--idle-share=2",), ("--idle-share",)),
                (("--topology=star",), ("--topology", "bus|mesh|ring")),
                (("--message=-1",), ("--message",)),
                (("--message=1000000", "--timeline"), ("--timeline", "--message")),
                (("--roots=0,1", "--timeline"), ("--timeline", "--roots")),
                (("--out=/nowhere/at/all",), ("--out",)),
        ):
            done = call("run", *words)
            self.assertNotEqual(done.returncode, 0, words)
            for part in expected:
                self.assertIn(part, done.stderr, words)

    def test_help(self):
        for words in (("--help",), ("run", "--help"), ("sweep", "--help"), ("replay", "--help")):
            done = call(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIn("--help", done.stdout)
        self.assertNotEqual(call().returncode, 0)


class Sweep(unittest.TestCase):
    def test_quick_sweep_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.json")
            done = call("sweep", "--quick", "--seeds=1", "--out", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertIn("bus cycles", done.stderr)
            with open(path) as file:
                report = json.load(file)
            self.assertEqual(os.listdir(folder), ["sweep.json"])
        self.assertEqual([best["nodes"] for best in report["best"]], [8, 16, 32])
        self.assertEqual(len(report["rows"]), 3 * 10 * 4 * 11)
        six = next(line for line in report["sensitivity"] if line["name"] == "six busy")
        self.assertAlmostEqual(six["best"][2]["gain_most"], 384 / 496)
        self.assertEqual((six["best"][2]["message"], six["best"][2]["earlier"]), (64, 1536))
        for trend in report["trends"]:
            self.assertEqual(trend["fell_otherwise"], 0, trend)
        self.assertGreater(report["speed"]["bus_cycles_per_wall_second"], 0)

    def test_quick_beyond_is_whole(self):
        report = report_of("beyond", "--quick")
        for study in ("scale", "topology", "status", "roots", "packing"):
            self.assertTrue(report[study]["lines"])
            for line in report[study]["lines"]:
                self.assertTrue(line["rows"], line["name"])
        lines = {line["name"]: line["gain_mean"] for line in report["status"]["lines"]}
        packing = {line["topology"]: line["gain_mean"] for line in report["packing"]["lines"]}
        self.assertGreater(packing["ring"], 0.1)
        self.assertLess(packing["mesh"], -0.05)
        self.assertLess(abs(packing["bus"]), 0.01)
        self.assertGreater(lines["0 % wrong"], lines["50 % wrong"])
        self.assertGreater(lines["0 % wrong"], lines["up to 256 cycles old"])
        self.assertEqual([row["nodes"] for row in report["hardware"]["by_nodes"]][-1], 1024)

    def test_interrupted_sweep_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sweep.json")
            running = subprocess.Popen([PROGRAM, "sweep", "--seeds=1000", "--out", path], stderr=subprocess.PIPE,
                                       text=True)
            try:
                time.sleep(1)
                running.send_signal(signal.SIGINT)
                _, said = running.communicate(timeout=PATIENCE)
            finally:
                running.kill()
            self.assertEqual(running.returncode, 130, said)
            self.assertIn("interrupted", said)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
