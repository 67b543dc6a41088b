#!/usr/bin/env python3
"""The example computes the same, to the last bit, on any number of ranks, and writes a true picture.
Usage: shallow_water_test.py MPIEXEC SHALLOW_WATER"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from pictures import picture_rows

MPIEXEC, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
WATCHDOG_SECONDS = "600"
CELLS = 120  # divided by all numbers of ranks below


def run(ranks, *words):
    return subprocess.run([MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", str(ranks),
                           PROGRAM, *words], capture_output=True, text=True)


class ShallowWater(unittest.TestCase):
    def test_every_number_of_ranks_computes_the_same_bits(self):
        fingerprints, pictures = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (1, 2, 3, 4, 6):
                path = os.path.join(folder, f"{ranks}.png")
                done = run(ranks, "--cells", str(CELLS), "--steps", "60", "--picture", path)
                self.assertEqual(done.returncode, 0, (ranks, done.stdout, done.stderr))
                self.assertIn("volume: conserved", done.stdout)
                fingerprints[ranks] = re.search(r"fingerprint: (\w{16})\n", done.stdout).group(1)
                pictures[ranks] = picture_rows(path)
        self.assertEqual(len(set(fingerprints.values())), 1, fingerprints)
        self.assertEqual(len(set(pictures.values())), 1)
        width, height, raw = pictures[1]
        self.assertEqual((width, height, len(raw)), (CELLS, CELLS, CELLS * (3 * CELLS + 1)))
        self.assertGreater(len(set(raw)), 50, "the picture is flat")

    def test_a_basin_that_does_not_divide_is_rounded_up(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(2, "--cells", "31", "--steps", "5", "--picture", os.path.join(folder, "a.png"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("2 x 1 blocks of 16 x 31", done.stdout)

    def test_a_wrong_word_is_refused_by_all_ranks(self):
        done = run(2, "--depth", "3")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("usage", done.stderr)

    def test_a_picture_that_cannot_be_written_ends_the_job(self):
        done = run(2, "--cells", "20", "--steps", "2", "--picture", "/no/such/folder/a.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
