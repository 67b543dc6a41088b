#!/usr/bin/env python3
"""`baton lab system`: this machine's tables, and the machine file that comes of them. Usage: system_test.py BIN_FOLDER"""
import json
import os
import stat
import subprocess
import tempfile
import unittest

from calls import BIN, LIBEXEC, WATCHDOG_SECONDS, lab, read
from lab.frame.programs import Programs
from lab.frame.run import Context, run_study
from lab.system import machine_file
from lab.studies import find

MODEL = os.path.join(LIBEXEC, "baton-machine")


def accepted(file):
    """Whether baton-machine takes it."""
    done = subprocess.run([MODEL, "show", "--machine", file], capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    return done.returncode == 0, done.stderr


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name


class Real(Folder):
    def test_this_machine_is_measured_and_described(self):
        done = lab("system", "--quick", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        data, page = json.loads(read(self.folder, "data.json")), read(self.folder, "index.html")
        for row in data["rows"]:
            self.assertEqual(row["kind"], "measured")
            self.assertGreater(row["load_ns"], 1)
            self.assertTrue(all(each > 100 for each in row["copy_mbs"].values()))
        self.assertIn("system 3", page)
        described = os.path.join(self.folder, "machine.json")
        if os.path.exists(described):
            for parameter in json.loads(read(described))["parameters"].values():
                self.assertIn("measured by baton lab system, 20", parameter["source"])
            if os.path.exists(MODEL):
                self.assertEqual(accepted(described), (True, ""))

    def test_bad_words_of_the_program_are_refused(self):
        for words in ([], ["1", "3"], ["64", "0"], ["64", "100"]):
            done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "600", "-n", "1",
                                   os.path.join(LIBEXEC, "baton-system-measure"), *words], capture_output=True, text=True,
                                  timeout=WATCHDOG_SECONDS)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn("usage: baton-system-measure MIB ROUNDS", done.stderr)


def topology(packages=2, cores=4):
    cpus = [{"cpu": cpu, "core": cpu, "l2": cpu, "l3": cpu // cores, "numa_node": cpu // cores, "package": cpu // cores}
            for cpu in range(packages * cores)]
    memory = [{"node": node, "bytes": 16 << 30, "has_cpus": True, "kind": "", "tier": "dram"} for node in range(packages)]
    return {"model": "two packages", "cpus": cpus, "memory": memory, "ranks_by_default": packages * cores}


FAKE_BATON = """#!/usr/bin/env python3
print({!r})
"""
FAKE_MPIEXEC = """#!/usr/bin/env python3
import json, sys
far = "all=node:1!" in sys.argv
if far and {fails}:
    sys.exit("mpiexec: no memory there")
print(json.dumps({{"ranks": 8, "mib": 64, "rounds": 3, "load_ns": 150.0 if far else 100.0, "message_us": 0.5,
                  "message_mbs": 9000.0, "copy_mbs": {{"1": 8000.0, "8": 30000.0}},
                  "read_mbs": {{"1": 9000.0 if far else 12800.0, "8": 20000.0 if far else 40000.0}}}}))
"""


class TwoPackages(Folder):
    """On a machine that seems to have two packages."""

    def run_fake(self, fails=False):
        for name, text in (("baton", FAKE_BATON.format(json.dumps(topology()))), ("mpiexec", FAKE_MPIEXEC.format(fails=fails))):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        out = os.path.join(self.folder, "out")
        return run_study(find("system"), Context(out, True, True, Programs(self.folder, LIBEXEC))), out

    def test_both_nodes_make_a_machine_file(self):
        code, out = self.run_fake()
        self.assertEqual(code, 0)
        described = json.loads(read(out, "machine.json"))
        self.assertEqual(described["shape"], {"packages": 2, "nodes_per_package": 1, "tiles_per_node": 4, "cores_per_tile": 1})
        values = {name: parameter["value"] for name, parameter in described["parameters"].items()}
        self.assertEqual(values, {"DRAM.bandwidth": 40.0, "DRAM.latency": 100.0, "DRAM.remote_latency": 150.0,
                                  "DRAM.remote_bandwidth": 20.0, "core.lines": 20.0, "link.bandwidth": 20.0})
        if os.path.exists(MODEL):
            self.assertEqual(accepted(os.path.join(out, "machine.json")), (True, ""))
        found = {each["what"]: each["ours"] for each in json.loads(read(out, "data.json"))["findings"]}
        self.assertEqual(found["table 2: memory latency, far, ns"], "150")

    def test_a_node_that_cannot_be_measured_leaves_the_rest(self):
        code, out = self.run_fake(fails=True)
        self.assertEqual(code, 1)
        self.assertFalse(os.path.exists(os.path.join(out, "machine.json")))
        data = json.loads(read(out, "data.json"))
        self.assertFalse(data["complete"])
        self.assertEqual([row["node"] for row in data["rows"]], [0])

    def test_a_machine_whose_parts_are_not_alike_has_no_shape(self):
        uneven = topology()
        uneven["cpus"] = uneven["cpus"][:-1]
        self.assertIsNone(machine_file.shape_of(uneven))


if __name__ == "__main__":
    unittest.main()
