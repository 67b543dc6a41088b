#!/usr/bin/env python3
"""Errors under the default handler end the program with one line that says who, where and why.
Usage: fatal_test.py FATAL_PROGRAM"""

import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
WATCHDOG_SECONDS = 300


def run(mistake):
    return subprocess.run([PROGRAM, mistake], capture_output=True, text=True,
                          timeout=WATCHDOG_SECONDS)


class Fatal(unittest.TestCase):
    def ends_with(self, mistake, text):
        done = run(mistake)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("reached the end", done.stdout)
        lines = [line for line in done.stderr.splitlines() if line.startswith("baton: ")]
        self.assertIn(text, lines[0] if lines else done.stderr)
        return done

    def test_a_program_without_mistakes_ends_well_and_says_nothing(self):
        done = run("none")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "reached the end\n", ""))

    def test_a_wrong_rank_is_named(self):
        self.ends_with("rank", "baton: rank 0: MPI_Send: argument 4 (dest): rank 7 is not in this "
                               "communicator of 1 rank [MPI_ERR_RANK]")

    def test_a_call_before_init_is_named(self):
        self.ends_with("before", "MPI_Comm_rank: called before MPI_Init")

    def test_a_call_after_finalize_is_named(self):
        self.ends_with("after", "MPI_Comm_rank: called after MPI_Finalize")

    def test_a_thread_level_without_the_world_model_is_none(self):
        self.ends_with("level", "MPI_Query_thread: it is about the world model")

    def test_a_second_init_is_named(self):
        self.ends_with("twice", "MPI_Init: ")

    def test_a_missing_procedure_is_named(self):
        self.ends_with("missing", "MPI_Win_fence")

    def test_abort_gives_its_code(self):
        self.assertEqual(run("abort").returncode, 42)

    def test_a_duplicate_inherits_the_handler(self):
        done = run("inherited")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "handler saw class 6\nreached the end\n")


if __name__ == "__main__":
    unittest.main()
