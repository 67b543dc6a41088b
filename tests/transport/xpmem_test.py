#!/usr/bin/env python3
"""Memory of other ranks mapped by XPMEM, with a stand-in for its library. Usage: xpmem_test.py BIN_FOLDER PROGRAM_FOLDER FAKE_LIBRARY"""
import json
import os
import subprocess
import sys
import unittest

BIN, PROGRAMS, FAKE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
with open("/proc/cpuinfo") as cpus:
    HAS_DOUBLE_WORDS = {"avx", "cx16"} <= set(cpus.read().split())
PROGRAM = os.path.join(PROGRAMS, "xpmem_program")


def told(*words, **settings):
    """What a job that must go well explains."""
    done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "600", "--explain=json", "-n", "2",
                           "env", f"LD_PRELOAD={FAKE}", PROGRAM, *words], capture_output=True, text=True, timeout=800,
                          stdin=subprocess.DEVNULL, env={**os.environ, **settings})
    if done.returncode != 0 or "came to the end" not in done.stdout:
        raise AssertionError(f"code {done.returncode}: {done.stdout}{done.stderr}")
    return next(json.loads(line) for line in done.stderr.splitlines() if line.startswith("{"))


def ways(*words, **settings):
    """Messages by way."""
    found = {}
    for row in told(*words, **settings)["traffic"]:
        for way in row["ways"]:
            found[way["way"]] = found.get(way["way"], 0) + way["messages"]
    return found


@unittest.skipIf("san.so" in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout,
                 "a sanitizer wants to be preloaded first")
@unittest.skipUnless(os.geteuid() == 0, "the stand-in needs the root user")
class Xpmem(unittest.TestCase):
    def test_messages_are_copied_in_mapped_memory(self):
        found = ways(BATON_OBSERVE="0", BATON_RECEIVER_INITIATED="0")
        self.assertGreater(found.get("xpmem", 0), 800, found)
        self.assertEqual(found.get("cma", 0), 0, found)

    def test_also_where_cross_memory_attach_is_forbidden(self):
        self.assertGreater(ways(BATON_OBSERVE="0", BATON_RECEIVER_INITIATED="0", BATON_CMA="0").get("xpmem", 0), 800)

    def test_they_are_pushed_into_receives_that_were_posted_first(self):
        self.assertGreater(ways(BATON_OBSERVE="0").get("receiver_initiated", 0), 100)

    def test_what_cannot_be_mapped_goes_another_way(self):
        for cma in ("1", "0"):
            with self.subTest(cma):
                found = ways("private", BATON_OBSERVE="0", BATON_RECEIVER_INITIATED="0", BATON_CMA=cma)
                self.assertGreater(found.get("xpmem", 0), 100, found)
                self.assertGreater(found.get("cma" if cma == "1" else "pipelined", 0), 100, found)
        ways("private")

    def test_it_can_be_switched_off(self):
        self.assertEqual(ways(BATON_OBSERVE="0", BATON_XPMEM="0").get("xpmem", 0), 0)

    def reached(self, **settings):
        """Of memory that windows were given: how it was reached; and how often the elements' lock was taken."""
        found = told(BATON_OBSERVE="0", BATON_RECEIVER_INITIATED="0", **settings)
        return ({row["memory"]: {way["way"] for way in row["ways"]} for row in found["windows"]},
                found["counters"]["element_locks"]["sum"])

    @unittest.skipUnless(HAS_DOUBLE_WORDS, "this CPU has no atomic instructions of 16 bytes")
    def test_windows_of_such_memory_are_mapped_and_their_elements_changed_by_instructions(self):
        for cma in "1", "0":
            with self.subTest(cma=cma):
                ways_of, locks = self.reached(BATON_CMA=cma)
                self.assertEqual(ways_of["create"], {"mapped"})
                if cma == "1":
                    self.assertEqual(ways_of["attach"], {"mapped"})
                    self.assertEqual(locks, 0)

    def test_a_rank_that_may_not_map_them_goes_through_the_kernel_beside_those_that_may(self):
        ways_of, locks = self.reached(FAKE_XPMEM_REFUSES="1", BATON_DELEGATION_POLLS="0")
        self.assertEqual(ways_of, {"create": {"mapped", "kernel"}, "attach": {"mapped", "kernel"}})
        self.assertGreater(locks, 4 * 200)  # of rank 1, at rank 0

    def test_or_by_messages(self):
        ways_of, _ = self.reached(FAKE_XPMEM_REFUSES="1", BATON_CMA="0")
        self.assertEqual(ways_of["create"], {"mapped", "message"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
