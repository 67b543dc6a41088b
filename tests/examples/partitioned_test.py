#!/usr/bin/env python3
"""The example counts the same points with any number of threads, on one node or two, and refuses other jobs.
Usage: partitioned_test.py MPIEXEC PARTITIONED"""
import os
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
WATCHDOG_SECONDS = "600"


def run(ranks, **settings):
    return subprocess.run([MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", str(ranks), PROGRAM], capture_output=True, text=True,
                          env={**os.environ, **settings})


class Partitioned(unittest.TestCase):
    def test_every_way_counts_the_same_points(self):
        outputs = set()
        for settings in ({"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "4"},
                         {"OMP_NUM_THREADS": "3", "BATON_RANKS_PER_NODE": "1"}):
            done = run(2, **settings)
            self.assertEqual(done.returncode, 0, (settings, done.stdout, done.stderr))
            outputs.add(done.stdout)
        self.assertEqual(len(outputs), 1, outputs)
        counts = [int(line.split()[2]) for line in outputs.pop().splitlines()]
        self.assertEqual(len(counts), 3)
        self.assertEqual(counts, sorted(set(counts)), "each frame is a closer look at the set")
        self.assertGreater(counts[0], 1000)

    def test_another_number_of_ranks_is_refused(self):
        done = run(3, OMP_NUM_THREADS="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("start 2 ranks", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
