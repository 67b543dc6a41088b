#!/usr/bin/env python3
"""Every signal, at every moment of a job's life, to a rank, to mpiexec and to its process manager: the job ends as the
table says, with words, and leaves no process and no file. Usage: fault_matrix_test.py BIN_FOLDER PROGRAM_FOLDER [all] [unittest's]
Without `all` each pair of a signal and a process is tried at two of the moments, and each moment is tried."""
import os
import selectors
import signal
import sys
import time
import unittest
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import mpiexec_test as launch  # noqa: E402

ALL = sys.argv[1:2] == ["all"] and bool(sys.argv.pop(1))
PROGRAM = os.path.join(launch.PROGRAMS, "moment_program")
RANKS = 3
MOMENTS = ["before_init", "receiving", "sending", "in_a_collective", "in_messages", "in_allreduces", "computing",
           "after_finalize"]
# What mpiexec gives on to its ranks, or ends the job by.
ENDS_THE_JOB = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
GIVEN_ON = [signal.SIGUSR1, signal.SIGUSR2]
DEADLY = [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS]
TO = {"rank": ENDS_THE_JOB + GIVEN_ON + DEADLY + [signal.SIGQUIT],
      "mpiexec": ENDS_THE_JOB + GIVEN_ON + DEADLY,
      "manager": ENDS_THE_JOB + DEADLY}


def hear_all_signals():
    """Whoever started the test may ignore some."""
    for number in ENDS_THE_JOB + GIVEN_ON + [signal.SIGQUIT]:
        signal.signal(number, signal.SIG_DFL)


class At:
    """A job whose ranks are all at the moment."""

    def __init__(self, moment, program=PROGRAM, options=(), words=()):
        self.token = uuid.uuid4().hex
        self.job = launch.Job("-n", RANKS, "--timeout", 250, *options, program, moment, self.token, *words,
                              before=hear_all_signals)
        try:
            self.wait_for_words()
            self.manager = launch.managers(self.job.process.pid)[0]
            self.ranks = sorted(launch.children(self.manager))
        except BaseException:
            self.job.process.kill()
            raise

    def wait_for_words(self):
        said, end = "", time.monotonic() + launch.WATCHDOG_SECONDS
        out = self.job.process.stdout
        with selectors.DefaultSelector() as ready:
            ready.register(out, selectors.EVENT_READ)
            while said.count("there") < RANKS:
                if not ready.select(max(0, end - time.monotonic())):
                    raise AssertionError(f"the ranks did not come to their moment: {said}")
                piece = os.read(out.fileno(), 4096).decode()
                if not piece:
                    raise AssertionError(f"the job ended before the moment: {self.job.end().err}")
                said += piece

    def send(self, number, who):
        os.kill({"rank": self.ranks[1], "mpiexec": self.job.process.pid, "manager": self.manager}[who], number)
        return self.job.end()

    def left(self):
        end = time.monotonic() + launch.GONE_SECONDS
        while launch.processes_with(self.token) and time.monotonic() < end:
            time.sleep(0.01)
        return launch.processes_with(self.token)


def files():
    return {name for name in os.listdir("/dev/shm") if "baton" in name}


class Leaving(unittest.TestCase):
    """How jobs end."""

    def assert_nothing_left(self, at, before, what):
        self.assertEqual(at.left(), [], what)
        self.assertEqual(files() - before, set(), what)

    def assert_ended(self, job, number, who, what):
        if who == "rank":
            self.assertEqual(job.code, 128 + number, what)
            self.assertRegex(job.err, rf"rank \d.*\(signal {number}\)", what)
        elif who == "manager":
            self.assertNotEqual(job.code, 0, what)
            self.assertIn("mpiexec:", job.err, what)
        elif number in DEADLY:
            self.assertEqual(job.code, -number, what)
        else:
            self.assertEqual(job.code, 128 + number, what)


class Matrix(Leaving):
    def look_at(self, number, who, moment):
        before = files()
        at = At(moment)
        job = at.send(number, who)
        what = f"{signal.Signals(number).name} to {who} while {moment}: code {job.code}, {job.err}"
        self.assert_nothing_left(at, before, what)
        self.assert_ended(job, number, who, what)

    def moments_of(self, index):
        return MOMENTS if ALL else [MOMENTS[index % len(MOMENTS)], MOMENTS[(3 * index + 1) % len(MOMENTS)]]

    def each(self, who):
        for index, number in enumerate(TO[who]):
            for moment in dict.fromkeys(self.moments_of(index)):
                with self.subTest(signal=signal.Signals(number).name, moment=moment):
                    self.look_at(number, who, moment)

    def test_to_a_rank(self):
        self.each("rank")

    def test_to_mpiexec(self):
        self.each("mpiexec")

    def test_to_the_manager(self):
        self.each("manager")

    def test_each_moment_is_tried_with_each_process(self):
        for who, numbers in TO.items():
            tried = {moment for index in range(len(numbers)) for moment in self.moments_of(index)}
            self.assertEqual(tried, set(MOMENTS), who)


if __name__ == "__main__":
    unittest.main(verbosity=1)
