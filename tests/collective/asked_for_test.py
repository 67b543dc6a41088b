#!/usr/bin/env python3
"""Algorithms that BATON_COLLECTIVES or a profile ask for are those that run.
Usage: asked_for_test.py BIN_FOLDER PROGRAM_FOLDER TABLE_OF_ALGORITHMS"""
import json
import os
import re
import subprocess
import sys
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
with open(sys.argv.pop(1)) as table:
    # name, kind, rounds
    ALGORITHMS = re.findall(r"^  X\((\w+), *(\w+), *(\w+), *needs", table.read(), re.M)
PROGRAM = os.path.join(PROGRAMS, "asked_for_program")
WATCHDOG_SECONDS = 600


def run(ranks, *options, words=(), **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_") or name == "BATON_OTHER_JOBS"}
    return subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", str(WATCHDOG_SECONDS), *options, "-n", str(ranks),
                           PROGRAM, *words], env={**environment, **variables}, capture_output=True, text=True,
                          timeout=2 * WATCHDOG_SECONDS)


def told(ranks, options=(), **variables):
    """What --explain says of the collectives of a run that must go well, and what else was printed."""
    done = run(ranks, "--explain=json", *options, **variables)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    return (json.loads(next(line for line in lines if line.startswith("{")))["collectives"],
            [line for line in lines if not line.startswith("{")])


def calls(rows, **wanted):
    return sum(row["calls"] for row in rows if all(row[key] == value for key, value in wanted.items()))


