#!/usr/bin/env python3
"""Hosts with two network interfaces each, in networks of their own: parts of long messages go over both, each byte as it
was sent; what is asked for is taken; and a second network that leads nowhere is left alone. With the system's libfabric and
the peers' newer one.
Usage: rails_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import contextlib
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosts import run  # noqa: E402
from jobs import World, begin, libfabrics, library_of, run_tests, wait_until  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "mixed_program")
MEGABYTE = 1000000
A_LITTLE = 20000  # of bytes: what two hosts say to each other before they know of each other


class Rails(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(2, PROGRAM, interfaces=2).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def sent(self, interface):
        """By the first host over that, so far."""
        host = self.world.hosts.pids[self.world.hosts.names[0]]
        shown = run("nsenter", "-t", host, "--net", "ip", "-s", "-j", "link", "show", interface)
        return json.loads(shown)[0]["stats64"]["tx"]["bytes"]

    def traffic(self, *settings):
        """What went over eth0 and eth1 of one second of mixed traffic."""
        before = [self.sent("eth0"), self.sent("eth1")]
        job = self.world.run("mpich", 4, "env", library_of(BIN), "BATON_NETWORK_RAILS_BYTES_MIN=200000", *settings, PROGRAM,
                             1, 7)
        self.assertEqual(job.returncode, 0, job.out + job.err)
        self.world.check_nothing_left()
        return self.sent("eth0") - before[0], self.sent("eth1") - before[1]

    def test_parts_go_over_both(self):
        for libfabric in libfabrics():
            first, second = self.traffic(*libfabric)
            self.assertGreater(first, 2 * MEGABYTE)
            self.assertGreater(second, 2 * MEGABYTE)

    def test_one_is_enough_where_it_is_asked_for(self):
        less, more = sorted(self.traffic("BATON_NETWORK_RAILS=1"))
        self.assertLess(less, A_LITTLE)
        self.assertGreater(more, 2 * MEGABYTE)
        for name in ("eth0", "eth1"):
            used = dict(zip(("eth0", "eth1"), self.traffic(f"BATON_NETWORK_INTERFACE={name}")))
            self.assertGreater(used.pop(name), 2 * MEGABYTE)
            self.assertLess(*used.values(), A_LITTLE)

    def test_a_second_network_that_leads_nowhere_is_left_alone(self):
        for verdict in ("drop", "reject with tcp reset"):
            with self.barred(verdict):
                for libfabric in libfabrics():
                    first, second = self.traffic("BATON_NETWORK_INTERFACE=eth0,eth1", *libfabric)
                    self.assertGreater(first, 2 * MEGABYTE, verdict)
                    self.assertLess(second, A_LITTLE, verdict)

    def test_a_second_network_that_dies_ends_the_job(self):
        for libfabric in libfabrics():
            job = self.world.start("mpich", 4, "env", library_of(BIN), "BATON_NETWORK_RAILS_BYTES_MIN=200000",
                                   "BATON_NETWORK_INTERFACE=eth0,eth1", "BATON_NETWORK_PATIENCE_SECONDS=2", *libfabric, PROGRAM,
                                   60, 7)
            begin(self.world, job)
            before = self.sent("eth1")
            wait_until(lambda: self.sent("eth1") > before + MEGABYTE, "nothing goes over eth1")
            with self.barred("drop"):
                self.world.end(job, 20)
            self.assertNotEqual(job.returncode, 0, job.out + job.err)
            self.world.check_nothing_left()

    @contextlib.contextmanager
    def barred(self, verdict):
        """What comes to the second host over eth1."""
        nft = ("nsenter", "-t", self.world.hosts.pids[self.world.hosts.names[1]], "--net", "nft")
        run(*nft, "add table inet bar; add chain inet bar in { type filter hook input priority 0 ; }; "
                  f"add rule inet bar in iifname eth1 tcp dport 1-65535 {verdict}")
        try:
            yield
        finally:
            run(*nft, "delete", "table", "inet", "bar")


if __name__ == "__main__":
    sys.exit(run_tests())
