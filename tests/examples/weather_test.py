#!/usr/bin/env python3
"""The weather computes the same, to the last bit, in all its forms, conserves mass and comes to the exact solutions.
Usage: weather_test.py MPIEXEC WEATHER WEATHER_SERIAL"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from pictures import picture_rows

MPIEXEC, PROGRAM, SERIAL = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
WATCHDOG_SECONDS = "600"


def run(ranks, *words, threads=1):
    """ranks 0: the serial program."""
    launcher = [MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", str(ranks), PROGRAM] if ranks else [SERIAL]
    return subprocess.run([*launcher, *words], capture_output=True, text=True, timeout=2 * int(WATCHDOG_SECONDS),
                          env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"})


def said(name, text):
    """What stands behind `name:` on a line of its own."""
    return re.search(rf"^{name}: (\S+)", text, re.MULTILINE).group(1)


def complaints(text):
    return [line for line in text.splitlines() if line.startswith("weather:")]


class Weather(unittest.TestCase):
    def assertRefused(self, done, code, what):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(complaints(done.stderr)), 1, done.stderr)
        self.assertIn(what, done.stderr)

    def test_all_ranks_and_threads_compute_the_same_bits_on_cells_that_do_not_divide(self):
        fingerprints, pictures = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for ranks, threads in ((0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (1, 2), (2, 2), (3, 2)):
                path = os.path.join(folder, f"{ranks}-{threads}.png")
                done = run(ranks, "--cells", "121", "--steps", "60", "--picture", path, threads=threads)
                self.assertEqual(done.returncode, 0, (ranks, threads, done.stdout, done.stderr))
                self.assertEqual(said("mass", done.stdout), "conserved")
                fingerprints[ranks, threads] = said("fingerprint", done.stdout)
                pictures[ranks, threads] = picture_rows(path)
        self.assertEqual(len(set(fingerprints.values())), 1, fingerprints)
        self.assertEqual(len(set(pictures.values())), 1)
        width, height, raw = pictures[1, 1]
        self.assertEqual((width, height, len(raw)), (121, 121, 121 * (3 * 121 + 1)))
        self.assertGreater(len(set(raw)), 100, "the picture is flat")

    def test_blocks_may_be_one_cell_wide(self):
        alone, many = (run(ranks, "--cells", "3", "--steps", "5") for ranks in (0, 6))
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(said("fingerprint", alone.stdout), said("fingerprint", many.stdout))

    def test_mass_is_conserved_over_a_long_storm(self):
        done = run(2, "--cells", "100", "--steps", "3000")
        self.assertEqual(done.returncode, 0, done.stderr)
        off = [float(number) for number in re.findall(r"% done after .*mass off by (\S+)", done.stdout)]
        self.assertEqual(len(off), 10, done.stdout)
        self.assertLess(max(off), 1e-10)

    def test_the_errors_of_both_exact_cases_fall_by_four_on_half_the_cell(self):
        for case, allowed in (("geostrophic", 2e-3), ("wave", 6e-3)):
            errors = []
            for cells in (32, 64, 128):
                done = run(2, "--case", case, "--cells", str(cells), "--steps", str(2 * cells))
                self.assertEqual(done.returncode, 0, done.stderr)
                errors.append(float(said("error", done.stdout)))
            self.assertLess(errors[-1], allowed, case)
            for coarse, fine in zip(errors, errors[1:]):
                self.assertAlmostEqual(coarse / fine, 4, delta=0.3, msg=(case, errors))

    def test_progress_is_ten_lines_and_the_last_line_is_the_time(self):
        lines = run(1, "--cells", "20", "--steps", "200").stdout.splitlines()
        self.assertEqual([line[:6] for line in lines[:10]], [f"{part:3d} % " for part in range(10, 101, 10)])
        self.assertRegex(lines[-1], r"^time: \d+\.\d{3} s$")

    def test_help_is_no_error(self):
        done = run(2, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("usage:", done.stdout)

    def test_wrong_words_are_refused_by_all_ranks_on_one_line(self):
        for words in (("--depth", "3"), ("--cells", "1"), ("--cells", "12x"), ("--cells",), ("--steps", "0"),
                      ("--steps", "99999999999"), ("--case", "sun"), ("--picture",), ("--picture", "x" * 2000)):
            for ranks in (0, 2):
                self.assertRefused(run(ranks, *words), 2, words[0])

    def test_fewer_cells_than_ranks_are_refused(self):
        self.assertRefused(run(3, "--cells", "2"), 2, "too few")

    def test_a_picture_that_cannot_be_written_is_noticed_before_the_first_step(self):
        for ranks in (0, 2):
            done = run(ranks, "--cells", "20", "--steps", "20", "--picture", "/no/such/folder/a.png")
            self.assertRefused(done, 1, "cannot be written")
            self.assertNotIn("done", done.stdout)

    def test_a_full_disk_ends_the_job(self):
        self.assertRefused(run(2, "--cells", "40", "--steps", "2", "--picture", "/dev/full"), 1, "cannot be written")


if __name__ == "__main__":
    unittest.main(verbosity=1)
