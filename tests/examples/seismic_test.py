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
    total, plain = 0xcbf29ce484222325, HEADER.pack(*header[:6], 0) + speeds
    for word, in struct.iter_unpack("=I", plain):
        total = (total ^ word) * 0x100000001b3 & (1 << 64) - 1
    return HEADER.pack(*header[:6], total) + speeds


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

    def test_a_model_read_by_one_or_by_each_is_the_one_that_was_made(self):
        self.model(cells=200)
        made = said("fingerprint", run(0, "--cells", "200", "--steps", "100").stdout)
        for ranks in (0, 1, 3):
            for who in ("each", "one"):
                done = run(ranks, "--model", self.file("model"), "--read", who, "--steps", "100")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(said("fingerprint", done.stdout), made)
                self.assertRegex(done.stdout, r"(?m)^reading: \d+\.\d{3} s$")

    def test_damaged_models_are_refused_by_one_line_whoever_reads(self):
        whole = self.model()
        header, speeds = HEADER.unpack(whole[:HEADER.size]), whole[HEADER.size:]
        flipped = bytearray(whole)
        flipped[5000] ^= 1
        narrower = HEADER.pack(*header[:2], header[2] - 2, *header[3:]) + speeds
        other_spacing = HEADER.pack(*header[:5], header[5] * 2, header[6]) + speeds
        damaged = {
            b"": "truncated", whole[:20]: "truncated", whole[:-1]: "truncated", whole + b"\0": "longer",
            b"nonsense" + whole[8:]: "not a model", whole[:8] + b"\2" + whole[9:]: "another version",
            bytes(flipped): "checksum", narrower: "longer", other_spacing: "checksum",
            HEADER.pack(*header[:2], 1 << 31, *header[3:]) + speeds: "sizes",
            HEADER.pack(*header[:5], float("nan"), header[6]) + speeds: "sizes",
            with_checksum(header, struct.pack("=f", float("nan")) + speeds[4:]): "speeds",
            with_checksum(header, struct.pack("=f", -2000) + speeds[4:]): "speeds"}
        self.assertEqual(with_checksum(header, speeds), whole)
        for number, (data, what) in enumerate(damaged.items()):
            with open(self.file("damaged"), "wb") as file:
                file.write(data)
            who = ("each", "one")[number % 2]
            self.assertRefused(run(3, "--model", self.file("damaged"), "--read", who), 1, what)

    def test_models_that_cannot_be_opened_read_or_written_are_refused(self):
        for who in ("each", "one"):
            self.assertRefused(run(2, "--model", self.file("missing"), "--read", who), 1, "cannot be opened")
            self.assertRefused(run(2, "--model", self.folder, "--read", who), 1, "cannot be read")
        for path in ("/no/such/folder/model", "/dev/full"):
            self.assertRefused(run(2, "--make-model", path, "--cells", "64"), 1, "cannot be written")

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
