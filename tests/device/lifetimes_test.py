#!/usr/bin/env python3
"""What is left open when allocations come and go, and when a rank dies with handles open; and all kinds of memory in all forms of
calls: lifetimes_program.c on the stand-in for a driver. Usage: lifetimes_test.py BIN_FOLDER PROGRAM_FOLDER ALLOCATIONS [unittest's]"""
import os
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
ALLOCATIONS = sys.argv.pop(3)
from faults_test import CLEAN, launch, mpiexec  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "lifetimes_program")
DRIVER = os.path.join(launch.PROGRAMS, "device", "libcuda.so.1")
WHERE = {**CLEAN, "BATON_DEVICE": "1", "DEVICE_LIBRARY": DRIVER}
# No message is buffered: one by the device closes what was freed.
BY_DEVICE = {**WHERE, "BATON_DEVICE_PATIENCE_US": "-1"}


def running():
    """Processes of the program that live."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.path.basename(os.readlink(f"/proc/{name}/exe")) == "lifetimes_program":
                found.append(int(name))
        except OSError:
            continue
    return set(found)


class Lifetimes(unittest.TestCase):
    def test_all_kinds_in_all_forms(self):
        for ranks in (2, 3) if int(ALLOCATIONS) > 1000 else (2,):
            job = mpiexec("-n", ranks, PROGRAM, "forms", env=WHERE)
            self.assertEqual(job.code, 0, job.out + job.err)
            for kind in "device", "pool", "shared_pool", "managed", "pinned", "host":
                self.assertIn(f"{kind}: messages, collectives and operations hold", job.out)

    def test_allocations_that_come_and_go_leave_nothing(self):
        job = mpiexec("-n", 2, PROGRAM, "leaks", ALLOCATIONS, env=BY_DEVICE)
        self.assertEqual(job.code, 0, job.out + job.err)
        found = re.findall(r"after (\d+) allocations: \+(\d+) descriptors, [+-]\d+ mappings, \+(\d+) MiB", job.out)
        self.assertEqual(found, [(ALLOCATIONS, "0", "0")] * 2, job.out)

    def test_a_rank_that_dies_with_handles_open_leaves_nothing(self):
        before, segments = running(), set(os.listdir("/dev/shm"))
        job = mpiexec("-n", 3, PROGRAM, "die", env=BY_DEVICE)
        self.assertNotEqual(job.code, 0)
        self.assertEqual(job.out.count("has handles open"), 3, job.out + job.err)
        self.assertIn("killed (signal 9)", job.err)
        patience = time.monotonic() + 60
        while running() - before and time.monotonic() < patience:
            time.sleep(.1)
        self.assertEqual(running() - before, set())
        self.assertEqual(set(os.listdir("/dev/shm")) - segments, set())


if __name__ == "__main__":
    unittest.main(verbosity=1)
