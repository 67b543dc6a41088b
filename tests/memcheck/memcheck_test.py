#!/usr/bin/env python3
"""valgrind finds nothing in a plain program: no error, nothing lost. Usage: memcheck_test.py BIN_FOLDER PROGRAM_FOLDER"""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "memcheck_program")
FOUND_CODE = 99
MEMCHECK = ["valgrind", "-q", f"--error-exitcode={FOUND_CODE}", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", "--track-origins=yes"]


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Memcheck(unittest.TestCase):
    def clean(self, *words, env=None):
        launch.WATCHDOG_SECONDS = 1200
        job = launch.run("--timeout", 1200, "-n", 2, *MEMCHECK, *words, env=env)
        self.assertEqual((job.code, job.err), (0, ""), job.out)
        self.assertEqual(job.out, "came to the end\n")

    def test_what_a_program_does_wrong_is_found(self):
        """Else the other tests would prove nothing."""
        for wrong, text in (("forgets", "definitely lost"), ("unset", "uninitialised value"),
                            ("outside", "Invalid write")):
            with self.subTest(wrong):
                launch.WATCHDOG_SECONDS = 1200
                job = launch.run("--timeout", 1200, "-n", 2, *MEMCHECK, PROGRAM, wrong)
                self.assertEqual(job.code, FOUND_CODE, job.err)
                self.assertIn(text, job.err)

    @unittest.skipUnless(shutil.which("gcore"), "gdb is not installed")
    def test_a_core_file_has_what_was_allocated_and_nothing_of_the_address_space_around_it(self):
        launch.WATCHDOG_SECONDS = 1200
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "core")
            job = launch.run("--timeout", 1000, "-n", 2, PROGRAM, "dumps", file)
            self.assertEqual((job.code, job.err), (0, ""), job.out)
            core = next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("core.")
                        and not name.endswith(".log"))
            self.assertLess(os.path.getsize(core), 1 << 30)
            with open(core, "rb") as bytes_of_it:
                self.assertIn(b"what the user filled of rank 0", bytes_of_it.read())

    def test_sends_and_collectives_are_clean(self):
        self.clean(PROGRAM)

    def test_sends_and_collectives_are_clean_without_cross_memory_attach_and_rooms(self):
        self.clean(PROGRAM, env={**os.environ, "BATON_CMA": "0", "BATON_ROOMS": "0"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
