#!/usr/bin/env python3
"""What mpiexec --explain tells of a file. Usage: file_explain_test.py BIN TESTS_BIN"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
WATCHDOG_SECONDS = 300


class Explained(unittest.TestCase):
    def told(self, case, *options, path=None):
        with tempfile.TemporaryDirectory() as folder:
            path = path or os.path.join(folder, "data")
            words = [os.path.join(BIN, "mpiexec"), "--timeout", "120", *options, "-n", "3",
                     os.path.join(TESTS, "file_program"), path, case]
            done = subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            if "--explain=json" in options:
                return json.loads(done.stderr)["files"], path
            lines = done.stderr.splitlines()
            first = [i for i, line in enumerate(lines) if line == f"  {path} (3 ranks):"]
            if not options:
                self.assertEqual(first, [], done.stderr)
                return []
            self.assertEqual(len(first), 1, done.stderr)  # once for all ranks
            return [line.strip() for line in lines[first[0] + 1:first[0] + 6] if line.startswith("  ")]

    def test_an_exchange_is_told_with_its_reason(self):
        lines = self.told("collective", "--explain")
        self.assertIn("reads 0, collective 3, 3 MiB; writes 0, collective 3, 3 MiB", lines[0])
        self.assertIn("3 MiB exchanged through memory that the ranks share", lines)
        self.assertIn("3 MiB through a mapping of the file", lines)
        self.assertIn("1 collective access exchanged: short runs, and together the ranks have all bytes", lines)
        self.assertIn("1 collective access each rank alone: the file lies in memory, and all can map it", lines)

    def test_ranks_that_go_alone_are_told_with_the_reason(self):
        lines = self.told("holes", "--explain")
        self.assertIn("1 collective access each rank alone: some bytes between the first and the last are nobody's, or of "
                      "several ranks", lines)

    def test_calls_of_one_rank_are_told_by_how_their_bytes_went(self):
        lines = self.told("strided", "--explain")
        self.assertIn("reads 3, collective 0, 3 MiB; writes 3, collective 0, 3 MiB", lines[0])
        self.assertIn("6 MiB through a mapping of the file", lines)

    def test_what_is_not_cached_is_read_through_a_sieve(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data")
            for case, expected in (("strided", "mapped"), ("reading", "mapped"), ("reading", "sieved")):
                if expected == "sieved":
                    with open(path, "rb") as file:
                        os.fsync(file.fileno())
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                        try:
                            os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
                            self.skipTest("this file system keeps what is read")
                        except BlockingIOError:
                            pass
                        except OSError:
                            self.skipTest("this file system does not say what is cached")
                (file,), _ = self.told(case, "--explain=json", path=path)
                self.assertEqual({row["way"] for row in file["ways"]}, {expected})

    def test_a_file_with_holes_is_not_filled_by_reading_it(self):
        if not os.path.isdir("/dev/shm"):
            self.skipTest("there is no tmpfs at /dev/shm")
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as sparse:
            sparse.truncate(3 << 20)
            (file,), _ = self.told("reading", "--explain=json", path=sparse.name)
            self.assertEqual({row["way"] for row in file["ways"]}, {"sieved"})
            self.assertEqual(os.stat(sparse.name).st_blocks, 0)

    def test_json_has_the_same(self):
        (file,), path = self.told("collective", "--explain=json")
        self.assertEqual((file["name"], file["ranks"], file["openings"]), (path, 3, 1))
        self.assertEqual((file["collective_reads"], file["read_bytes"], file["collective_writes"], file["written_bytes"]),
                         (3, 3 << 20, 3, 3 << 20))
        self.assertEqual(file["ways"], [{"way": "mapped", "bytes": 3 << 20}, {"way": "exchanged", "bytes": 3 << 20}])
        self.assertEqual([(row["reason"], row["accesses"]) for row in file["collective"]], [("chosen", 1), ("all_map", 1)])
        self.assertGreater(file["system_calls"], 0)

    def test_a_file_that_is_left_open_is_told_too(self):
        (file,), _ = self.told("left", "--explain=json")
        self.assertEqual((file["ranks"], file["reads"]), (3, 3))

    def test_nothing_is_told_without_the_option(self):
        self.told("collective")


if __name__ == "__main__":
    unittest.main()
