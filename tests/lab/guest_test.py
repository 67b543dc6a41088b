#!/usr/bin/env python3
"""What `baton lab` counts in the guest of ./dev test-numa, which must have run once: page shares of the five configurations,
and how much fast memory each way of using it takes. Usage: guest_test.py BIN_FOLDER"""
import json
import tempfile
import unittest

from calls import lab, read
from lab.numa import guest


def rows_of(study):
    with tempfile.TemporaryDirectory() as folder:
        done = lab(study, "--quick", "--out", folder)
        assert done.returncode == 0, done.stderr
        return [row for row in json.loads(read(folder, "data.json"))["rows"] if row["table"] == "guest"]


class Guest(unittest.TestCase):
    def test_pages_lie_as_each_configuration_claims(self):
        rows = rows_of("numa")
        self.assertEqual({row["configuration"] for row in rows}, set(guest.CLAIMS))
        for row in rows:
            self.assertTrue(guest.holds(row), row)
            self.assertGreater(row["pages"], 4000)

    def test_whole_processes_take_the_most_fast_memory(self):
        pages = {row["way"]: row["fast_pages"] for row in rows_of("hbm")}
        self.assertLess(pages["segments only"], pages["segments and buffers"] / 10)
        self.assertGreater(pages["segments and buffers"], 4 * 4096)
        self.assertGreater(pages["whole processes"], pages["segments and buffers"] + 4 * 512)


if __name__ == "__main__":
    unittest.main()
