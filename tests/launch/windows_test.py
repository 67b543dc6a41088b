#!/usr/bin/env python3
"""What mpiexec --explain, --stats and `baton stat` tell of windows. Usage: windows_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mpiexec_test import BIN, PROGRAMS, WATCHDOG_SECONDS, Job, run, wait_until  # noqa: E402

PROGRAM = os.path.join(PROGRAMS, "windows_program")
REFUSING = os.path.join(PROGRAMS, "refusing")
BATON = os.path.join(BIN, "baton")
OPERATIONS = {"put": (10, 80), "get": (5, 500), "accumulate": (3, 12), "get_accumulate": (2, 8)}
with open("/proc/cpuinfo") as cpus:
    HAS_DOUBLE_WORDS = {"avx", "cx16"} <= set(cpus.read().split())


def with_settings(**values):
    return {**os.environ, **{name: str(value) for name, value in values.items()}}


def told(option, *words, **settings):
    """The JSON of a run that must go well."""
    job = run("--timeout", 600, option, *words, env=with_settings(**settings))
    assert job.code == 0, job.err
    lines = [line for line in job.err.splitlines() if line.startswith("{")]
    assert len(lines) == 1, job.err
    return json.loads(lines[0])


def by_memory(found):
    """Of each memory: its ways, what went by them, and the reasons."""
    return {row["memory"]: ({way["way"] for way in row["ways"]},
                            {way["operation"]: (way["operations"], way["bytes"]) for way in row["ways"]},
                            {why["reason"]: why["operations"] for why in row["why_not_cheaper"]})
            for row in found["windows"]}


def words_of(found, memory):
    row, = (row for row in found["windows"] if row["memory"] == memory)
    return " ".join(why["words"] for why in row["why_not_cheaper"])


class Explained(unittest.TestCase):
    def test_each_operation_is_counted_once_by_memory_and_way(self):
        found = told("--explain=json", "-n", 2, PROGRAM, "reach")
        rows = by_memory(found)
        self.assertEqual(set(rows), {"allocate", "create", "attach"})
        self.assertEqual(rows["allocate"], ({"mapped"}, OPERATIONS, {}))
        for memory in ("create", "attach"):
            ways, operations, reasons = rows[memory]
            self.assertEqual(operations, OPERATIONS)
            if ways != {"mapped"}:  # by XPMEM
                self.assertEqual((ways, reasons), ({"kernel"}, {"private_memory": 20})
                                 if "kernel" in ways else ({"message"}, {"kernel_refuses": 20}))

    def test_where_the_kernel_refuses_the_cause_and_the_remedy_are_told(self):
        found = told("--explain=json", "-n", 2, REFUSING, "process_vm_readv", PROGRAM, "reach", BATON_XPMEM=0)
        rows = by_memory(found)
        self.assertEqual(rows["allocate"], ({"mapped"}, OPERATIONS, {}))
        for memory in ("create", "attach"):
            self.assertEqual(rows[memory], ({"message"}, OPERATIONS, {"kernel_refuses": 20}))
            self.assertIn("not permitted here (EPERM)", words_of(found, memory))
            self.assertIn("use MPI_Win_allocate", words_of(found, memory))

    def test_a_setting_that_switches_it_off_is_named(self):
        found = told("--explain=json", "-n", 2, PROGRAM, "reach", BATON_CMA=0, BATON_XPMEM=0)
        self.assertIn("switched off by BATON_CMA=0", words_of(found, "create"))
        self.assertIn("BATON_PROGRESS_THREAD=1", words_of(found, "create"))

    def test_between_nodes_what_is_short_goes_in_messages(self):
        found = told("--explain=json", "-n", 2, PROGRAM, "reach", BATON_RANKS_PER_NODE=1)
        for memory, row in by_memory(found).items():
            reasons = {"other_node": 20} if memory == "attach" else {"short_message": 15, "other_node": 5}
            self.assertEqual(row, ({"message"}, OPERATIONS, reasons), memory)

    def test_between_nodes_puts_and_gets_are_the_providers_remote_writes_and_reads(self):
        found = told("--explain=json", "-n", 2, PROGRAM, "reach", BATON_RANKS_PER_NODE=1,
                     BATON_NETWORK_PUT_BYTES_MIN=8, BATON_NETWORK_GET_BYTES_MIN=100)
        for row in found["windows"]:
            by_way = {way["operation"]: (way["way"], way["operations"], way["bytes"]) for way in row["ways"]}
            way = "message" if row["memory"] == "attach" else "provider"
            self.assertEqual(by_way, {"put": (way, 10, 80), "get": (way, 5, 500), "accumulate": ("message", 3, 12),
                                      "get_accumulate": ("message", 2, 8)}, row["memory"])
            self.assertEqual({why["reason"]: why["operations"] for why in row["why_not_cheaper"]},
                             {"other_node": 20 if way == "message" else 5}, row["memory"])

    def test_between_nodes_a_setting_that_forbids_it_is_named(self):
        found = told("--explain=json", "-n", 2, PROGRAM, "reach", BATON_RANKS_PER_NODE=1, BATON_NETWORK_REMOTE_ACCESS=0,
                     BATON_NETWORK_PUT_BYTES_MIN=8)
        for memory in ("allocate", "create"):
            self.assertEqual(by_memory(found)[memory],
                             ({"message"}, OPERATIONS, {"no_remote_access": 15, "other_node": 5}))
            self.assertIn("BATON_NETWORK_REMOTE_ACCESS=0", words_of(found, memory))

    def test_the_text_says_the_same(self):
        job = run("--timeout", 600, "--explain", "-n", 2, PROGRAM, "reach", env=with_settings(BATON_CMA=0, BATON_XPMEM=0))
        self.assertRegex(job.err, r"how windows were reached \(operations, data\):\n"
                         r"  memory of MPI_Win_allocate:\n    mapped +put +10 +80 B   by the origin's loads, .*\n"
                         r" +get +5 +500 B\n +accumulate +3 +12 B\n +get_accumulate +2 +8 B\n"
                         r"  memory that MPI_Win_create was given:\n    message +put +10 +80 B ")
        self.assertRegex(job.err, r"      why not by the origin alone: .*BATON_CMA=0.*use MPI_Win_allocate, .* \(20 operations\)\n")

    def test_a_job_without_windows_says_nothing_of_them(self):
        job = run("--timeout", 600, "--explain", "-n", 2, os.path.join(PROGRAMS, "explain_program"))
        self.assertNotIn("how windows were reached", job.err)


class Elements(unittest.TestCase):
    def locks(self, *words):
        """How often rank 0 took the lock of rank 1's elements."""
        found = told("--explain=json", "-n", 2, PROGRAM, *words)
        return found["counters"]["element_locks"]["sum"]

    @unittest.skipUnless(HAS_DOUBLE_WORDS, "this CPU has no atomic instructions of 16 bytes")
    def test_elements_at_multiples_of_their_size_take_no_lock(self):
        self.assertEqual(self.locks("elements"), 0)

    def test_others_do(self):
        self.assertEqual(self.locks("odd"), 9 * 6)  # each type but the one of a byte


