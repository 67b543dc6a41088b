#!/usr/bin/env python3
"""mpiexec --memory, --memory-report and the info key baton_memory, on whatever NUMA nodes this machine has.
Usage: memory_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import subprocess
import sys
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "memory_program")
WATCHDOG_SECONDS = 600


def allowed_nodes():
    with open("/proc/self/status") as file:
        text = re.search(r"Mems_allowed_list:\s*(\S+)", file.read()).group(1)
    nodes = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        nodes += range(int(first), int(last or first) + 1)
    return [node for node in nodes if os.path.isdir(f"/sys/devices/system/node/node{node}")]


NODES = allowed_nodes()
ABSENT = next(node for node in range(64) if node not in NODES)


def policies_permitted():
    """A container may forbid them: then Baton says so, and nothing is placed."""
    done = subprocess.run([sys.executable, "-c", "import ctypes, sys\n"
                           "sys.exit(ctypes.CDLL(None).syscall(238, 0, None, 0) != 0)"])
    return done.returncode == 0


def mpiexec(*words, ranks=2, program=PROGRAM, env=None):
    done = subprocess.run([os.path.join(BIN, "mpiexec"), "-n", str(ranks), *words], capture_output=True, text=True,
                          timeout=WATCHDOG_SECONDS, env={**os.environ, **(env or {})})
    return done


class Words(unittest.TestCase):
    def wrong(self, text, *parts):
        for done in (mpiexec("--memory", text, PROGRAM), mpiexec(PROGRAM, env={"BATON_MEMORY": text})):
            self.assertEqual(done.returncode, 2, done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)

    def test_a_wrong_policy_is_named_with_the_nearest_and_the_valid_words(self):
        self.wrong("queues=hbn", "queues=hbn", '"hbn"', 'did you mean "hbm"?', "interleave, remote, node:N")

    def test_a_policy_for_nothing_is_refused(self):
        self.wrong("hbm", "of what?")

    def test_an_unknown_node_is_named_with_those_that_there_are(self):
        self.wrong(f"heap=node:{ABSENT}", f"no NUMA node {ABSENT}", f"Valid: {NODES[0]}")

    def test_an_empty_policy_is_refused(self):
        done = mpiexec("--memory", "", PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--memory", done.stderr)

    def test_the_option_wins_over_the_variable(self):
        done = mpiexec("--dry-run", "--memory", "queues=near", PROGRAM, env={"BATON_MEMORY": "queues=large"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("queues=near: node", done.stdout)
        self.assertNotIn("large", done.stdout)

    def test_the_variable_is_no_unknown_setting_to_the_ranks(self):
        done = mpiexec(PROGRAM, env={"BATON_MEMORY": "heap=near"})
        self.assertNotIn("unknown setting", done.stderr)
        self.assertEqual(done.returncode, 0)


class Plans(unittest.TestCase):
    def test_dry_run_says_nodes_and_reasons_and_starts_nothing(self):
        done = mpiexec("--dry-run", "--memory", "all=interleave,heap=hbm!,huge", PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("queues=interleave: node", "heap=hbm!,huge: node", "all=interleave: node", "nowhere else"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("good", done.stdout)

    def test_without_a_policy_nothing_is_said(self):
        done = mpiexec(PROGRAM, "none=100000")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipIf(len(NODES) != 1, "several NUMA nodes")
    def test_on_one_node_every_policy_works_with_one_sentence(self):
        for what in ("queues", "heap", "all"):
            for where in ("near", "hbm", "large", "interleave", "remote", f"node:{NODES[0]}", "hbm!", "near!",
                          "large!", "interleave!", f"node:{NODES[0]}!"):
                done = mpiexec("--memory", f"{what}={where}", PROGRAM, "none=300000")
                self.assertEqual(done.returncode, 0, (what, where, done.stderr))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"one NUMA node, node {NODES[0]}", done.stderr)

    @unittest.skipIf(len(NODES) != 1, "several NUMA nodes")
    def test_strictly_remote_memory_is_refused_where_there_is_none(self):
        done = mpiexec("--memory", "all=remote!", PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("leave out the !", done.stderr)


class Blocks(unittest.TestCase):
    def test_blocks_of_all_policies_travel_unharmed(self):
        node = NODES[0]
        words = [f"{policy}={size}" for size in (1, 4097, 300000, 2500000)
                 for policy in ("none", "hbm", f"node:{node}!", "interleave")]
        for ranks in (2, 5):
            done = mpiexec("--memory", "heap=near,queues=large", PROGRAM, *words, ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("good: 16 blocks", done.stdout)

    def test_what_an_info_key_says_wrongly_is_an_error_with_words(self):
        done = mpiexec(PROGRAM, "fats=100", f"node:{ABSENT}=100", ranks=1)
        self.assertEqual(done.stdout.count("class info value"), 2, done.stdout)

    def test_a_strict_block_larger_than_its_node_is_refused_and_nobody_dies(self):
        done = mpiexec(PROGRAM, "hbm!=900000000000", "interleave!=90000000000000", "near=5000", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("refused: hbm!: class no memory", done.stdout)
        self.assertIn("refused: interleave!: class no memory", done.stdout)
        self.assertIn("good: 1 blocks", done.stdout)

    def test_huge_pages_are_had_or_the_sentence_says_why_not(self):
        done = mpiexec("--memory", "heap=near,huge", "--memory-report", PROGRAM, "none=9000000", "huge=100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("good: 2 blocks", done.stdout)
        self.assertLessEqual(done.stderr.count("no huge pages"), 1)

    def test_a_lone_process_knows_only_named_nodes(self):
        done = subprocess.run([PROGRAM, "hbm=5000", "hbm!=5000", f"node:{NODES[0]}!=70000", "near=10", "free"],
                              capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("good: 2 blocks", done.stdout)
        self.assertIn("refused: hbm!: class unsupported", done.stdout)
        self.assertEqual(done.stderr.count("only ranks that mpiexec has started"), 1, done.stderr)


@unittest.skipUnless(policies_permitted(), "the kernel does not tell where pages lie here")
class Windows(unittest.TestCase):
    PREFERRED, BIND, INTERLEAVE, PREFERRED_MANY = 1, 2, 3, 5  # the kernel's

    def policies(self, memory, *places):
        """Of a window for each place, on both ranks: the kernel's policy and its lowest node."""
        done = mpiexec("--memory", memory, PROGRAM, *(f"window:{place}=3000000" for place in places))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"window \S+: policy (-?\d+) of node (-?\d+)", done.stdout)
        self.assertEqual(len(found), 2 * len(places), done.stdout)
        return {tuple(map(int, pair)) for pair in found}

    def test_the_policy_of_the_heap_places_them(self):
        node = NODES[-1]
        self.assertEqual(self.policies(f"heap=node:{node}!", "none"), {(self.BIND, node)})
        self.assertIn(self.policies(f"heap=node:{node}", "none"), ({(self.PREFERRED, node)}, {(self.PREFERRED_MANY, node)}))

    def test_their_own_info_key_goes_before_it(self):
        node = NODES[-1]
        self.assertEqual(self.policies("heap=interleave", f"node:{node}!"), {(self.BIND, node)})
        self.assertEqual(self.policies("queues=near", f"node:{node}!"), {(self.BIND, node)})

    def test_a_wrong_word_there_is_an_error_on_all_ranks(self):
        done = mpiexec(PROGRAM, "window:fats=100")
        self.assertEqual(done.stdout.count("refused: fats: class"), 2, done.stdout + done.stderr)


