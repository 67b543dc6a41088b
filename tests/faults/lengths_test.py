#!/usr/bin/env python3
"""Broadcasts whose lengths differ end with an error that names both lengths, without mpiexec --check; where they cannot, the
report of the hang says what compares calls. Usage: lengths_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "lengths_program")
TRUNCATE = 15
# Ints of the root and of the others: both in lines of a room, in parts of its blocks, in blocks; in different ones; in
# different ones of more than two ranks, and copied by each rank itself, both or one of them.
SAME_SPACE = [(2, 1), (1, 2), (100, 50), (50, 100), (13, 14), (10000, 6000), (6000, 10000)]
OTHER_SPACE = [(10, 50), (50, 10), (14, 15)]
COPIED = [(100, 10000), (10000, 100), (20000, 10000), (10000, 20000), (40000, 20000), (20000, 40000), (1000000, 10), (10, 1000000)]


class Lengths(unittest.TestCase):
    def both_are_named(self, ranks, root, others, form="blocking", env=None, by_any=False):
        with self.subTest(ranks=ranks, root=root, others=others, form=form):
            job = launch.run("--timeout", 200, "-n", ranks, PROGRAM, root, others, form, env=env)
            self.assertEqual(job.code, TRUNCATE, job.err)
            self.assertRegex(job.err, rf"{4 * root} bytes.*{4 * others}|{4 * others} bytes.*{4 * root}")
            self.assertIn("[MPI_ERR_TRUNCATE]", job.err)

    def test_in_a_room(self):
        for ranks in (2, 3, 5):
            for root, others in SAME_SPACE + OTHER_SPACE:
                self.both_are_named(ranks, root, others)

    def test_where_ranks_copy_themselves(self):
        for ranks in (3, 5):
            for root, others in COPIED:
                self.both_are_named(ranks, root, others)

    def test_in_other_forms(self):
        for root, others in [(2, 1), (100, 50), (20000, 10000)]:
            self.both_are_named(3, root, others, "nonblocking")
        for root, others in [(2, 1), (1, 2)]:
            self.both_are_named(3, root, others, "persistent")

    def test_by_messages(self):
        env = {**os.environ, "BATON_ROOMS": "0"}
        for ranks in (2, 3):
            for root, others in [(2, 1), (1, 2), (100000, 50000), (50000, 100000)]:
                self.both_are_named(ranks, root, others, env=env)

    def test_by_the_groups_of_the_machine(self):
        env = {**os.environ, "BATON_COLLECTIVES": "broadcast=broadcast_hierarchical_in_room"}
        self.both_are_named(4, 2, 1, env=env)
        self.both_are_named(4, 100, 50, env=env)

    def test_who_returns_errors_gets_one_on_each_rank_that_can_see_it(self):
        job = launch.run("--timeout", 200, "-n", 3, PROGRAM, 100, 50, "blocking", "return")
        self.assertEqual(sorted(job.out.splitlines()), ["rank 0: class 0", "rank 1: class 15", "rank 2: class 15"], job.err)

    def test_where_nobody_can_see_it_the_report_says_what_would(self):
        # The root sends a message, the other looks into the room.
        job = launch.run("--timeout", 3, "-n", 2, PROGRAM, 10000, 100, "blocking")
        self.assertEqual(job.code, 124, job.err)
        self.assertIn("if rank 0 made that call with another length, it cannot end: mpiexec --check compares", job.err)


if __name__ == "__main__":
    unittest.main()
