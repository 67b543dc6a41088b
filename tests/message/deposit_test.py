#!/usr/bin/env python3
"""Which way messages take in the deposit models, counted, against what the ring's length allows: the fall-off and
the splits of the study's figure 10 under model 5, and neither in Baton's own ways. Usage: deposit_test.py BIN_FOLDER PROGRAM_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "deposit_program")
SECONDS = 600
KIB, MIB = 1 << 10, 1 << 20


class Told:
    """What the ranks of a job counted of messages longer than 8 bytes."""

    def __init__(self, words, model, **settings):
        more = {f"BATON_{name.upper()}": str(value) for name, value in settings.items()}
        environment = {**os.environ, **more, "BATON_DEPOSIT_MODEL": str(model)}
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", str(SECONDS), "--explain=json", "-n", "2",
                               PROGRAM, *map(str, words)],
                              capture_output=True, text=True, env=environment, timeout=SECONDS + 20,
                              stdin=subprocess.DEVNULL)
        lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
        if done.returncode != 0 or len(lines) != 1:
            raise AssertionError(f"code {done.returncode}\n{done.stdout}\n{done.stderr}")
        told = json.loads(lines[0])
        rows = [row for row in told["traffic"] if row["bytes_max"] != 8]
        self.ways = {}
        for way in (way for row in rows for way in row["ways"]):
            self.ways[way["way"]] = self.ways.get(way["way"], 0) + way["messages"]
        self.reasons = {}
        for reason in (reason for row in rows for reason in row["why_not_cheaper"]):
            self.reasons[reason["reason"]] = self.reasons.get(reason["reason"], 0) + reason["messages"]
        self.waited = told["counters"]["ring_full"]["sum"]

    @property
    def split(self):
        return self.reasons.get("deposit_split", 0)

    @property
    def redirected(self):
        return self.ways.get("receiver_initiated", 0)


class Figure10(unittest.TestCase):
    """A ring of 4 MiB. A message takes its length and a line of 64 bytes, contiguous, also when its data go elsewhere;
    one that meets the ring's end is split there, and redirected at most in part."""

    def turns(self, model, size, count=12, **settings):
        return Told(["turns", size, count], model, **settings)

    def window(self, model, size, count=4):
        with tempfile.TemporaryDirectory() as folder:
            return Told(["window", size, count, os.path.join(folder, "sent")], model)

    def test_the_longer_the_messages_the_fewer_are_redirected_whole(self):
        # Of 12: every 8th of 512 KiB meets the end, every 4th of 1 MiB, every 2nd of 2 MiB, 3 of 4 of 3 MiB, and
        # longer ones always.
        for size, split in ((512 * KIB, 1), (MIB, 3), (2 * MIB, 6), (3 * MIB, 9), (4 * MIB, 12), (8 * MIB, 12)):
            with self.subTest(size=size):
                told = self.turns(5, size)
                self.assertEqual((told.redirected, told.split), (12 - split, split))

    def test_a_longer_ring_moves_the_fall_off(self):
        told = self.turns(5, 2 * MIB, deposit_ring_bytes=64 * MIB)
        self.assertEqual((told.redirected, told.split), (12, 0))

    def test_delayed_sends_are_redirected_whole_while_the_ring_can_hold_them(self):
        for size, split in ((MIB, 0), (2 * MIB, 0), (3 * MIB, 0), (4 * MIB, 12)):
            with self.subTest(size=size):
                told = self.turns(5, size, deposit_delayed=1)
                self.assertEqual((told.redirected, told.split), (12 - split, split))

    def test_from_2_MiB_on_two_messages_no_longer_fit(self):
        # Sent four at a time while the receiver does nothing: with 1 MiB only the end of the last must wait.
        for size, waited in ((256 * KIB, 0), (512 * KIB, 0), (MIB, 1), (2 * MIB, 3), (3 * MIB, 3), (4 * MIB, 4),
                             (8 * MIB, 4)):
            with self.subTest(size=size):
                self.assertEqual(self.window(5, size).waited, waited)

    def test_in_Batons_own_ways_none_is_split_and_none_waits(self):
        for size in (512 * KIB, MIB, 2 * MIB, 3 * MIB, 4 * MIB, 8 * MIB):
            with self.subTest(size=size):
                for told in (self.turns(0, size), self.window(0, size)):
                    self.assertEqual((told.split, told.waited), (0, 0))


class Table2(unittest.TestCase):
    def redirected(self, model, size):
        told = Told(["turns", size, 10], model)
        self.assertEqual(sum(told.ways.values()), 10)
        return told.redirected

    def test_model_3_redirects_all_sizes_and_model_5_what_is_longer_than_8_KiB(self):
        for model, sizes in ((1, {}), (2, {}), (3, {100, 8192, 8193, 100000}), (4, {}), (5, {8193, 100000})):
            for size in (100, 8192, 8193, 100000):
                with self.subTest(model=model, size=size):
                    self.assertEqual(self.redirected(model, size), 10 if size in sizes else 0)

    def test_one_redirection_at_a_time(self):
        with tempfile.TemporaryDirectory() as folder:
            told = Told(["window", 100000, 10, os.path.join(folder, "sent")], 5)
        self.assertEqual((told.redirected, told.reasons.get("not_advertised")), (1, 9))


class Agreement(unittest.TestCase):
    def start(self, *programs, **settings):
        words = [os.path.join(BIN, "mpiexec"), "--timeout", str(SECONDS)]
        for number, program in enumerate(programs):
            words += [":"] * (number > 0) + program
        return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **settings},
                              timeout=SECONDS + 20, stdin=subprocess.DEVNULL)

    def test_ranks_that_disagree_are_told_so(self):
        one, other = ["-n", "1", PROGRAM], ["-n", "1", "-env", "BATON_DEPOSIT_MODEL", "2", PROGRAM]
        done = self.start(one, other)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("this rank's BATON_DEPOSIT_MODEL is 2", done.stderr)
        self.assertIn("-genv", done.stderr)

    def test_the_setting_may_come_by_mpiexecs_options(self):
        self.assertEqual(self.start(["-genv", "BATON_DEPOSIT_MODEL", "2", "-n", "2", PROGRAM]).returncode, 0)
        self.assertEqual(self.start(["-n", "2", PROGRAM], BATON_DEPOSIT_MODEL="4").returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
