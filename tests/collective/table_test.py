#!/usr/bin/env python3
"""Each row of the table of algorithms has its function in a file of src/collective/algorithm/, and each file a row.
Usage: table_test.py SOURCE_FOLDER"""
import collections
import os
import re
import sys
import unittest

SOURCES = os.path.join(sys.argv.pop(1), "src")
FOLDER = os.path.join(SOURCES, "collective", "algorithm")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


ROWS = re.findall(r"^  X\((\w+), *\w+, *\w+, *needs", text_of(os.path.join(SOURCES, "base", "algorithm.hpp")), re.M)
# By row, the files that define a function of its name.
HOMES = collections.defaultdict(list)
for name in sorted(os.listdir(FOLDER)):
    if name.endswith(".cpp"):
        for function in re.findall(r"^Task (\w+)\([^;{]*\) \{$", text_of(os.path.join(FOLDER, name)), re.M):
            HOMES[function].append(name)


class Table(unittest.TestCase):
    def test_the_table_was_read(self):
        self.assertGreaterEqual(len(ROWS), 49)

    def test_each_row_has_one_function(self):
        for row in ROWS:
            with self.subTest(row=row):
                self.assertEqual(len(HOMES[row]), 1, HOMES[row])

    def test_each_file_has_a_row(self):
        for name in os.listdir(FOLDER):
            with self.subTest(file=name):
                source = os.path.splitext(name)[0] + ".cpp"
                self.assertTrue(any(source in HOMES[row] for row in ROWS))

    def test_a_file_has_the_name_of_its_only_row(self):
        for name in os.listdir(FOLDER):
            rows = [row for row in ROWS if name in HOMES[row]]
            with self.subTest(file=name):
                if len(rows) == 1:
                    self.assertEqual(name, rows[0] + ".cpp")


if __name__ == "__main__":
    unittest.main()
