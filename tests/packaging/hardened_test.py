#!/usr/bin/env python3
"""All that Baton installs is linked and compiled as distributions do it. Usage: hardened_test.py BUILD_FOLDER [unittest's]"""
import os
import subprocess
import sys
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
PROGRAMS = ["bin/mpiexec", "bin/baton", "libexec/baton/baton-measure", "libexec/baton/baton-scatter-live"]
LIBRARIES = ["lib/libmpi_abi.so.1", "lib/libmpifort_abi.so.1", "lib/libbaton_malloc.so"]


def readelf(option, name):
    return subprocess.run(["readelf", "--wide", option, os.path.join(BUILD, name)], capture_output=True, text=True,
                          check=True, timeout=60).stdout


class Hardened(unittest.TestCase):
    def each(self, names=None):
        for name in names or PROGRAMS + LIBRARIES:
            with self.subTest(name):
                yield name

    def test_relocations_are_done_and_read_only_before_the_program_runs(self):
        for name in self.each():
            self.assertIn("GNU_RELRO", readelf("--program-headers", name))
            self.assertIn("NOW", readelf("--dynamic", name))

    def test_all_lies_at_addresses_that_nobody_knows(self):
        for name in self.each():
            self.assertRegex(readelf("--file-header", name), r"Type:\s+DYN")

    def test_no_stack_can_be_executed(self):
        for name in self.each():
            stack = [line for line in readelf("--program-headers", name).splitlines() if "GNU_STACK" in line]
            self.assertEqual(len(stack), 1)
            self.assertNotIn(" RWE ", stack[0])

    def test_stacks_and_buffers_are_guarded(self):
        for name in self.each(["bin/mpiexec", "bin/baton", *LIBRARIES]):
            symbols = readelf("--dyn-syms", name)
            self.assertIn("__stack_chk_fail", symbols)
            self.assertRegex(symbols, r"__\w+_chk@")


if __name__ == "__main__":
    unittest.main()