class Timed(unittest.TestCase):
    def test_calls_on_windows_are_timed_like_others(self):
        found = told("--stats=json", "-n", 2, PROGRAM, "calls")
        calls = {row["name"]: row for row in found["calls"]}
        for name, count in (("MPI_Win_create", 2), ("MPI_Win_fence", 4), ("MPI_Win_lock", 2), ("MPI_Put", 2),
                            ("MPI_Win_flush", 2), ("MPI_Win_unlock", 2), ("MPI_Win_post", 1), ("MPI_Win_wait", 1),
                            ("MPI_Win_start", 1), ("MPI_Win_complete", 1), ("MPI_Win_free", 2)):
            self.assertEqual(calls[name]["calls"], count, name)
        self.assertEqual(calls["MPI_Put"]["bytes"], 200)
        self.assertGreater(calls["MPI_Win_lock"]["waiting_seconds"], .03)
        self.assertGreater(calls["MPI_Win_fence"]["waiting_seconds"], .03)

    def test_who_comes_late_to_a_fence_is_named(self):
        found = told("--stats=json", "-n", 2, PROGRAM, "calls")
        row, = (row for row in found["imbalances"] if row["call"] == "MPI_Win_fence")
        self.assertEqual((row["communicator"], row["calls"]), ("window halo", 2))


