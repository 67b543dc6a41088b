#!/usr/bin/env python3
"""`./dev bench --device` on the stand-in for a driver: each metric gives its cells, the output says what it is worth, and what was
wanted is compared. Usage: device_test.py BUILD_FOLDER STANDIN_DRIVER [unittest's]"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)
import device  # noqa: E402

BUILD, STANDIN = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]


class Device(unittest.TestCase):
    def run_bench(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            done = subprocess.run([sys.executable, os.path.join(BENCH, "bench.py"), "--device", "--peers", "none", "--build", BUILD,
                                   "--library", STANDIN, "--work", folder, "--rounds", "1", "--milliseconds", "1", "--json", out,
                                   *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1200)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(out) as file:
                return done.stdout, json.load(file)

    def test_each_metric_gives_its_cells(self):
        text, found = self.run_bench("--sizes-max", "65536")
        self.assertEqual(found["failures"], [], text)
        self.assertEqual({row["cell"] for row in found["rows"]},
                         {f"{metric}/{size}" for metric, its in device.METRICS.items() for size in its if size <= 65536})
        self.assertTrue(all(row["us"]["baton"] > 0 for row in found["rows"]))
        self.assertTrue(found["standin"])
        self.assertIn("ON THE STAND-IN FOR A DRIVER", text)
        self.assertNotIn("MISSED", text)

    def test_what_was_wanted_is_compared(self):
        values = {"device/8": {"baton": [11, 13, 14], "intel": [151]}, "device-16/8": {"baton": [4]},
                  "host/8": {"baton": [1.0]}, "host-context/8": {"baton": [1.02]}, "copy/16777216": {"baton": [9]},
                  "device/16777216": {"baton": [11]}, "copy/8": {"baton": [8]}}
        held = {row["cell"]: row["held"] for row in device.rows_of(values)}
        self.assertEqual(held, {"copy/8": None, "copy/16777216": None, "device/8": False, "device/16777216": False,
                                "device-16/8": True, "host/8": None, "host-context/8": True})


if __name__ == "__main__":
    unittest.main(verbosity=1)
