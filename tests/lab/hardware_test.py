#!/usr/bin/env python3
"""What keeps and looks up the status in hardware (lab/scatter/hardware) does what its specification says: proved by yosys, for few
nodes. Usage: hardware_test.py"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SPECIFIED = os.path.join(HERE, "hardware")
DESIGNS = os.path.join(HERE, "..", "..", "lab", "scatter", "hardware")
WATCHDOG_SECONDS = 1200


def are_equal(design, module, nodes):
    """Whether yosys proves that the design in a file and its specification never differ."""
    script = (f"read_verilog {design} {os.path.join(SPECIFIED, module)}_specified.v; "
              f"chparam -set NODES {nodes} {module} {module}_specified; rename {module}_specified gold; rename {module} gate; "
              "proc; flatten; memory -nomap; memory_map; opt -full; equiv_make gold gate equiv; hierarchy -top equiv; flatten; "
              "opt_clean; equiv_simple -seq 1; equiv_induct; equiv_status -assert")
    done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
    if done.returncode != 0 and "unproven" not in done.stdout + done.stderr:
        raise AssertionError(done.stdout + done.stderr)
    return done.returncode == 0


@unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
class Hardware(unittest.TestCase):
    def test_each_design_is_what_its_specification_says(self):
        for module in ("idle_first", "least_left"):
            for nodes in (3, 7):
                self.assertTrue(are_equal(os.path.join(DESIGNS, f"{module}.v"), module, nodes), (module, nodes))

    def test_a_design_that_prefers_the_last_of_equals_is_found_out(self):
        with open(os.path.join(DESIGNS, "least_left.v"), encoding="ascii") as file:
            text = file.read()
        wrong = text.replace("key[2*i+1] < key[2*i]", "key[2*i+1] <= key[2*i]")
        self.assertNotEqual(wrong, text)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wrong.v")
            with open(path, "w", encoding="ascii") as file:
                file.write(wrong)
            self.assertFalse(are_equal(path, "least_left", 3))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