def bytes_of(text):
    """The number before the peak, in bytes."""
    number, unit = re.match(r"(-|[\d.]+)(?: (KiB|MiB|GiB))?", text).groups()
    return 0 if number == "-" else float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]


def rows_of(report):
    """(rank, what) -> the cells of a report's table."""
    found = {}
    for line in report.splitlines():
        match = re.match(r"  +(\d+|all)  (queues|heap|rest) +(.+)$", line)
        if match:
            found[match.group(1), match.group(2)] = re.split(r"  +", match.group(3).strip())
    return found


@unittest.skipUnless(policies_permitted(), "the kernel does not tell where pages lie here")
class Report(unittest.TestCase):
    def report(self, *words, ranks=2):
        done = mpiexec("--memory-report", *words, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_each_rank_and_all_have_a_row_for_queues_heap_and_rest(self):
        rows = rows_of(self.report(PROGRAM, "none=3000000", ranks=3))
        self.assertEqual(set(rows), {(rank, what) for rank in ("0", "1", "2", "all")
                                     for what in ("queues", "heap", "rest")})
        for cells in rows.values():
            self.assertEqual(len(cells), len(NODES) + 1)

    def test_blocks_are_counted_where_they_are_now_and_at_the_most(self):
        rows = rows_of(self.report(PROGRAM, "none=2097152", "none=4194304", "free"))
        self.assertEqual(rows["1", "heap"][-1], "2.0 MiB (6.0 MiB)")
        self.assertEqual(bytes_of(rows["all", "heap"][-1]), 2 * bytes_of(rows["1", "heap"][-1]))

    def test_windows_are_counted_with_blocks(self):
        rows = rows_of(self.report(PROGRAM, "none=2097152", "window:none=4194304"))
        # A window's row, and what it shares besides, are below the rounding.
        self.assertEqual(rows["0", "heap"][-1].split(" (")[0], "6.0 MiB")
        self.assertEqual(rows["1", "heap"][-1].split(" (")[0], "6.0 MiB")

    def test_memory_that_no_rank_has_touched_is_no_queue(self):
        rows = rows_of(self.report(PROGRAM, ranks=1))
        self.assertLess(bytes_of(rows["0", "queues"][-1]), 200000)
        self.assertGreater(bytes_of(rows["0", "rest"][-1]), 500000)

    def test_long_messages_show_in_the_queues(self):
        short = rows_of(self.report(PROGRAM))["all", "queues"][-1]
        env_long = rows_of(self.report("-x", "BATON_CMA=0", "-x", "BATON_RECEIVER_INITIATED=0", "-x", "BATON_EARLY_BYTES_MAX=1m",
                                       PROGRAM, "none=2000000"))["all", "queues"][-1]
        self.assertGreaterEqual(bytes_of(env_long), bytes_of(short))

    def test_a_plan_that_was_met_is_said_to_be(self):
        report = self.report("--memory", "queues=near,heap=near", PROGRAM, "none=3000000")
        if len(NODES) == 1:
            self.assertIn("every page of queues and heap is where it was meant", report)
        self.assertIn("from the kernel's page locations", report)

    def test_a_rank_that_dies_early_is_named_and_its_queues_are_still_known(self):
        done = mpiexec("--memory-report", "sh", "-c", "exit 3", ranks=2)
        self.assertEqual(done.returncode, 3)
        self.assertIn("rank 0: heap and rest are not known", done.stderr)


if __name__ == "__main__":
    unittest.main()
