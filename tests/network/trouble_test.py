#!/usr/bin/env python3
"""Over a network that loses, delays, copies and reorders packets, or whose link goes down for a while, nothing is lost and
nothing comes twice. Each case runs with the system's libfabric and with the peers' newer one.
Usage: trouble_test.py BIN_FOLDER PROGRAM_FOLDER [--soak SECONDS] [unittest's]"""
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from forwarder import Trouble  # noqa: E402
from jobs import WATCHDOG_SECONDS, World, begin, libfabrics, library_of, run_tests  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "mixed_program")
SECONDS = 2
if "--soak" in sys.argv:
    place = sys.argv.index("--soak")
    SECONDS = int(sys.argv[place + 1])
    del sys.argv[place:place + 2]
DOWN_SECONDS = 2
BAD = Trouble(loss=0.01, copies=0.01, overtaken=0.02, delay=0.0002, jitter=0.0005)


class Mixed:
    COUNT, RANKS = 0, 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT, PROGRAM, BAD).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def mix(self, libfabric, meanwhile=None, seconds=SECONDS):
        job = self.world.start("mpich", self.RANKS, "env", library_of(BIN), *libfabric, "BATON_SPIN_COUNT=0", PROGRAM,
                               seconds, 11)
        begin(self.world, job)
        if meanwhile:
            meanwhile()
        self.world.end(job, WATCHDOG_SECONDS + 4 * seconds)
        self.world.check_nothing_left()
        self.assertEqual(job.returncode, 0, job.out + job.err)
        self.assertRegex(job.out, r"(?m)^\d+ rounds, \d+ messages, \d+ bytes are right$")
        print(f"{self.COUNT} hosts, {libfabric or ['the system']}: {job.out.strip()}; packets passed, lost, copied, "
              f"overtaken: {self.world.hosts.order('count')}", file=sys.stderr)


class OverTwoHosts(Mixed, unittest.TestCase):
    COUNT, RANKS = 2, 4

    def test_every_byte_is_right(self):
        for libfabric in libfabrics():
            with self.subTest(libfabric):
                self.mix(libfabric)

    def test_a_link_that_is_down_for_a_while_loses_nothing(self):
        def down():
            self.world.hosts.cut(self.world.hosts.names[1])
            time.sleep(DOWN_SECONDS)
            self.world.hosts.restore(self.world.hosts.names[1])
        for libfabric in libfabrics():
            with self.subTest(libfabric):
                self.mix(libfabric, down, 1)


class OverThreeHosts(Mixed, unittest.TestCase):
    COUNT, RANKS = 3, 3

    def test_every_byte_is_right(self):
        self.mix(libfabrics()[-1])


if __name__ == "__main__":
    sys.exit(run_tests(Trouble()))
