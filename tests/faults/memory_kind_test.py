#!/usr/bin/env python3
"""Plug-ins for memory that the processor must not touch which are not there, are none, or cannot copy. Usage:
memory_kind_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import unittest

from faults_test import CLEAN, Faults, launch, mpiexec

PROGRAM = os.path.join(launch.PROGRAMS, "conformance_foreign_memory")


class MemoryKinds(Faults):
    def fails(self, plug_in, words, **more):
        ended = mpiexec("-n", 2, PROGRAM, "messages", env={**CLEAN, "BATON_MEMORY_KIND": plug_in, **more})
        self.assertNotEqual(ended.code, 0)
        self.assertIn(words, ended.err)

    def test_one_that_is_not_there_is_named(self):
        self.fails("/nowhere.so", "BATON_MEMORY_KIND names a plug-in that cannot be opened: /nowhere.so")

    def test_a_library_that_is_none_is_named(self):
        library = os.path.join(launch.PROGRAMS, "libfake_xpmem.so")
        self.fails(library, f"{library} (BATON_MEMORY_KIND) describes no kind of memory of version 1")

    def test_one_that_cannot_copy_ends_the_job_and_says_why(self):
        self.fails(os.path.join(launch.PROGRAMS, "libopaque_memory.so"), "failed: it was told to refuse", OPAQUE_REFUSES="1")


if __name__ == "__main__":
    unittest.main(verbosity=1)
