#!/usr/bin/env python3
"""baton-machine as the lab calls it: the machines that are shipped, cases from a file, and errors in one line."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MACHINES = sys.argv.pop(1), sys.argv.pop(1)
PATIENCE = 600
STREAM = {"bytes": 1e9, "reads": 1}


def call(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=PATIENCE)


def machine(name):
    return os.path.join(MACHINES, name)


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="cases.json"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_cases(self, name, cases):
        done = call("run", "--machine", machine(name), "--cases", self.file(cases))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refusal(self, *words):
        done = call(*words)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_shipped_machines_have_a_reference_for_each_number(self):
        names = sorted(os.listdir(MACHINES))
        self.assertIn("two-x5570.json", names)
        for name in names:
            done = call("show", "--machine", machine(name))
            self.assertEqual(done.returncode, 0, done.stderr)
            for parameter in json.loads(done.stdout)["parameters"].values():
                self.assertGreater(len(parameter["source"]), 20)

    def test_configurations_in_their_order(self):
        names = ["local", "interleave", "spread", "spread-interleave", "remote"]
        report = self.run_cases("two-x5570.json", [
            {"name": name, "configuration": name, "ranks": 4, "program": STREAM} for name in names])
        seconds = {case["name"]: case["seconds"] for case in report["cases"]}
        self.assertAlmostEqual(seconds["local"], 4 / 10.44, places=3)
        self.assertAlmostEqual(seconds["remote"], 4 / 9.41, places=3)
        self.assertLess(seconds["spread-interleave"], seconds["interleave"])
        self.assertLess(seconds["interleave"], seconds["local"])

    def test_a_program_that_follows_pointers_gains_little(self):
        chase = {"bytes": 1e7, "lines": 1}
        report = self.run_cases("two-x5570.json", [
            {"name": name, "configuration": name, "ranks": 4, "program": chase} for name in ("local", "interleave")])
        near, both = (case["seconds"] for case in report["cases"])
        self.assertGreater(both, near)

    def test_threads_of_stream_as_published(self):
        """Rupp's points; those of 1 thread and the most of all are inputs of the machine's file."""
        published = {("DDR4", 32): 87.3, ("MCDRAM", 8): 90.2, ("MCDRAM", 16): 175.8, ("MCDRAM", 32): 315.0}
        report = self.run_cases("knl-flat.json", [
            {"name": f"{kind} {ranks}", "ranks": ranks, "memory": f"all=node:{0 if kind == 'DDR4' else 1}",
             "program": STREAM} for kind, ranks in published])
        for case, (point, bandwidth) in zip(report["cases"], published.items()):
            self.assertAlmostEqual(point[1] / case["seconds"] / bandwidth, 1, delta=0.1, msg=point)

    def test_a_parameter_can_be_set_for_a_case(self):
        report = self.run_cases("two-x5570.json", [
            {"name": "as it is", "configuration": "local", "ranks": 4, "program": STREAM},
            {"name": "twice", "configuration": "local", "ranks": 4, "program": STREAM, "set": {"DDR3.bandwidth": 20.88}}])
        first, second = (case["seconds"] for case in report["cases"])
        self.assertAlmostEqual(first / second, 2, places=3)

    def test_processes_with_threads_on_several_hosts(self):
        report = self.run_cases("sun-fire-6800-cluster.json", [
            {"name": name, "processes": [5, 6, 5], "threads": 4, "master": True, "bound": name == "bound", "program": STREAM}
            for name in ("bound", "drifting")])
        bound, drifting = report["cases"]
        self.assertEqual(len(bound["where"]), 64)
        self.assertEqual({thread["host"] for thread in bound["where"]}, {0, 1, 2})
        self.assertEqual(bound["where"][-1]["nodes"], [4])
        self.assertEqual(drifting["where"][-1]["nodes"], [0, 1, 2, 3, 4, 5])
        self.assertAlmostEqual(bound["seconds"], 24 / 9.357, places=2)  # the bus of the fullest host

    def test_messages_within_a_host_and_between_two(self):
        report = self.run_cases("v880-cluster.json", [
            {"name": "one", "ranks_on_hosts": [1, 1], "messages": [{"from": 0, "to": 1, "bytes": 13e6}]}])
        self.assertAlmostEqual(report["cases"][0]["seconds"], 0.1 + 14e-6, places=5)
        for case, words in (({"ranks_on_hosts": [1], "messages": [{"from": 0, "to": 1, "bytes": 1}]}, "rank 1 of 1 has a message"),
                            ({"ranks_on_hosts": [1] * 9, "messages": []}, "ranks on 9 hosts; the machine has 8"),
                            ({"processes": [3], "threads": 4, "program": STREAM}, "case a: "),
                            ({"processes": [1], "program": {**STREAM, "computing_nanoseconds": -1}}, "is not negative")):
            bad = self.file([{"name": "a", **case}], "bad.json")
            self.assertIn(words, self.refusal("run", "--machine", machine("v880-cluster.json"), "--cases", bad))

    def test_errors_name_what_is_wrong(self):
        good, x5570 = self.file([{"name": "a", "configuration": "local", "program": STREAM}]), machine("two-x5570.json")
        self.assertIn("nowhere.json: no such machine file", self.refusal("show", "--machine", "nowhere.json"))
        broken = self.file('{"title": "x"', "machine.json")
        self.assertIn("machine.json: ", self.refusal("run", "--machine", broken, "--cases", good))
        with open(x5570, encoding="utf-8") as file:
            description = json.load(file)
        del description["parameters"]["link.bandwidth"]["source"]
        unsourced = self.file(description, "unsourced.json")
        self.assertIn("parameter link.bandwidth: has no \"source\"", self.refusal("show", "--machine", unsourced))
        for case, words in (
                ({"name": "a", "configuration": "near", "program": STREAM}, "case a: \"near\" is none; there are local"),
                ({"name": "a", "configuration": "local", "program": {}}, "case a: "),
                ({"name": "a", "speed": 3}, "case a: \"speed\" is unknown; there are name"),
                ({"name": "a", "set": {"b": 3}, "program": STREAM}, "case a: there is no parameter b")):
            self.assertIn(words, self.refusal("run", "--machine", x5570, "--cases", self.file([case], "bad.json")))
        self.assertIn("is no list of cases", self.refusal("run", "--machine", x5570, "--cases", self.file({}, "bad.json")))

    def test_a_report_that_cannot_be_written_is_an_error(self):
        self.assertIn("cannot be written", self.refusal("show", "--machine", machine("knl-flat.json"), "--out", "/nowhere/x"))


if __name__ == "__main__":
    unittest.main()