class Waits(unittest.TestCase):
    def told(self, how, *patterns, ranks=4, options=(), more=(), **settings):
        """What `baton stat` says, once it says all of these."""
        job = Job("--timeout", WATCHDOG_SECONDS, *options, "-n", ranks, PROGRAM, how, *more, env=with_settings(**settings))
        self.addCleanup(job.end)
        self.addCleanup(job.process.terminate)
        texts = [""]

        def all_there():
            done = subprocess.run([BATON, "stat", str(job.process.pid)], capture_output=True, text=True,
                                  timeout=WATCHDOG_SECONDS)
            texts.append(done.stdout)
            return all(re.search(pattern, texts[-1]) for pattern in patterns)
        try:
            wait_until(all_there, f"not told: {patterns}")
        except BaseException:
            print(texts[-1], file=sys.stderr)
            raise
        return texts[-1]

    def test_a_lock_is_told_with_its_holder_and_the_turns_before(self):
        text = self.told("lock", r"rank 2 .*: MPI_Win_lock for [\d.]+ s: the lock of rank 1 on window halo, held by rank 0; "
                         r"waits for rank 0\n",
                         r"rank 3 .*: MPI_Win_lock for [\d.]+ s: the lock of rank 1 on window halo, held by rank 0, 1 more before "
                         r"this rank; waits for ranks 0,2\n", "all waiting ranks depend on rank 0\n")
        self.assertNotIn("deadlock", text)

    def test_a_lock_that_an_operation_takes_is_told(self):
        self.told("lock_all", r"rank 1 .*: MPI_Put for [\d.]+ s: the lock of rank 1 on a window of 2 ranks without a name, held "
                  r"by rank 0; waits for rank 0\n", ranks=2, more=("nameless",))

    def test_of_a_shared_lock_whoever_may_have_it_is_told(self):
        text = self.told("shared", r"rank 3 .*: MPI_Win_lock for [\d.]+ s: the lock of rank 1 on window halo, 2 turns before this "
                         r"rank, held shared; waits for ranks 0-2\n")
        self.assertNotIn("deadlock", text)

    def test_of_elements_that_another_rank_changes_that_rank_is_told(self):
        self.told("long", r"rank 2 .*: MPI_Accumulate for [\d.]+ s: elements of rank 1 on window halo, changed by rank 0; waits "
                  r"for rank 0\n", ranks=3)

    def test_locks_in_a_cycle_are_a_deadlock(self):
        self.told("cycle", r"rank 0 .*: MPI_Win_lock .* of rank 1 on window halo, held by rank 1; waits for rank 1\n",
                  r"deadlock: ranks 0-1 wait for each other only\n", ranks=2)

    def test_check_tells_of_locks_in_a_cycle(self):
        job = run("--timeout", 10, "--check", "-n", 2, PROGRAM, "cycle")
        self.assertEqual(job.code, 124, job.err)
        self.assertEqual(job.err.count("ranks have waited only for each other for 5 s (--check)"), 1, job.err)
        self.assertIn("deadlock: ranks 0-1 wait for each other only", job.err)

    def test_check_ends_a_deadlock_with_a_fence_and_names_it(self):
        job = run("--timeout", 300, "--check", "-n", 2, PROGRAM, "crossed")
        self.assertNotIn(job.code, (0, 124), job.err)
        self.assertRegex(job.err, r"deadlock: rank 0 is in MPI_Win_fence \(call \d+ on window halo\) and waits for rank 1; "
                         r"rank 1 is in a receive \(tag 1\)")

    def test_missing_posts_are_told_with_their_ranks(self):
        self.told("posts", r"rank 0 .*: MPI_Win_start for [\d.]+ s: MPI_Win_post of 2 of 3 ranks on window halo; waits for ranks "
                  r"2-3\n", "all waiting ranks depend on ranks 2-3\n")

    def test_missing_completes_are_told_with_their_ranks(self):
        self.told("completes", r"rank 0 .*: MPI_Win_wait for [\d.]+ s: MPI_Win_complete of 2 of 3 ranks on window halo; waits for "
                  r"ranks 2-3\n")

    def test_a_fence_tells_who_is_missing(self):
        self.told("fence", r"ranks 0,2-3: MPI_Win_fence for [\d.]+ s: call \d+ on window halo; waits for rank 1\n|"
                  r"rank 0 .*: MPI_Win_fence for [\d.]+ s: call \d+ on window halo; waits for",
                  r"MPI_Win_fence, call \d+ on window halo: ranks 0,2-3 have entered it, rank 1 not\n")

    def test_a_flush_that_needs_its_target_says_so(self):
        self.told("flush", r"rank 0 .*: MPI_Win_flush for [\d.]+ s: operations at rank 1 on window halo, which answers when it is "
                  r"in MPI; waits for rank 1\n", r"rank 1 .*: sleeping in the system call clock_nanosleep", ranks=2, BATON_CMA=0,
                  BATON_XPMEM=0)

    def test_a_lock_of_another_node_is_told(self):
        self.told("remote_lock", r"rank 0 .*: MPI_Win_lock for [\d.]+ s: the lock of rank 1 on window halo, which answers when it "
                  r"is in MPI; waits for rank 1 and others\n", ranks=2, BATON_RANKS_PER_NODE=1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
