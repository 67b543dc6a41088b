#!/usr/bin/env python3
"""Seismic waves are the same, to the last bit, in all forms of the program, and come to the exact solution.
Usage: seismic_test.py MPIEXEC SEISMIC SEISMIC_SERIAL"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from pictures import picture_rows

MPIEXEC, PROGRAM, SERIAL = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
WATCHDOG_SECONDS = "600"
HEADER = struct.Struct("=8s4IdQ")  # magic, version, across, down, nothing, spacing, checksum
WAYS = ("collective", "one", "each")
WORD = (1 << 64) - 1


def run(ranks, *words, threads=1):
    """ranks 0: the serial program."""
    launcher = [MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", str(ranks), PROGRAM] if ranks else [SERIAL]
    return subprocess.run([*launcher, *words], capture_output=True, text=True, timeout=2 * int(WATCHDOG_SECONDS),
                          env={**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"})


def said(name, text):
    """What stands behind `name:` on a line of its own."""
    return re.search(rf"^{name}: (\S+)", text, re.MULTILINE).group(1)


def complaints(text):
    return [line for line in text.splitlines() if line.startswith("seismic:")]


def with_checksum(header, speeds):
    """The file of a model whose checksum is right whatever it says."""
    total = 0
    for place, (word,) in enumerate(struct.iter_unpack("=I", HEADER.pack(*header[:6], 0) + speeds), 1):
        mixed = (word ^ place * 0x9e3779b97f4a7c15 & WORD) * 0xbf58476d1ce4e5b9 & WORD
        total += mixed ^ mixed >> 29
    return HEADER.pack(*header[:6], total & WORD) + speeds


class Seismic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name):
        return os.path.join(self.folder, name)

    def assertRefused(self, done, code, what):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(complaints(done.stderr)), 1, done.stderr)
        self.assertIn(what, done.stderr)
        self.assertNotIn("% done", done.stdout)

    def model(self, cells=64):
        self.assertEqual(run(2, "--make-model", self.file("model"), "--cells", str(cells)).returncode, 0)
        with open(self.file("model"), "rb") as file:
            return file.read()

    def test_all_ranks_and_threads_compute_the_same_bits_on_rows_that_do_not_divide(self):
        fingerprints, pictures = {}, {}
        snapshot, seismogram = self.file("snapshot.png"), self.file("seismogram.png")
        for ranks, threads in ((0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (6, 1), (1, 2), (2, 2), (3, 2)):
            done = run(ranks, "--cells", "301", "--steps", "400", "--picture", snapshot, "--seismogram", seismogram,
                       threads=threads)
            self.assertEqual(done.returncode, 0, (ranks, threads, done.stdout, done.stderr))
            fingerprints[ranks, threads] = said("fingerprint", done.stdout)
            pictures[ranks, threads] = picture_rows(snapshot), picture_rows(seismogram)
        self.assertEqual(len(set(fingerprints.values())), 1, fingerprints)
        self.assertEqual(len(set(pictures.values())), 1)
        for (width, height, raw), size in zip(pictures[1, 1], ((301, 151), (301, 400))):
            self.assertEqual((width, height, len(raw)), (*size, size[1] * (3 * size[0] + 1)))
            self.assertGreater(len(set(raw)), 100, "the picture is flat")

    def test_slabs_may_be_as_thin_as_what_they_exchange(self):
        alone, many = (run(ranks, "--cells", "32", "--steps", "50") for ranks in (0, 8))
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(said("fingerprint", alone.stdout), said("fingerprint", many.stdout))

    def test_the_waveform_comes_to_the_exact_one_with_the_square_of_the_cell(self):
        errors = []
        for cells in (200, 400, 800):
            done = run(2, "--case", "uniform", "--cells", str(cells), "--steps", str(4 * cells))
            self.assertEqual(done.returncode, 0, done.stderr)
            errors.append(float(said("error", done.stdout)))
        self.assertLess(errors[-1], 3e-3)
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(coarse / fine, 4, delta=0.3, msg=errors)

    def test_a_model_read_in_each_way_is_the_one_that_was_made(self):
        self.model(cells=201)
        snapshot = self.file("snapshot.png")
        words = "--steps", "200", "--picture", snapshot
        made = said("fingerprint", run(0, "--cells", "201", *words).stdout), picture_rows(snapshot)
        for ranks in (0, 1, 2, 3, 5):
            for way in ((), *[("--read", way) for way in WAYS]):
                os.unlink(snapshot)
                done = run(ranks, "--model", self.file("model"), *way, *words)
                self.assertEqual(done.returncode, 0, (ranks, way, done.stderr))
                self.assertEqual((said("fingerprint", done.stdout), picture_rows(snapshot)), made, (ranks, way))
                self.assertRegex(done.stdout, r"(?m)^reading: \d+\.\d{3} s$")

    def test_read_collectively_a_model_is_held_once_by_all_ranks_together(self):
        self.model(cells=4000)
        held = {}
        for way in WAYS:
            done = run(4, "--model", self.file("model"), "--read", way, "--steps", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            held[way] = float(said("memory for it", done.stdout))
        for way in ("one", "each"):
            self.assertGreater(held[way], 2 * held["collective"], held)

    def test_damaged_models_are_refused_by_one_line_in_each_way(self):
        whole = self.model()
        header_bytes, speeds = whole[:HEADER.size], whole[HEADER.size:]
        header = HEADER.unpack(header_bytes)
        flipped = bytearray(whole)
        flipped[5000] ^= 1
        swapped = header_bytes + speeds[-4:] + speeds[4:-4] + speeds[:4]
        narrower = HEADER.pack(*header[:2], header[2] - 2, *header[3:]) + speeds
        other_spacing = HEADER.pack(*header[:5], header[5] * 2, header[6]) + speeds
        damaged = {
            b"": "truncated", whole[:20]: "truncated", whole[:-1]: "truncated", whole + b"\0": "longer",
            b"nonsense" + whole[8:]: "not a model", whole[:8] + b"\1" + whole[9:]: "another version",
            bytes(flipped): "checksum", swapped: "checksum", narrower: "longer", other_spacing: "checksum",
            HEADER.pack(*header[:2], 1 << 31, *header[3:]) + speeds: "sizes",
            HEADER.pack(*header[:5], float("nan"), header[6]) + speeds: "sizes",
            with_checksum(header, struct.pack("=f", float("nan")) + speeds[4:]): "speeds",
            with_checksum(header, speeds[:-4] + struct.pack("=f", -2000)): "speeds"}
        self.assertEqual(with_checksum(header, speeds), whole)
        for number, (data, what) in enumerate(damaged.items()):
            with open(self.file("damaged"), "wb") as file:
                file.write(data)
            for ranks, way in ((3, "collective"), (0, "collective"), (3, ("one", "each")[number % 2])):
                self.assertRefused(run(ranks, "--model", self.file("damaged"), "--read", way), 1, what)

    def test_models_that_cannot_be_opened_read_or_written_are_refused(self):
        for way in WAYS:
            for ranks in (0, 2):
                done = run(ranks, "--model", self.file("missing"), "--read", way)
                self.assertRefused(done, 1, f"{self.file('missing')} cannot be opened")
                self.assertRefused(run(ranks, "--model", self.folder, "--read", way), 1, f"{self.folder} cannot be ")
        for path in ("/no/such/folder/model", "/dev/full"):
            self.assertRefused(run(2, "--make-model", path, "--cells", "64"), 1, "cannot be written")

    def test_a_model_that_one_rank_cannot_open_is_refused_by_all(self):
        self.model()
        for way in WAYS:
            words = [PROGRAM, "--model", "model", "--read", way, "--steps", "1"]
            launch = [MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", "2", "-wdir", self.folder, *words, ":",
                      "-n", "1", "-wdir", "/", *words]
            done = subprocess.run(launch, capture_output=True, text=True, timeout=2 * int(WATCHDOG_SECONDS))
            if way == "one":
                self.assertEqual(done.returncode, 0, done.stderr)
            else:
                self.assertRefused(done, 1, "model cannot be opened")

    def test_progress_is_ten_lines_and_the_last_line_is_the_time(self):
        lines = run(1, "--cells", "50", "--steps", "200").stdout.splitlines()
        self.assertEqual([line[:6] for line in lines[:10]], [f"{part:3d} % " for part in range(10, 101, 10)])
        self.assertRegex(lines[-1], r"^time: \d+\.\d{3} s$")

    def test_help_is_no_error(self):
        done = run(2, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("usage:", done.stdout)

    def test_wrong_words_are_refused_by_all_ranks_on_one_line(self):
        for words in (("--depth", "3"), ("--cells", "31"), ("--cells", "64x"), ("--cells",), ("--steps", "0"),
                      ("--steps", "99999999999"), ("--case", "salt"), ("--read", "all"), ("--read", "collective"),
                      ("--read", "each"), ("--picture",), ("--picture", "x" * 2000), ("--cells", "64", "--model", "a"),
                      ("--make-model", "a", "--model", "b"), ("--case", "uniform", "--model", "a")):
            for ranks in (0, 2):
                self.assertRefused(run(ranks, *words), 2, words[0])

    def test_too_few_rows_or_steps_are_refused(self):
        self.assertRefused(run(9, "--cells", "32"), 2, "too few")
        self.assertRefused(run(2, "--case", "uniform", "--cells", "200", "--steps", "50"), 2, "--steps")

    def test_pictures_that_cannot_be_written_are_noticed_before_the_first_step(self):
        for word in ("--picture", "--seismogram"):
            for ranks in (0, 2):
                done = run(ranks, "--cells", "64", "--steps", "20", word, "/no/such/folder/a.png")
                self.assertRefused(done, 1, "cannot be written")

    def test_a_full_disk_is_an_error(self):
        done = run(2, "--cells", "64", "--steps", "20", "--picture", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(complaints(done.stderr)), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