class AskedFor(unittest.TestCase):
    def test_the_table_was_read(self):
        self.assertGreaterEqual(len(ALGORITHMS), 28)

    def test_every_algorithm_runs_where_it_is_asked_for(self):
        # One job asks for one algorithm of each kind.
        kinds = {}
        for name, kind, _ in ALGORITHMS:
            if "_hierarchical_" not in name and "_by_nodes" not in name:
                kinds.setdefault(kind, []).append(name)
        for turn in range(max(map(len, kinds.values()))):
            asked = [(kind, names[turn]) for kind, names in kinds.items() if turn < len(names)]
            for ranks in (2, 3):
                rows, said = told(ranks, BATON_COLLECTIVES=",".join(f"{kind}={name}" for kind, name in asked))
                self.assertEqual(said, [])
                for kind, name in asked:
                    with self.subTest(algorithm=name, ranks=ranks):
                        self.assertGreater(calls(rows, kind=kind, algorithm=name, reason="forced"), 0, rows)
                        # What is left of the kind could not be served by it.
                        for row in rows:
                            if row["kind"] == kind and row["algorithm"] != name:
                                self.assertNotIn(row["reason"], ("forced", "guess", "measured", "measured_elsewhere"), row)

    def test_hierarchical_ones_run_on_a_machine_that_has_some_and_elsewhere_the_reason_says_so(self):
        names = [(kind, name) for name, kind, _ in ALGORITHMS if "_hierarchical_" in name]
        self.assertEqual(len(names), 4)
        asked = {"BATON_COLLECTIVES": ",".join(f"{kind}={name}" for kind, name in names)}
        divided = {"HWLOC_SYNTHETIC": "pack:2 core:4 pu:1", "options": ("--bind-to", "core")}
        rows, _ = told(6, **divided, **asked)
        for kind, name in names:
            self.assertGreater(calls(rows, kind=kind, algorithm=name, reason="forced"), 0, rows)
        for undivided in ({}, {**divided, "HWLOC_SYNTHETIC": "pack:1 core:8 pu:1"}):
            rows, _ = told(3, **undivided, **asked)
            for kind, name in names:
                self.assertEqual(calls(rows, kind=kind, algorithm=name), 0, rows)
                self.assertGreater(calls(rows, kind=kind, reason="no_groups"), 0, rows)

    def test_those_by_nodes_run_where_nodes_have_several_ranks_and_elsewhere_the_reason_says_so(self):
        names = [(kind, name) for name, kind, _ in ALGORITHMS if "_by_nodes" in name]
        self.assertEqual(len(names), 9)
        for kind, name in names:
            asked = {"BATON_COLLECTIVES": f"{kind}={name}"}
            with self.subTest(algorithm=name):
                rows, _ = told(4, BATON_RANKS_PER_NODE="2", **asked)
                self.assertGreater(calls(rows, kind=kind, algorithm=name, reason="forced"), 0)
                rows, _ = told(2, BATON_RANKS_PER_NODE="1", **asked)
                self.assertEqual(calls(rows, kind=kind, algorithm=name), 0)
                self.assertGreater(calls(rows, kind=kind, reason="no_nodes"), 0)

    def test_many_ranks_with_a_cpu_each_use_them_unasked(self):
        divided = {"HWLOC_SYNTHETIC": "pack:2 core:8 pu:1", "options": ("--bind-to", "core")}
        rows, _ = told(16, **divided)
        for kind in ("broadcast", "reduce", "allreduce"):
            self.assertGreater(calls(rows, algorithm=f"{kind}_hierarchical_in_room", reason="guess"), 0, rows)
        rows, _ = told(15, **divided)
        self.assertFalse([row for row in rows if "_hierarchical_" in row["algorithm"]])

    def test_a_cut_off_holds_from_its_size_and_ranks_on(self):
        rows, _ = told(3, BATON_COLLECTIVES="allreduce:2+:8192+=allreduce_doubling,reduce:4+=reduce_binomial")
        self.assertEqual(calls(rows, algorithm="allreduce_doubling", reason="forced", bytes_max=32768), 3)
        self.assertEqual(calls(rows, algorithm="allreduce_in_room", bytes_max=8), 3)
        self.assertEqual(calls(rows, algorithm="reduce_binomial"), 0)

    def test_crowding_is_asked_for(self):
        ranks = 2 * len(os.sched_getaffinity(0)) + 1
        for word, count in (("oversubscribed", ranks), ("not_oversubscribed", 0)):
            rows, _ = told(ranks, BATON_COLLECTIVES=f"allreduce:1+:0-100:{word}=allreduce_doubling")
            self.assertEqual(calls(rows, algorithm="allreduce_doubling", reason="forced"), count)

    def test_wrong_entries_are_told_once_with_the_nearest_name_and_the_job_runs(self):
        rows, said = told(3, BATON_COLLECTIVES="allreduce=allreduce_halfing,scan=scan_doubling")
        self.assertEqual(said, ['baton: in BATON_COLLECTIVES an entry is ignored: there is no algorithm '
                                '"allreduce_halfing"; the nearest is allreduce_halving'])
        self.assertEqual(calls(rows, algorithm="scan_doubling", reason="forced"), 6)

    def test_without_rooms_the_reason_says_so(self):
        rows, _ = told(3, BATON_ROOMS="0")
        self.assertEqual(calls(rows, algorithm="allreduce_doubling", reason="no_room", bytes_max=8), 3)
        self.assertFalse([row for row in rows if "in_room" in row["algorithm"]])

    def test_where_one_rank_may_not_copy_all_go_otherwise(self):
        direct = ",".join(f"{kind}={name}" for name, kind, _ in ALGORITHMS if name.endswith("_direct"))
        self.assertEqual(direct.count(","), 7)
        program = os.path.join(PROGRAMS, "conformance_collectives")
        words = ["blocking", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                 "reduce_scatter", "cases=10", "operations=4"]
        done = subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", str(WATCHDOG_SECONDS), "--explain=json",
                               "-n", "2", program, *words, ":", "-n", "1", "env", "BATON_CMA=0", program, *words],
                              env={**os.environ, "BATON_COLLECTIVES": direct}, capture_output=True, text=True,
                              timeout=2 * WATCHDOG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = json.loads(next(line for line in done.stderr.splitlines() if line.startswith("{")))["collectives"]
        for kind in ("broadcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                     "reduce_scatter"):
            self.assertGreater(calls(rows, kind=kind, reason="not_direct"), 0, kind)

    def test_who_expects_less_than_others_give_gets_no_more_than_it_has_space_for(self):
        for name in ("alltoall_in_room", "alltoall_segmented_in_room", "alltoall_pairwise", "alltoall_bruck", "scatter_direct",
                     "gather_direct"):
            kind = name.partition("_")[0]
            done = run(3, words=[kind], BATON_COLLECTIVES=f"{kind}={name}")
            self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_people_read_it_too(self):
        done = run(2, "--explain")
        self.assertIn("which algorithms collectives used", done.stderr)
        self.assertRegex(done.stderr, r"allreduce_in_room +2  built in, measured: 2 cores of a Zen 4")

    def test_what_mpiexec_hands_over_is_not_taken_from_the_environment(self):
        rows, _ = told(2, BATON_PROFILE_COLLECTIVES="allreduce=allreduce_doubling")
        self.assertEqual(calls(rows, algorithm="allreduce_doubling"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
