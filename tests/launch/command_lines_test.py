#!/usr/bin/env python3
"""Every command line of docs/from-another-mpi.md does what the page says it does: it runs.
Usage: command_lines_test.py BIN_FOLDER [unittest's]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "from-another-mpi.md")
WATCHDOG_SECONDS = 300


def tables():
    """By heading: the rows' command there, here, and words."""
    with open(PAGE) as file:
        part = re.search(r"\n## Command lines\n(.*?)(?=\n## |\Z)", file.read(), re.S).group(1)
    found = {}
    for section in part.split("\n### ")[1:]:
        rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
        found[section.splitlines()[0]] = [[cell.strip() for cell in row] for row in rows]
    return found


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "some lines bind two ranks")
class CommandLines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in ("program", "manager", "worker"):
            path = os.path.join(self.folder, name)
            with open(path, "w") as file:
                file.write("#!/bin/sh\necho ran\n")
            os.chmod(path, 0o755)
        for name, text in (("hosts", "localhost slots=2\n"), ("programs", "-n 1 ./manager\n-n 2 ./worker\n")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)

    def run_line(self, line):
        env = {**os.environ, "PATH": BIN + ":" + os.environ["PATH"], "SLURM_NTASKS": "2"}
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=env, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=WATCHDOG_SECONDS)

    def test_every_line_of_the_page_runs(self):
        for heading, rows in tables().items():
            self.assertGreaterEqual(len(rows), 10, heading)
            for there, here, words in rows:
                line = (there if here == "the same" else here).strip("`")
                with self.subTest(line):
                    done = self.run_line(line)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual("warning: without effect" in done.stderr, "a warning" in words, done.stderr)
                    ranks = re.findall(r"-np? (\d+)", line)
                    files = "pattern" in line
                    if not line.startswith("baton") and not files:
                        self.assertIn("ran", done.stdout)
                        if ranks:
                            self.assertEqual(done.stdout.count("ran\n"), sum(map(int, ranks)), done.stdout)

    def test_lines_that_change_say_so_when_they_are_typed(self):
        for heading, rows in tables().items():
            for there, here, _ in rows:
                line = there.strip("`")
                if here == "the same" or not line.startswith("mp") or "-genv" in line or " -x " in line or "version" in line:
                    continue
                with self.subTest(line):
                    done = self.run_line(line)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("is not known here", done.stderr)


if __name__ == "__main__":
    unittest.main()
