#!/usr/bin/env python3
"""Files in bad surroundings: devices that fill up or fail, calls that are short or interrupted, files that others
shorten, ranks that die. Usage: file_test.py BIN TESTS_BIN"""

import contextlib
import os
import shutil
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

    def run_case(self, case, *more, ranks=3, faults="", limit=None, path=None, code=0, rank_faults=None,
                 variables=None, explains=False):
        """Runs the program; returns the words of each rank by what it did, and standard error."""
        environment = {**os.environ, "FILE_FAULTS_PATH": self.path, **(variables or {})}
        program = [PROGRAM, path or self.path, case, *more]
        if faults:
            environment["FILE_FAULTS"] = faults
            program = ["env", f"LD_PRELOAD={FAULTS}", *program]

        if limit is not None:  # of the ranks alone: mpiexec's own memory file is longer
            program = ["prlimit", f"--fsize={limit}", *program]
        words = [os.path.join(BIN, "mpiexec"), "--explain", "--timeout", "120", "-n", str(ranks), *program]
        if not explains:
            words.remove("--explain")
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
                # What was written through a mapping would be read there, without a call that can fail.
                result, _ = self.run_case(case, *["sieve"] * (case == "strided"), faults="read 1 eio")
                self.assertEqual({words[0] for words in result["read"].values()}, {"IO"})

    def test_a_limit_on_file_sizes_is_an_error_and_what_fits_is_there(self):
        for case in ("contiguous", "strided", "collective"):
            with self.subTest(case):
                result, _ = self.run_case(case, limit=3 * EACH // 2)
                self.assertIn("NO_SPACE", {words[0] for words in result["write"].values()})
                self.assertLessEqual(os.path.getsize(self.path), 3 * EACH // 2)
                for words in result["read"].values():
                    self.assertEqual((words[0], words[2]), ("SUCCESS", "0"))

    @contextlib.contextmanager
    def mounted(self, *words):
        """A file system in the test's folder while the block runs."""
        if os.geteuid() != 0:
            self.skipTest("only root mounts file systems")
        done = subprocess.run(["mount", *words, self.folder.name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"this machine does not mount it: {done.stderr.splitlines()[:1]}")
        try:
            yield
        finally:
            subprocess.run(["umount", self.folder.name], check=False)

    def expect_no_more_space(self, path, error):
        """Half of the file fits; the write says why the rest does not, and what is there can be read."""
        for case in ("contiguous", "strided", "collective"):
            with self.subTest(case):
                result, _ = self.run_case(case, path=path)
                self.assertIn(error, {words[0] for words in result["write"].values()})
                self.assertEqual({words[0] for words in result["read"].values()}, {"SUCCESS"})
                os.unlink(path)

    def test_a_full_file_system_is_an_error_and_the_ranks_go_on(self):
        with self.mounted("-t", "tmpfs", "-o", "size=1536k", "tmpfs"):
            self.expect_no_more_space(self.path, "NO_SPACE")

    def test_a_quota_is_an_error_and_the_ranks_go_on(self):
        # Btrfs counts what a subvolume has, whoever writes, and needs nothing of the machine's configuration.
        if not shutil.which("mkfs.btrfs"):
            self.skipTest("there is no mkfs.btrfs (Debian: apt-get install btrfs-progs)")
        with tempfile.NamedTemporaryFile() as image:
            os.truncate(image.name, 128 << 20)
            subprocess.run(["mkfs.btrfs", "-q", image.name], capture_output=True, check=True)
            with self.mounted("-t", "btrfs", "-o", "loop", image.name):
                limited = os.path.join(self.folder.name, "limited")
                for words in (("quota", "enable", self.folder.name), ("subvolume", "create", limited),
                              ("qgroup", "limit", "1536K", limited)):
                    subprocess.run(["btrfs", *words], capture_output=True, check=True)
                self.expect_no_more_space(os.path.join(limited, "data"), "QUOTA")

    def test_a_file_that_another_shortens_meanwhile_ends_no_rank(self):
        # The mapping of rank 1 loses its pages between their making and the stores. What rank 0 has written before is lost.
        result, _ = self.run_case("strided", ranks=2, rank_faults=(1, "pages 1 truncate"))
        self.assertEqual(result["write"][1], ["SUCCESS", str(EACH)])
        self.assertEqual(result["read"][1], ["SUCCESS", str(EACH), "0"])

    def test_a_file_that_another_shortens_while_it_is_read_ends_no_rank(self):
        self.run_case("strided", ranks=2)
        result, _ = self.run_case("reading", ranks=2, rank_faults=(1, "pages 1 truncate"))
        for words in result["read"].values():
            self.assertEqual((words[0], words[2]), ("SUCCESS", "0"))
        self.assertEqual(result["read"][1][1], "0")  # it is the end of the file

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

    def test_reads_go_on_in_the_background_by_the_kernels_queue_or_by_threads(self):
        with open(os.path.join(self.folder.name, "liburing.so.2"), "wb"):
            pass  # is no library
        queue = "kernel's queue"
        ways = [("0", {}, False), ("2", {"LD_LIBRARY_PATH": self.folder.name}, False)]
        if "by io_uring" in subprocess.run([os.path.join(BIN, "baton"), "doctor", self.folder.name], capture_output=True,
                                               text=True, timeout=WATCHDOG_SECONDS, check=False).stdout:
            ways.append(("2", {}, True))
        for way, more, is_queued in ways:
            with self.subTest(way, more=more):
                variables = {"BATON_IO_URING": way, **more}
                result, told = self.run_case("background", variables=variables, explains=True)
                # The filetype ends with its last run, which its second copy follows.
                self.assertEqual(result["background"], {0: ["SUCCESS", "800000", "0"], 1: ["SUCCESS", "800000", "0"],
                                                        2: ["SUCCESS", str(EACH // 2 + 64), "0"]})
                self.assertEqual(queue in told, is_queued, told)

    def test_a_read_in_the_background_that_fails_has_its_class_and_words(self):
        for way in ("0", "2"):
            with self.subTest(way):
                result, _ = self.run_case("failing", path="/proc/self/mem", variables={"BATON_IO_URING": way})
                for words in result["failing"].values():
                    self.assertEqual(words[0], "IO")
                    self.assertIn("reading 8192 bytes at byte 0 failed for /proc/self/mem", " ".join(words))

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
