#!/usr/bin/env python3
"""Ranks that die while all use a file (mpiexec --continue-on-failure): the others' calls end. Usage: files_test.py BIN TESTS_BIN
[ROUNDS]: so many deaths in each case, of one rank after the other; otherwise one."""
import os
import subprocess
import sys
import tempfile
import unittest

BIN, TESTS = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
del sys.argv[1:]
WATCHDOG_SECONDS = 240
CASES = ["write_all", "read_all", "write_all_alone", "nonblocking", "split", "ordered", "shared", "atomic", "administration",
         "opening", "deleting"]


class Files(unittest.TestCase):
    def test_calls_end_when_a_rank_has_died(self):
        for round in range(ROUNDS):
            for index, case in enumerate(CASES):
                ranks = 3 + (index + round) % 3
                dead = (index + round) % ranks
                with self.subTest(case, round=round, ranks=ranks, dead=dead), tempfile.TemporaryDirectory() as folder:
                    done = subprocess.run(
                        [os.path.join(BIN, "mpiexec"), "--continue-on-failure", "--timeout", "120", "--hang-after", "60:end", "-n",
                         str(ranks), os.path.join(TESTS, "files_program"), case, os.path.join(folder, "file"), str(dead), "30"],
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=WATCHDOG_SECONDS)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertIn(f"{case} held", done.stdout)


if __name__ == "__main__":
    unittest.main()
