#!/usr/bin/env python3
"""Staging buffers of a receiver go round among its senders: each of many gets one for a while.
Usage: lease_test.py MPIEXEC PROGRAM"""
import json
import os
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]
SECONDS = 800
BYTES = 20000  # goes through staging before it is matched, where there is a buffer for it


def leases(ranks, messages):
    # Without CMA all messages want staging, whatever a machine's ranks find to be quicker.
    done = subprocess.run([MPIEXEC, "--timeout", str(SECONDS), "--explain=json", "-n", str(ranks), PROGRAM,
                           str(messages), str(BYTES)], env={**os.environ, "BATON_CMA": "0"},
                          capture_output=True, text=True, timeout=SECONDS + 20, stdin=subprocess.DEVNULL)
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != 1:
        raise AssertionError(f"code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(lines[0])["counters"]["leases"]


class Lease(unittest.TestCase):
    def test_few_senders_keep_theirs(self):
        for ranks in range(2, 10):
            with self.subTest(ranks=ranks):
                self.assertEqual(leases(ranks, 300), {"sum": ranks, "least": 1, "most": 1})

    def test_each_of_forty_senders_gets_one_and_gives_it_back(self):
        found = leases(41, 600)
        print(found)
        self.assertGreaterEqual(found["least"], 1)

    def test_each_of_128_senders_gets_one(self):
        found = leases(129, 900)
        print(found)
        self.assertGreaterEqual(found["least"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
