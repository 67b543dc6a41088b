#!/usr/bin/env python3
"""Files in bad surroundings: devices that fill up or fail, calls that are short or interrupted, files that others
shorten, ranks that die. Usage: file_test.py BIN TESTS_BIN"""

import os
import subprocess
import sys
import tempfile
import unittest

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM, FAULTS = os.path.join(TESTS, "file_program"), os.path.join(TESTS, "libfile_faults.so")
WATCHDOG_SECONDS = 300
EACH = 1 << 20


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "data")

    def tearDown(self):
        self.folder.cleanup()

    def run_case(self, case, *more, ranks=3, faults="", limit=None, path=None, code=0, rank_faults=None):
        """Runs the program; returns the words of each rank by what it did, and standard error."""
        environment = {**os.environ, "FILE_FAULTS_PATH": self.path}
        program = [PROGRAM, path or self.path, case, *more]
        if faults:
            environment["FILE_FAULTS"] = faults
            program = ["env", f"LD_PRELOAD={FAULTS}", *program]

        if limit is not None:  # of the ranks alone: mpiexec's own memory file is longer
            program = ["prlimit", f"--fsize={limit}", *program]
        words = [os.path.join(BIN, "mpiexec"), "--timeout", "120", "-n", str(ranks), *program]
        if rank_faults is not None:
            victim, its = rank_faults
            words = [os.path.join(BIN, "mpiexec"), "--timeout", "120"]
            for rank in range(ranks):
                one = ["env", f"LD_PRELOAD={FAULTS}", f"FILE_FAULTS={its}"] if rank == victim else []
                words += [*([":"] if rank else []), "-n", "1", *one, PROGRAM, self.path, case, *more]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=WATCHDOG_SECONDS, check=False)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("rank ")]
        result = {}
        for line in lines:
            result.setdefault(line[2], {})[int(line[1].rstrip(":"))] = line[3:]
        return result, done.stderr

    def expect_all(self, result, what, *words, ranks=3):
        self.assertEqual(result.get(what), {rank: list(words) for rank in range(ranks)})

    def test_what_is_written_is_read_whole(self):
        for case in ("contiguous", "strided", "collective"):
            with self.subTest(case):
                result, error = self.run_case(case)
                self.expect_all(result, "write", "SUCCESS", str(EACH))
                self.expect_all(result, "read", "SUCCESS", str(EACH), "0")
                self.assertEqual(error, "")

    def test_short_and_interrupted_calls_are_repeated(self):
        for case in ("contiguous", "strided", "collective", "holes"):
            for what in ("short", "interrupted"):
                with self.subTest(case, what=what):
                    result, _ = self.run_case(case, faults=f"read 1 {what},write 1 {what}")
                    for rank in range(3):
                        mine = str(0 if case == "holes" and rank == 2 else EACH)
                        self.assertEqual(result["write"][rank], ["SUCCESS", mine])
                        self.assertEqual(result["read"][rank], ["SUCCESS", mine, "0"])

    def test_errors_of_the_device_have_their_class_on_all_ranks(self):
        for fault, name in (("eio", "IO"), ("enospc", "NO_SPACE"), ("edquot", "QUOTA")):
            for case in ("contiguous", "collective"):
                with self.subTest(case, fault=fault):
                    result, _ = self.run_case(case, faults=f"write 1 {fault}")
                    self.assertEqual({words[0] for words in result["write"].values()}, {name})

    def test_a_read_that_fails_has_its_class_on_all_ranks_that_wanted_it(self):
        for case in ("contiguous", "strided", "collective"):
            with self.subTest(case):
                result, _ = self.run_case(case, faults="read 1 eio")
                self.assertEqual({words[0] for words in result["read"].values()}, {"IO"})

    def test_a_limit_on_file_sizes_is_an_error_and_what_fits_is_there(self):
        for case in ("contiguous", "strided", "collective"):
            with self.subTest(case):
                result, _ = self.run_case(case, limit=3 * EACH // 2)
                self.assertIn("NO_SPACE", {words[0] for words in result["write"].values()})
                self.assertLessEqual(os.path.getsize(self.path), 3 * EACH // 2)
                for words in result["read"].values():
                    self.assertEqual((words[0], words[2]), ("SUCCESS", "0"))

    def test_a_full_file_system_is_an_error_and_the_ranks_go_on(self):
        if os.geteuid() != 0:
            self.skipTest("only root mounts file systems")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", self.folder.name],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("this container may not mount")
        try:
            for case in ("contiguous", "strided", "collective"):
                with self.subTest(case):
                    if os.path.exists(self.path):
                        os.unlink(self.path)
                    result, _ = self.run_case(case)
                    self.assertIn("NO_SPACE", {words[0] for words in result["write"].values()})
                    self.assertEqual({words[0] for words in result["read"].values()}, {"SUCCESS"})
        finally:
            subprocess.run(["umount", self.folder.name], check=False)

    def test_a_file_that_another_shortens_meanwhile_ends_no_rank(self):
        # The mapping of rank 1 loses its pages between their making and the stores. What rank 0 has written before is lost.
        result, _ = self.run_case("strided", ranks=2, rank_faults=(1, "pages 1 truncate"))
        self.assertEqual(result["write"][1], ["SUCCESS", str(EACH)])
        self.assertEqual(result["read"][1], ["SUCCESS", str(EACH), "0"])

    def test_a_rank_that_dies_in_a_collective_write_ends_the_job_and_nothing_hangs(self):
        for call in (1, 2, 4):
            with self.subTest(call=call):
                with open(self.path, "wb") as file:
                    file.write(b"\xee" * (5 * EACH))
                _, error = self.run_case("collective", rank_faults=(1, f"write {call} kill"), code=None)
                self.assertNotIn("timeout", error)
                with open(self.path, "rb") as file:
                    data = file.read()
                self.assertEqual(data[3 * EACH:], b"\xee" * (2 * EACH))  # what is nobody's is as it was

    def test_errors_that_nobody_looks_at_are_told_once_when_the_file_is_closed(self):
        result, error = self.run_case("contiguous", ranks=2, faults="write 1 eio")
        self.assertEqual({words[0] for words in result["write"].values()}, {"IO"})
        told = [line for line in error.splitlines() if "data was not written" in line]
        self.assertEqual(len(told), 2, error)
        _, error = self.run_case("contiguous", "looks", ranks=2, faults="write 1 eio")
        self.assertNotIn("data was not written", error)

    def test_a_program_may_end_with_a_file_open_whose_threads_still_wait(self):
        result, _ = self.run_case("left")
        self.expect_all(result, "left", "SUCCESS")

    def test_what_cannot_be_opened_has_its_class(self):
        result, _ = self.run_case("open", path="/nonexistent/data")
        self.expect_all(result, "open", "NO_SUCH_FILE")
        result, _ = self.run_case("open", path=self.folder.name)
        self.expect_all(result, "open", "BAD_FILE")
        with open(self.path, "wb"):
            pass
        result, _ = self.run_case("open", "exclusive")
        self.expect_all(result, "open", "FILE_EXISTS")


if __name__ == "__main__":
    unittest.main()
