#!/usr/bin/env python3
"""Two jobs use one file at the same time. Usage: two_jobs_test.py BIN TESTS_BIN"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM = os.path.join(TESTS, "two_jobs_program")
WATCHDOG_SECONDS = 300


class TwoJobs(unittest.TestCase):
    def run_both(self, case, ranks):
        """Starts two jobs, of so many ranks each; both find what they check. Where one ends badly, so does the other."""
        with tempfile.TemporaryDirectory() as folder:
            words = [os.path.join(BIN, "mpiexec"), "--timeout", "120", "-n", str(ranks), PROGRAM, os.path.join(folder, "data")]
            jobs = [subprocess.Popen([*words, str(number), case], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                    for number in range(2)]
            limit = time.monotonic() + WATCHDOG_SECONDS
            while any(job.poll() is None for job in jobs):
                if any(job.poll() for job in jobs) or time.monotonic() > limit:
                    for job in jobs:
                        job.terminate()
                time.sleep(0.01)
            said = [job.communicate()[0] for job in jobs]
            self.assertEqual(said, [f"job {number}: all checks held\n" for number in range(2)])

    def run_cases(self, *cases):
        for case in cases:
            for ranks in 2, 3:
                with self.subTest(case, ranks=ranks):
                    self.run_both(case, ranks)

    def test_in_atomic_mode_a_reader_sees_whole_records(self):
        self.run_cases("contiguous", "strided", "together", "pending")

    def test_what_a_job_has_written_is_seen_by_the_other_after_sync(self):
        self.run_cases("sync")

    def test_no_byte_of_either_is_lost_where_their_blocks_interleave(self):
        self.run_cases("alone", "interleaved")


if __name__ == "__main__":
    unittest.main()
