#!/usr/bin/env python3
"""A rank is torn from a job at every moment of its life, in every way (mpiexec --continue-on-failure): the others go on and
end well, mpiexec tells, and no process and no file is left. What is sent to mpiexec and to its process manager ends the job as
without the option. Usage: matrix_test.py BIN_FOLDER PROGRAM_FOLDER [all] [unittest's]
Without `all` each way is tried at three of the moments, and each moment is tried."""
import os
import random
import re
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
import fault_matrix_test as faults  # noqa: E402

launch = faults.launch
PROGRAM = os.path.join(launch.PROGRAMS, "moments_program")
MOMENTS = ["before_init", "receiving", "sending", "in_a_collective", "in_a_nonblocking_one", "in_messages", "in_long_messages",
           "in_messages_of_any", "in_allreduces", "in_broadcasts", "in_copies_of_communicators", "in_agreements", "in_shrinks",
           "in_windows", "computing", "after_finalize"]
# By SIGUSR2 the program ends with code 0. What is stopped dies of what comes behind.
WAYS = faults.DEADLY + faults.ENDS_THE_JOB + [signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT, signal.SIGSTOP]


class At(faults.At):
    """A job whose ranks are all at the moment, and of which some are left when one dies."""

    def __init__(self, moment, folder):
        self.go = os.path.join(folder, "go")
        super().__init__(moment, PROGRAM, options=["--continue-on-failure"], words=[self.go])

    def tear_out(self, way):
        """Ends a rank, soon. The others may do what waits for that."""
        time.sleep(random.random() / 50)
        os.kill(self.ranks[1], way)
        if way == signal.SIGSTOP:
            os.kill(self.ranks[1], signal.SIGKILL)
        open(self.go, "w").close()
        return self.job.end()


class Matrix(faults.Leaving):
    def look_at(self, way, moment):
        before = faults.files()
        with tempfile.TemporaryDirectory() as folder:
            at = At(moment, folder)
            job = at.tear_out(way)
        what = f"{signal.Signals(way).name} while {moment}: code {job.code}, {job.out}{job.err}"
        self.assertEqual(job.code, 0, what)
        self.assertEqual(job.out.count("went on"), faults.RANKS - 1, what)
        # One that ends with 0 after MPI_Finalize has not failed.
        deaths = 0 if (way, moment) == (signal.SIGUSR2, "after_finalize") else 1
        self.assertEqual(len(re.findall(r"(?m)^mpiexec: rank \d.*; the others go on$", job.err)), deaths, what)
        if way == signal.SIGUSR2:
            self.assertIn("ended without calling MPI_Init" if moment == "before_init" else
                          "" if moment == "after_finalize" else "ended without calling MPI_Finalize", job.err, what)
        else:
            self.assertIn(f"(signal {9 if way == signal.SIGSTOP else int(way)})", job.err, what)
        self.assert_nothing_left(at, before, what)

    def moments_of(self, index):
        return MOMENTS if faults.ALL else [MOMENTS[(5 * index + 3 * i) % len(MOMENTS)] for i in range(3)]

    def test_the_others_go_on(self):
        for index, way in enumerate(WAYS):
            for moment in self.moments_of(index):
                with self.subTest(way=signal.Signals(way).name, moment=moment):
                    self.look_at(way, moment)

    def test_each_moment_is_tried(self):
        self.assertEqual({moment for index in range(len(WAYS)) for moment in self.moments_of(index)}, set(MOMENTS))

    def test_what_ends_the_job_ends_it_still(self):
        for index, (who, number) in enumerate([("mpiexec", one) for one in faults.TO["mpiexec"]] +
                                              [("manager", one) for one in faults.TO["manager"]]):
            moment = MOMENTS[7 * index % len(MOMENTS)]
            if number in faults.GIVEN_ON:
                continue
            with self.subTest(who=who, signal=signal.Signals(number).name, moment=moment):
                before = faults.files()
                with tempfile.TemporaryDirectory() as folder:
                    at = At(moment, folder)
                    job = at.send(number, who)
                what = f"{signal.Signals(number).name} to {who} while {moment}: code {job.code}, {job.err}"
                self.assert_ended(job, number, who, what)
                self.assert_nothing_left(at, before, what)


if __name__ == "__main__":
    unittest.main(verbosity=1)
