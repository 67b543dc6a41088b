#!/usr/bin/env python3
"""What mpiexec --explain tells of a file. Usage: file_explain_test.py BIN TESTS_BIN"""

import os
import subprocess
import sys
import tempfile
import unittest

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
WATCHDOG_SECONDS = 300


class Explained(unittest.TestCase):
    def told(self, case, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data")
            words = [os.path.join(BIN, "mpiexec"), "--timeout", "120", *options, "-n", "3",
                     os.path.join(TESTS, "file_program"), path, case]
            done = subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stderr.splitlines()
            first = [i for i, line in enumerate(lines) if line == f"baton: file {path}, 3 ranks:"]
            if not options:
                self.assertEqual(first, [], done.stderr)
                return []
            self.assertEqual(len(first), 1, done.stderr)  # once for all ranks
            return [line.strip() for line in lines[first[0] + 1:first[0] + 6] if line.startswith("  ")]

    def test_an_exchange_is_told_with_its_reason(self):
        lines = self.told("collective", "--explain")
        self.assertIn("reads 0, collective 3, 3.0 MiB; writes 0, collective 3, 3.0 MiB", lines[0])
        self.assertIn("6.0 MiB exchanged through memory that the ranks share", lines)
        self.assertIn("2 collective calls exchanged: short runs, and together the ranks have all bytes", lines)

    def test_ranks_that_go_alone_are_told_with_the_reason(self):
        lines = self.told("holes", "--explain")
        self.assertIn("1 collective calls each rank alone: some bytes between the first and the last are nobody's, or of "
                      "several ranks", lines)

    def test_calls_of_one_rank_are_told_by_how_their_bytes_went(self):
        lines = self.told("strided", "--explain")
        self.assertIn("reads 3, collective 0, 3.0 MiB; writes 3, collective 0, 3.0 MiB", lines[0])
        self.assertIn("3.0 MiB through a sieve (with what lies between the runs)", lines)

    def test_nothing_is_told_without_the_option(self):
        self.told("collective")


if __name__ == "__main__":
    unittest.main()
