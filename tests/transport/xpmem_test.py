#!/usr/bin/env python3
"""Memory of other ranks mapped by XPMEM, with a stand-in for its library. Usage: xpmem_test.py BIN_FOLDER PROGRAM_FOLDER FAKE_LIBRARY"""
import json
import os
import subprocess
import sys
import unittest

BIN, PROGRAMS, FAKE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
PROGRAM = os.path.join(PROGRAMS, "xpmem_program")


def ways(*words, **settings):
    """Messages by way, and the job's outcome."""
    done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "60", "--explain=json", "-n", "2",
                           "env", f"LD_PRELOAD={FAKE}", PROGRAM, *words], capture_output=True, text=True, timeout=80,
                          stdin=subprocess.DEVNULL, env={**os.environ, **settings})
    if done.returncode != 0 or "came to the end" not in done.stdout:
        raise AssertionError(f"code {done.returncode}: {done.stdout}{done.stderr}")
    told = next(json.loads(line) for line in done.stderr.splitlines() if line.startswith("{"))
    found = {}
    for row in told["traffic"]:
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


if __name__ == "__main__":
    unittest.main(verbosity=1)
