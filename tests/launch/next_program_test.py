#!/usr/bin/env python3
"""Ranks that are several MPI programs, one after the other. Usage: next_program_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import subprocess
import sys
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
WATCHDOG_SECONDS = 60


def run(script, ranks=3, options=(), **variables):
    """`script` as each rank; p: the program."""
    text = f"p() {{ '{PROGRAMS}/next_program' \"$@\"; }}\n" + script
    try:
        return subprocess.run([f"{BIN}/mpiexec", "--timeout", "40", *options, "-n", str(ranks), "bash", "-c", text],
                              env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=WATCHDOG_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"watchdog: {script}: {late.stdout} {late.stderr}")


class OneAfterTheOther(unittest.TestCase):
    def ran(self, job, *words, ranks=3):
        self.assertEqual((job.returncode, job.stderr), (0, ""))
        self.assertEqual(sorted(job.stdout.splitlines()),
                         sorted(f"{word}: rank {rank} of {ranks}" for word in words for rank in range(ranks)))

    def test_two_and_three_programs_run_with_memory_as_new(self):
        self.ran(run("p first && p second"), "first", "second")
        self.ran(run("p first && p second && p third"), "first", "second", "third")
        self.ran(run("for i in 1 2 3 4 5 6 7 8; do p $i || exit; done", 4), *map(str, range(1, 9)), ranks=4)

    def test_a_rank_that_comes_early_waits_for_those_that_are_late(self):
        self.ran(run("p first; sleep 0.$((BATON_RANK * 4)); p second"), "first", "second")

    def test_a_program_that_lives_on_behind_its_end_is_waited_for(self):
        self.ran(run("if [ $BATON_RANK = 1 ]; then p lingering; else p lingering & wait; fi; p second"), "lingering", "second")

    def test_a_rank_may_do_other_things_between(self):
        self.ran(run("true; p first; ls >/dev/null; p second; ls > /dev/null"), "first", "second")

    def test_settings_of_the_first_do_not_reach_the_second(self):
        for setting in "BATON_CMA", "BATON_ROOMS":
            self.ran(run(f"{setting}=0 p first && p second"), "first", "second")

    def test_it_works_with_checks_and_reports_and_no_kernel_copies(self):
        self.ran(run("p first && p second", options=["--check"]), "first", "second")
        self.ran(run("p first && p second", BATON_CMA="0"), "first", "second")
        job = run("p first && p second", options=["--explain"])
        self.assertEqual(job.returncode, 0, job.stderr)


class Refused(unittest.TestCase):
    def fails(self, job, *words):
        self.assertNotEqual(job.returncode, 0)
        for text in words:
            self.assertIn(text, job.stderr)

    def test_after_one_that_did_not_finalize(self):
        self.fails(run("p unsaid; p second"), "already, and it did not call MPI_Finalize", "give it an mpiexec of its own")

    def test_after_one_that_aborted(self):
        self.fails(run("p abort; p second", 1), "already, and it ended the job")

    def test_beside_one_that_runs(self):
        self.fails(run("p lingering & sleep 0.5; p second", 1), "already, and it")

    def test_ranks_that_run_fewer_programs_than_others_end_the_job(self):
        job = run("p first; [ $BATON_RANK = 1 ] || p second")
        self.fails(job, "rank 1", "it has ended after 1 MPI program, and rank")
        self.assertNotIn("second: rank 1", job.stdout)
        self.fails(run("p first; p second; [ $BATON_RANK = 0 ] || p third"), "rank 0")

    def test_a_bad_end_of_the_last_one_is_the_ranks(self):
        self.assertEqual(run("p first && p badly", 1).returncode, 5)


if __name__ == "__main__":
    unittest.main()
