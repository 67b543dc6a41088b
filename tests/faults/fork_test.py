#!/usr/bin/env python3
"""Processes that ranks start: none is a rank, none disturbs the job, none keeps it alive.
Usage: fork_test.py BIN_FOLDER PROGRAM_FOLDER LIBRARY [unittest's]"""
import os
import signal
import sys
import unittest

LIBRARY = os.path.abspath(sys.argv.pop(3))
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "fork_program")
# Sanitizers report what a forked Python leaves behind.
PRELOADED = "LD_PRELOAD" in os.environ


def mpiexec(*words, seconds=60, **more):
    """Our watchdog is mpiexec's, with Job's behind it."""
    launch.WATCHDOG_SECONDS = seconds + 20
    return launch.run("--timeout", seconds, *words, **more)


class Children(unittest.TestCase):
    def ends_well(self, job):
        self.assertEqual(job.code, 0, job.out + job.err)
        self.assertEqual(job.out, "came to the end\n", job.err)

    def test_children_of_every_kind_between_messages_disturb_nothing(self):
        for how in ("_exit", "exit", "system", "popen", "inherited", "signal"):
            for env in (None, {**os.environ, "BATON_CMA": "0"}):
                with self.subTest(how, env=bool(env)):
                    job = mpiexec("-n", 3, PROGRAM, how, 9, env=env)
                    self.ends_well(job)
                    self.assertEqual(job.err, "")

    def test_a_child_that_calls_mpi_dies_with_words_and_alone(self):
        for how, text in (("send", "MPI_Send: called in a child process of a rank"),
                          ("abort", "MPI_Abort: called in a child process of a rank"),
                          ("finalize", "MPI_Finalize: called in a child process of a rank"),
                          ("init", "MPI_Init_thread: a child process of a rank cannot use MPI"),
                          ("session", "")):
            with self.subTest(how):
                job = mpiexec("-n", 2, PROGRAM, how, 3)
                self.ends_well(job)
                self.assertIn(text, job.err)

    def test_a_program_that_a_rank_starts_is_no_rank(self):
        job = mpiexec("-n", 2, PROGRAM, "program", 2)
        self.ends_well(job)
        self.assertIn("a rank that called MPI_Init started it", job.err)

    def test_two_programs_of_one_rank_are_it_one_after_the_other(self):
        job = mpiexec("-n", 1, "sh", "-c", f"{PROGRAM} nothing && exec {PROGRAM} nothing")
        self.assertEqual((job.code, job.err), (0, ""))

    def test_an_mpiexec_that_a_rank_starts_has_a_job_of_its_own(self):
        job = mpiexec("-n", 2, "sh", "-c", f"{launch.MPIEXEC} -n 2 {PROGRAM} exit 2")
        self.assertEqual((job.code, job.out), (0, "came to the end\n" * 2), job.err)

    def test_a_program_alone_and_its_children(self):
        done = launch.subprocess.run([PROGRAM, "exit", "3"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "came to the end\n", ""))

    @unittest.skipIf(PRELOADED, "something is preloaded into Python")
    def test_ranks_written_in_python(self):
        words = [sys.executable, os.path.join(HERE, "fork_python.py"), LIBRARY]
        job = mpiexec("-n", 2, *words)
        self.ends_well(job)
        self.assertEqual(job.err, "")


class Staying(unittest.TestCase):
    """A child that sleeps for a quarter of an hour; the watchdog is far below that."""

    def is_gone(self, token):
        launch.wait_until(lambda: not launch.processes_with(token), "a rank's child lives on")

    def test_a_child_does_not_keep_the_job_alive_when_its_rank_has_finalized(self):
        for words in ([], ["-l"]):
            with self.subTest(words):
                token = f"stays-{launch.uuid.uuid4()}"
                job = mpiexec(*words, "-n", 2, PROGRAM, "stays", token)
                self.is_gone(token)
                self.assertEqual(job.code, 0, job.err)
                self.assertIn("came to the end", job.out)

    def test_a_child_does_not_keep_the_job_alive_when_its_rank_was_killed(self):
        for words in ([], ["-l"]):
            with self.subTest(words):
                token = f"stays-{launch.uuid.uuid4()}"
                job = mpiexec(*words, "-n", 2, PROGRAM, "stays-killed", token)
                self.is_gone(token)
                self.assertEqual(job.code, 128 + signal.SIGKILL, job.err)
                self.assertRegex(job.err, "rank 1.*killed")


if __name__ == "__main__":
    unittest.main(verbosity=1)
