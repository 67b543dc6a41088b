#!/usr/bin/env python3
"""What goes wrong when jobs meet, or are to. Usage: failures_test.py BIN TESTS_BIN [unittest's]"""

import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM = os.path.join(TESTS, "failures_program")
WATCHDOG_SECONDS = 120


def forward(ends, most):
    """Passes on so many bytes in each direction, then ends both connections, of which these are read before."""
    left = {end: most for end in ends}
    while open_ends := [end for end in ends if left[end] > 0]:
        for end in select.select(open_ends, [], [])[0]:
            data = end.recv(min(left[end], 4096))
            if not data:
                left = dict.fromkeys(ends, 0)
                break
            ends[end is ends[0]].sendall(data)
            left[end] -= len(data)
    for end in ends:
        end.shutdown(socket.SHUT_RDWR)


class Failures(unittest.TestCase):
    variables = {}

    def start(self, ranks, *words, options=(), descriptors=(), **variables):
        launcher = [] if ranks is None else [os.path.join(BIN, "mpiexec"), "--timeout", "100", *options, "-n", str(ranks)]
        job = subprocess.Popen([*launcher, PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL, pass_fds=descriptors,
                               env={**os.environ, **self.variables, **variables})
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.stderr.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def expect_good(self, *jobs):
        for job in jobs:
            out, err = job.communicate(timeout=WATCHDOG_SECONDS)
            self.assertEqual((job.returncode, out), (0, f"{job.args[job.args.index(PROGRAM) + 1]}: all checks held\n"), err)

    def test_arguments_without_sense_are_errors(self):
        for ranks in None, 1, 3:
            with self.subTest(ranks=ranks):
                self.expect_good(self.start(ranks, "argue"))

    def test_who_finds_no_place_at_a_port_waits_no_longer_than_it_is_to(self):
        self.expect_good(self.start(1, "queue"))

    def test_who_has_given_up_is_not_taken_for_a_client(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_good(self.start(2, "accept_late", folder), self.start(1, "connect_twice", folder))

    def test_waits_for_another_job_end_with_the_communicator(self):
        for way in "accept", "connect", "connect_far":
            with self.subTest(way, end="revoke"):
                self.expect_good(self.start(2, "in_vain", way, "revoke", BATON_NETWORK_INTERFACE="lo"))
            with self.subTest(way, end="die"):
                self.expect_good(self.start(3, "in_vain", way, "die", options=("--continue-on-failure",),
                                            BATON_NETWORK_INTERFACE="lo"))

    def test_jobs_meet_again_while_they_part(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_good(*[self.start(None, f"part_{role}", folder, "300") for role in ("accept", "connect")])

    def test_a_connection_that_ends_in_the_midst_leaves_nothing(self):
        inner, outer = [], []
        for limit in *range(0, 400, 8), 1 << 30:
            one, other = socket.socketpair(), socket.socketpair()
            inner += [one[0], other[0]]
            outer += [one[1], other[1]]
            threading.Thread(target=forward, args=(outer[-2:], limit), daemon=True).start()
        jobs = [self.start(None, "join", *[str(end.fileno()) for end in inner[side::2]],
                           descriptors=[end.fileno() for end in inner[side::2]]) for side in range(2)]
        for end in inner:
            end.close()
        self.expect_good(*jobs)
        for end in outer:
            end.close()


if __name__ == "__main__":
    unittest.main()
