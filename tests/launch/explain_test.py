#!/usr/bin/env python3
"""What mpiexec --explain tells of messages that are known. Usage: explain_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "explain_program")
MEASURE = os.path.join(launch.BIN, "..", "libexec", "baton", "baton-measure")
REFUSING = os.path.join(launch.PROGRAMS, "refusing")
TIMES = 10
EPERM = ("single copy (CMA): not permitted here (EPERM): give the container CAP_SYS_PTRACE, or set "
         "kernel.yama.ptrace_scope to 0")


def run(*words, **more):
    return launch.run("--timeout", 200, *words, **more)


def told(*words, **more):
    """The JSON of a run that must go well."""
    job = run("--explain=json", *words, **more)
    assert job.code == 0, job.err
    lines = [line for line in job.err.splitlines() if line.startswith("{")]
    assert len(lines) == 1, job.err
    return json.loads(lines[0])


def with_setting(name, value):
    return {**os.environ, name: str(value)}


def of_class(told, bytes_max, own=False):
    """The row of a size between ranks, or to oneself."""
    rows = [row for row in told["traffic"] if row["bytes_max"] == bytes_max and (row["peers"] == "self") == own]
    assert len(rows) == 1, told
    return rows[0]


def messages(row, way):
    return sum(found["messages"] for found in row["ways"] if found["way"] == way)


def reasons(row):
    return {found["reason"]: found["messages"] for found in row["why_not_cheaper"]}


class Json(unittest.TestCase):
    def setUp(self):
        # The default of this length is the processor's.
        self.refused = told("-n", 2, REFUSING, "process_vm_readv", PROGRAM,
                            env=with_setting("BATON_CMA_BYTES_MIN", "64k"))

    def test_every_message_is_counted_once_by_size_with_its_payload(self):
        short = of_class(self.refused, 8)
        self.assertGreaterEqual(messages(short, "inline_eager"), TIMES)
        middle = of_class(self.refused, 4096)
        self.assertEqual([(way["way"], way["messages"], way["bytes"]) for way in middle["ways"]],
                         [("eager", TIMES, TIMES * 1000)])
        self.assertEqual(middle["why_not_cheaper"], [])
        longest = of_class(self.refused, 2 << 20)
        self.assertEqual([(way["way"], way["messages"], way["bytes"]) for way in longest["ways"]],
                         [("pipelined", TIMES, TIMES << 20)])

    def test_messages_to_oneself_are_a_class_of_their_own(self):
        own = of_class(self.refused, 4096, own=True)
        self.assertEqual([(way["way"], way["messages"], way["bytes"]) for way in own["ways"]], [("self", 2, 6000)])

    def test_every_long_message_says_why_it_was_not_copied_once(self):
        self.assertEqual(reasons(of_class(self.refused, 32768)), {"below_cma_min": TIMES})
        self.assertEqual(reasons(of_class(self.refused, 2 << 20)), {"cma_not_permitted": TIMES})
        # The sender stages early what nobody may read, and does not know the receiver's buffer.
        gaps = reasons(of_class(self.refused, 262144))
        self.assertEqual(gaps.pop("sender_gaps"), TIMES)
        self.assertEqual(sum(gaps.values()), TIMES)
        self.assertLessEqual(set(gaps), {"receiver_gaps", "cma_not_permitted"})

    def test_a_short_synchronous_message_says_why_it_entered_no_ring(self):
        self.assertEqual(reasons(of_class(self.refused, 512)), {"synchronous": 1})

    def test_the_words_hold_the_cause_and_the_remedy(self):
        why = of_class(self.refused, 2 << 20)["why_not_cheaper"]
        self.assertEqual([found["words"] for found in why], [EPERM])

    def test_places_and_counts_are_there(self):
        self.assertEqual((self.refused["ranks"], self.refused["ranks_counted"]), (2, 2))
        self.assertEqual([place["counted"] for place in self.refused["places"]], [True, True])
        self.assertIn("unexpected", self.refused["counters"])
        shares = sum(way["share_of_payload"] for row in self.refused["traffic"] for way in row["ways"])
        self.assertAlmostEqual(shares, 1, places=2)


class Reasons(unittest.TestCase):
    def test_a_switched_off_way_is_named_with_its_setting(self):
        found = told("-n", 2, PROGRAM, env=with_setting("BATON_CMA", 0))
        why = of_class(found, 2 << 20)["why_not_cheaper"]
        self.assertEqual([(one["reason"], one["messages"]) for one in why], [("cma_off", TIMES)])
        self.assertIn("BATON_CMA=0", why[0]["words"])

    def test_a_bound_is_named_with_its_value(self):
        found = told("-n", 2, PROGRAM, env=with_setting("BATON_CMA_BYTES_MIN", 4 << 20))
        why = of_class(found, 2 << 20)["why_not_cheaper"]
        self.assertEqual([(one["reason"], one["messages"]) for one in why], [("below_cma_min", TIMES)])
        self.assertIn("(4 MiB)", why[0]["words"])

    def test_where_it_is_permitted_only_who_copies_is_asked(self):
        longest = of_class(told("-n", 2, PROGRAM, env=with_setting("BATON_OBSERVE", 0)), 2 << 20)
        if messages(longest, "cma") + messages(longest, "receiver_initiated") == 0:
            self.skipTest("no cross-memory attach here")
        self.assertEqual(messages(longest, "cma") + messages(longest, "receiver_initiated"), TIMES)
        self.assertLessEqual(set(reasons(longest)), {"oversubscribed", "sender_elsewhere"})

    def test_what_was_seen_is_a_reason(self):
        longest = of_class(told("-n", 2, PROGRAM), 2 << 20)
        if messages(longest, "cma") == 0:
            self.skipTest("no cross-memory attach here")
        # Of the first of a size some are staged, to see which way is quicker.
        self.assertGreaterEqual(reasons(longest).get("staging_quicker", 0), 1)
        ways = sum(messages(longest, way) for way in ("cma", "receiver_initiated", "pipelined"))
        self.assertEqual(ways, TIMES)

    def test_oversubscribed_ranks_say_so(self):
        cpus = len(os.sched_getaffinity(0))
        words = ["--bind-to", "none", "-n", 2, PROGRAM, ":", "-n", 2 * cpus, PROGRAM, "away"]
        found = told(*words, env={**with_setting("BATON_OBSERVE", 0), "BATON_RECEIVER_INITIATED": "0"})
        longest = of_class(found, 2 << 20)
        if messages(longest, "cma") == 0:
            self.skipTest("no cross-memory attach here")
        self.assertEqual(reasons(longest), {"oversubscribed": TIMES})


class Distances(unittest.TestCase):
    """Rows by distance, on two sockets of two caches with two cores each; ranks of a cache are near."""
    ROWS = "allreduce:2+:0+:near=allreduce_doubling,allreduce:2+:0+:far=allreduce_halving"

    def algorithm(self, ranks, near):
        environment = {**os.environ, "HWLOC_SYNTHETIC": "pack:2 numa:2 l3:2 core:2 pu:1", "BATON_NEAR_RANKS": near,
                       "BATON_COLLECTIVES": self.ROWS}
        found = told("-n", ranks, "--bind-to", "core", MEASURE, 1, "allreduce", 8, env=environment)
        used = [row["algorithm"] for row in found["collectives"] if row["kind"] == "allreduce"]
        self.assertEqual(len(used), 1, found)
        return used[0], found["near"]

    def test_ranks_that_share_what_is_near_take_the_rows_for_near_ranks(self):
        self.assertEqual(self.algorithm(2, "l3"), ("allreduce_doubling", ["l2", "l3"]))
        self.assertEqual(self.algorithm(4, "l3"), ("allreduce_halving", ["l2", "l3"]))
        self.assertEqual(self.algorithm(4, "numa_node"), ("allreduce_doubling", ["l2", "l3", "numa_node"]))

    def test_all_are_far_where_nothing_is_near(self):
        self.assertEqual(self.algorithm(2, "none"), ("allreduce_halving", []))


class Options(unittest.TestCase):
    def test_plain_text_goes_to_standard_error_and_says_why(self):
        job = run("--explain", "-n", 2, REFUSING, "process_vm_readv", PROGRAM)
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(job.out, "")
        self.assertIn("mpiexec: where the ranks ran", job.err)
        self.assertIn("which protocols the messages used", job.err)
        self.assertIn(f"why not {EPERM} ({TIMES} messages)", job.err)
        self.assertEqual(run("--explain=text", launch.RANK, "exit", 0).code, 0)

    def test_a_file_gets_the_json_and_standard_error_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "explained.json")
            job = run("--explain-file", name, "-n", 2, PROGRAM)
            self.assertEqual((job.code, job.err), (0, ""))
            with open(name) as file:
                found = json.load(file)
        self.assertEqual(messages(of_class(found, 4096), "eager"), TIMES)

    def test_a_file_that_cannot_be_made_is_told_before_anything_starts(self):
        job = run("--explain-file", "/proc/no/such", launch.RANK, "line", "started")
        self.assertEqual(job.code, 1)
        self.assertIn("--explain-file /proc/no/such:", job.err)
        self.assertNotIn("started", job.out)

    def test_an_unknown_form_is_refused(self):
        job = run("--explain=xml", launch.RANK)
        self.assertEqual(job.code, 2)
        self.assertIn("text or json", job.err)

    def test_the_word_after_explain_is_the_program(self):
        job = run("--explain", launch.RANK, "line", "here")
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("here", job.out)
        self.assertIn("no message was counted", job.err)

    def test_an_aborted_job_tells_what_its_ranks_had_counted(self):
        job = run("--explain=json", "-n", 2, PROGRAM, "abort")
        self.assertEqual(job.code, 7)
        found = json.loads(job.err[job.err.index("{"):])
        self.assertEqual([place["counted"] for place in found["places"]], [False, True])
        self.assertGreater(len(found["traffic"]), 0)


class Networks(unittest.TestCase):
    def test_what_messages_to_other_nodes_go_over_is_told_with_its_reason(self):
        job = run("--explain", "-n", 2, PROGRAM, env=with_setting("BATON_RANKS_PER_NODE", 1))
        self.assertEqual(job.code, 0, job.err)
        self.assertRegex(job.err, r"network: \S+ on interface lo, of libfabric \d+\.\d+: all ranks are on this machine; "
                                  r"packets up to 128 KiB: the default\n")
        networks = told("-n", 2, PROGRAM, env=with_setting("BATON_RANKS_PER_NODE", 1))["networks"]
        self.assertEqual([row["ranks"] for row in networks], [2])
        self.assertIn(networks[0]["words"], job.err)

    def test_on_one_node_there_is_none(self):
        self.assertEqual(told("-n", 2, PROGRAM)["networks"], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
