#!/usr/bin/env python3
"""BATON_LEAK_REPORT=1 names what a program forgot to free. Usage: leak_report_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "leak_program")
REPORTING = {**os.environ, "BATON_LEAK_REPORT": "1"}

EACH = [r'1 communicator: "halo" of 2 ranks', r'1 datatype: "triple" of 12 bytes, not committed',
        r"1 group: 0x\w+ of 2 ranks",
        r"2 requests: 0x\w+ \(generalized request, not complete\), 0x\w+ \(persistent receive, inactive\)",
        r"1 operation: 0x\w+ \(not commutative\)", r"1 info object: 0x\w+ of 1 key",
        r"1 error handler: 0x\w+ \(for communicators\)", r"1 matched message: 0x\w+ \(from rank (\d), tag 9, 4 bytes\)"]


class LeakReport(unittest.TestCase):
    def reports(self, *words, ranks=2, env=REPORTING):
        """The lines of each rank's block."""
        job = launch.run("--timeout", 200, "-n", ranks, PROGRAM, *words, env=env)
        self.assertEqual((job.code, job.out), (0, "came to the end\n"), job.err)
        blocks = re.findall(r"(?m)^baton: rank (\d+): not freed at (\w+):\n((?:  .*\n)*)", job.err)
        self.assertEqual("".join(f"baton: rank {rank}: not freed at {end}:\n{lines}" for rank, end, lines in blocks), job.err)
        self.end = {end for _, end, _ in blocks}
        return {int(rank): [line.strip() for line in lines.splitlines()] for rank, _, lines in blocks}

    def names_each(self, lines):
        self.assertEqual(len(lines), len(EACH), lines)
        for line, expected in zip(lines, EACH):
            self.assertRegex(line, f"^{expected}$")

    def test_a_program_that_frees_all_is_told_nothing(self):
        self.assertEqual(self.reports("nothing"), {})
        self.assertEqual(self.reports("nothing", "session"), {})

    def test_nobody_is_told_who_did_not_ask(self):
        env = {name: value for name, value in os.environ.items() if name != "BATON_LEAK_REPORT"}
        self.assertEqual(self.reports("each", env=env), {})

    def test_each_kind_is_named(self):
        reports = self.reports("each")
        self.assertEqual((sorted(reports), self.end), ([0, 1], {"MPI_Finalize"}))
        for lines in reports.values():
            self.names_each(lines)

    def test_only_the_rank_that_forgot_reports(self):
        reports = self.reports("first")
        self.assertEqual(list(reports), [0])
        self.names_each(reports[0])

    def test_of_many_the_first_are_named(self):
        lines = self.reports("many", ranks=1)[0]
        handle = r"0x\w+"
        self.assertRegex(lines[0], rf"^6 communicators: ({handle} of 1 rank, ){{3}}{handle} of 1 rank and 2 more$")
        self.assertRegex(lines[1], rf"^1000 info objects: ({handle} of 0 keys, ){{3}}{handle} of 0 keys and 996 more$")
        self.assertEqual(len(lines), 2)

    def test_the_last_session_reports_too(self):
        reports = self.reports("each", "session")
        self.assertEqual((sorted(reports), self.end), ([0, 1], {"MPI_Session_finalize"}))
        for lines in reports.values():
            self.names_each(lines)

    def test_a_session_that_is_open_at_finalize_is_named(self):
        self.assertRegex("".join(self.reports("open", ranks=1)[0]), r"^1 session: 0x\w+$")


if __name__ == "__main__":
    unittest.main(verbosity=1)
