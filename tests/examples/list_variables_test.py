#!/usr/bin/env python3
"""The example lists what the library shows to tools: the settings of `baton settings`, by the same names, with the same
values and in the same order. Usage: list_variables_test.py BATON MPICC SOURCE"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BATON, MPICC, SOURCE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
SECONDS = 600


def run(*words, **variables):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **variables})


class ListVariables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "list_variables")
        done = run(MPICC, "-Wall", "-Wextra", "-Werror", SOURCE, "-o", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_settings_are_those_that_baton_settings_shows(self):
        # As a rank would have them: without the profile that the tool itself looks for.
        variables = {"BATON_EAGER_BYTES_MAX": "2k", "BATON_ORDER": "status", "BATON_RANK": "0"}
        listed = run(self.program, **variables)
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        got = re.findall(r"(?m)^setting (\w+) = (-?\d+): .", listed.stdout)
        shown = json.loads(run(BATON, "settings", "--json", **variables).stdout)["settings"]
        wanted = [(row["variable"].removeprefix("BATON_").lower(), str(row["value"])) for row in shown]
        self.assertGreater(len(wanted), 40)
        self.assertEqual(got, wanted)
        self.assertIn(("eager_bytes_max", "2048"), got)
        self.assertIn(("order", "2"), got)

    def test_counters_and_events_are_listed(self):
        listed = run(self.program)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for line in ("counter unexpected: messages that arrived before their receive",
                     "counter messages_cma: ", "event collective_entered: "):
            self.assertIn(f"\n{line}", listed.stdout)


if __name__ == "__main__":
    unittest.main()
