#!/usr/bin/env python3
"""What bench reads and what it concludes, without running anything of MPI."""
import os
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import bench     # noqa: E402
import columns   # noqa: E402
import distance  # noqa: E402
import machine   # noqa: E402
import peers     # noqa: E402
import report    # noqa: E402

STRACE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- -----------------
 97.01    0.000107          53        34           process_vm_readv
  2.99    0.000003           1         4         2 process_vm_writev
------ ----------- ----------- --------- --------- -----------------
100.00    0.000110          53        38         2 total
"""


NEAR, FAR = 28.0, 130.0
LIBRARIES = [types.SimpleNamespace(name=name, title=title) for name, title in
             (("baton", "Baton"), ("mpich", "MPICH"), ("intel", "Intel"))]
TITLES = {library.name: library.title for library in LIBRARIES}


def column(cells, limits=None, distance="near"):
    found = columns.Column(distance, LIBRARIES)
    found.values, found.limit_values = cells, limits or {}
    return found


def comparison(options, libraries=LIBRARIES, times=(), seen=()):
    """Of two CPUs; the probe gives one time after the other, and adds it to what was seen."""
    left = iter(times)

    def probe(*_):
        seen.append(next(left))
        return seen[-1]
    return bench.Comparison(options, libraries, None, distance.Watch(probe, (0, 1), "/no/such/folder"))


class Reading(unittest.TestCase):
    def test_sizes_may_end_in_k_and_m(self):
        self.assertEqual([bench.byte_count(text) for text in ("8", "4k", "1M")], [8, 4096, 1 << 20])

    def test_what_is_no_size_is_refused(self):
        for text in ("0", "-1", "x", "k", ""):
            with self.assertRaises(ValueError):
                bench.byte_count(text)

    def test_cells_are_found_among_other_output(self):
        program = "print('hello'); print('cell lat/cold/8 0.25'); print('cell a b plain 3')"
        found = bench.output_of([sys.executable, "-c", program], None, 30)
        self.assertEqual(found.cells, {"lat/cold/8": 0.25, "a b plain": 3.0})
        self.assertGreater(found.took, 0)
        self.assertIsNone(found.cpus)

    def test_where_ranks_were_is_read(self):
        self.assertEqual(bench.read_output("cell lat/cold/8 0.25\ncpus 4 0\n", 1.0), ({"lat/cold/8": 0.25}, 1.0, (4, 0)))

    def test_a_failed_run_says_why(self):
        with self.assertRaisesRegex(peers.Unusable, "code 3: so it is"):
            bench.output_of([sys.executable, "-c", "import sys; print('so it is', file=sys.stderr); sys.exit(3)"], None, 30)

    def test_what_the_program_says_itself_is_why_it_failed(self):
        program = "import sys; print('mpi_bench: no windows\\nmpiexec: rank 1 ended', file=sys.stderr); sys.exit(4)"
        with self.assertRaisesRegex(peers.Unusable, "^code 4: mpi_bench: no windows$"):
            bench.output_of([sys.executable, "-c", program], None, 30)

    def test_calls_are_read_from_the_table_of_strace(self):
        self.assertEqual(machine.calls_in(STRACE), {"process_vm_readv": 34, "process_vm_writev": 4})
        self.assertEqual(machine.calls_in(""), {})

    def test_a_few_calls_are_a_trial(self):
        words = machine.calls_in_words({"process_vm_readv": 34, "process_vm_writev": 4})
        self.assertEqual(words, "process_vm_readv (34 calls) and process_vm_writev only tried (4 calls)")
        self.assertEqual(machine.calls_in_words({}), "no call of cross-memory attach")


    def test_a_run_may_be_bound_to_cpus(self):
        before = os.sched_getaffinity(0)
        with bench.bound_to({min(before)}):
            found = bench.output_of([sys.executable, "-c", "import os; print('cell cpus', len(os.sched_getaffinity(0)))"], None, 30)
        self.assertEqual((found.cells, os.sched_getaffinity(0)), ({"cpus": 1.0}, before))


class Machine(unittest.TestCase):
    def left(self, memory_kib, processes):
        with mock.patch.object(machine, "memory_left_kib", lambda: memory_kib), \
                mock.patch.object(machine, "processes_left", lambda: processes):
            return machine.too_small_for(1024)

    def test_a_job_that_does_not_fit_is_left_out_with_the_reason(self):
        self.assertEqual(self.left(16 << 20, 5000), "")
        self.assertEqual(self.left(None, None), "")
        self.assertEqual(self.left(1 << 20, 5000), "8192 MiB of memory are needed, 1024 MiB are left")
        self.assertEqual(self.left(16 << 20, 1000), "limits allow 1000 more processes")

    def test_memory_and_start_up_are_measured_up_to_1024_ranks_and_what_does_not_fit_is_told(self):
        options = types.SimpleNamespace(metrics=["hello", "memory", "lat"], np=[], peers=[], short=False)
        with mock.patch.object(machine, "too_small_for", lambda ranks, alone: "too small" if ranks == 1024 else ""):
            compared = comparison(options, [])
            plan = list(compared.plan())
        few = [(metric, ranks) for metric in ("hello", "memory") for ranks in (16, 64, 256)]
        self.assertEqual(plan, [*few, ("lat", 2)])
        self.assertEqual(compared.left_out, {("hello", 1024): "too small", ("memory", 1024): "too small"})
        with mock.patch.object(machine, "too_small_for", lambda ranks, alone: ""):
            self.assertIn(("memory", 1024), list(comparison(options, []).plan()))

    def test_other_libraries_take_part_in_jobs_of_many_ranks_only_where_they_are_named(self):
        options = types.SimpleNamespace(metrics=["hello"], np=[], peers=["mpich", "intel"], short=False)
        compared = comparison(options)

        def names(*step):
            return [library.name for library in compared.taking_part(*step)]
        self.assertEqual(names("hello", 64, 0, 0), ["baton", "mpich", "intel"])
        self.assertEqual(names("hello", 64, 1, 0), ["mpich", "intel", "baton"])
        self.assertEqual(names("memory", 1024, 1, 0), ["baton"])
        self.assertEqual(names("memory", 1024, 3, 0), [])
        self.assertEqual(names("barrier", 1024, 3, 0), ["baton", "mpich", "intel"])
        options.short = True
        self.assertEqual(names("hello", 16, 1, 0), ["mpich", "intel", "baton"])
        self.assertEqual(names("hello", 64, 0, 0), ["baton"])
        self.assertEqual(names("hello", 64, 1, 0), [])
        options.short = False
        options.np = [1024]
        self.assertEqual(names("memory", 1024, 2, 0), ["intel", "baton", "mpich"])


class Limits(unittest.TestCase):
    def test_a_cell_stands_beside_the_loop_that_does_its_work(self):
        for cell, names in (("lat/cold/8", ["line"]), ("lat/cold/1024", ["copy/cold/1024"]),
                            ("lat/cold/4096", ["copy/cold/4096", "through/cold/4096"]),
                            ("lat/warm/65536", ["copy/warm/65536", "through/warm/65536", "both/warm/65536",
                                                "both-cma/warm/65536"]),
                            ("bw/warm/65536", ["stream/warm/65536", "both/warm/65536", "both-cma/warm/65536"]),
                            ("bw/cold/65536", ["stream/cold/65536"]), ("finding/time np=2", []),
                            ("bibw/warm/65536", ["exchange/warm/65536"]), ("rate/warm/8", []), ("barrier np=8", []), ("hello np=64", []),
                            ("types/vector512/cold/2048", ["copy512/cold/2048"]), ("types/struct/cold/2048", []),
                            ("put/created/cold/8", ["put-copy/cold/8", "put-cma/cold/8"]),
                            ("get/allocated/warm/4096", ["get-copy/warm/4096", "get-cma/warm/4096"]),
                            ("accumulate/created/warm/64", ["sum/warm/64"]), ("get_rate/created/warm/8", ["get-copy/warm/8"]),
                            ("atomics/fetch_and_op/created", ["add-idle", "add-shared"]), ("lock/shared/created np=8", []),
                            ("reduce_local/float_sum/64", ["reduce_local/float_sum/64 plain"])):
            self.assertEqual(report.limit_names(cell), names)

    def test_the_loops_to_run_are_those_the_cells_need(self):
        sizes = {"lat": [8, 4096, 65536], "types": [2048], "bw": [1 << 20]}
        self.assertEqual(report.limit_plan(["lat", "barrier", "types", "bw"], lambda metric: sizes.get(metric, [])),
                         {"line": [8], "copy": [4096, 65536], "through": [4096, 65536], "stream": [1 << 20],
                          "both": [65536, 1 << 20], "both-cma": [65536, 1 << 20], "copy512": [2048]})
        sizes = {"put": [8, 1 << 20], "put_rate": [8, 64], "atomics": [8]}
        self.assertEqual(report.limit_plan(["put", "put_rate", "atomics", "fence"], lambda metric: sizes.get(metric, [])),
                         {"put-copy": [8, 64, 1 << 20], "put-cma": [8, 1 << 20], "add-idle": [8], "add-shared": [8]})


class Conclusions(unittest.TestCase):
    def test_behind_is_where_the_whole_interval_is_above_one(self):
        found = report.summary(column({
            "lat/cold/8": {"baton": [2.0, 2.1, 2.2], "mpich": [1.0, 1.0, 1.0], "intel": [5.0, 5.0, 5.0]},
            "lat/cold/64": {"baton": [0.9, 1.0, 1.3], "mpich": [1.0, 1.0, 1.0], "intel": [5.0, 5.0, 5.0]},
            "lat/warm/8": {"baton": [4.0, 4.0, 4.0], "mpich": [5.0, 5.0, 5.0], "intel": [1.0, 1.0, 1.0]}}), "baton")
        self.assertEqual(found["behind"], ["lat/warm/8", "lat/cold/8"])  # the worst first
        self.assertEqual(found["cells"]["lat/warm/8"]["peer"], "intel")
        self.assertAlmostEqual(found["means"]["lat/cold"]["mean"], 2.1 ** 0.5)
        self.assertEqual(found["means"]["lat/warm"], {"mean": 4.0, "cells": 1})
        self.assertAlmostEqual(found["mean"], (4.0 * 2.1) ** (1 / 3))

    def test_a_cell_that_failed_has_no_ratio(self):
        found = report.summary(column({"bw/cold/8": {"baton": [None], "mpich": [1.0]}, "bw/cold/64": {"baton": [1.0]}}), "baton")
        self.assertEqual((found["behind"], found["means"], found["mean"]), ([], {}, None))
        self.assertEqual(report.cell_words("bw/cold/8", found["cells"]["bw/cold/8"], TITLES), "no value")
        self.assertIn("1 µs, no peer", report.cell_words("bw/cold/64", found["cells"]["bw/cold/64"], TITLES))

    def test_metrics_that_fail_alike_share_a_line(self):
        failed = types.SimpleNamespace(failures={("baton", "put", 2): (2, "no windows"), ("mpich", "lock", 32): (1, "too slow"),
                                                 ("baton", "lock", 8): (2, "no windows")})
        self.assertEqual(report.failure_lines(failed, {"baton": "Baton", "mpich": "MPICH"}),
                         ["Baton failed 2 times at put np=2, lock np=8: no windows",
                          "MPICH failed 1 times at lock np=32: too slow"])

    def test_a_limit_is_paired_round_by_round(self):
        one = column({"lat/cold/8": {"baton": [2.0, 6.0, 8.0], "mpich": [2.0, 2.0, 2.0]}}, {"line": [1.0, 3.0, 1.0]})
        found = report.summary(one, "baton")["cells"]["lat/cold/8"]
        self.assertEqual(found["limits"], {"line": 2.0})
        self.assertIn("2.00 x line (50%)", report.cell_words("lat/cold/8", found, TITLES))


    def test_the_best_library_is_one_of_those_that_ran_in_the_same_rounds(self):
        found = report.summary(column({"lat/cold/8": {"baton": [1.0, 1.0], "mpich": [None, None, 0.5], "intel": [2.0]}}), "baton")
        self.assertEqual((found["cells"]["lat/cold/8"]["peer"], found["cells"]["lat/cold/8"]["pairs"]), ("intel", 1))

    def test_what_is_behind_stands_beside_the_bare_loop_at_its_distance(self):
        one = column({"lat/cold/8": {"baton": [2.0, 2.1, 2.2], "mpich": [1.0, 1.0, 1.0]}}, {"line": [None, None, None, 0.25]}, "far")
        lines = list(report.behind_lines(one, report.summary(one, "baton"), TITLES))
        self.assertEqual(lines, [f"{'lat/cold/8':<32} far:   2.100 [2.000, 2.200] of MPICH; it takes 2.1 µs, "
                                 "bare loop line 0.25 µs"])


class Table(unittest.TestCase):
    def lines(self, *found):
        return report.side_by_side(report.rows_of(found, [report.summary(one, "baton") for one in found], TITLES))

    def test_each_distance_is_a_column_with_rounds_of_its_own(self):
        near = column({"lat/cold/8": {"baton": [1.0, 1.0, 1.0], "mpich": [2.0, None, 2.0]}, "lat/cold/64": {"baton": [1.0]}})
        far = column({"lat/cold/8": {"baton": [None] * 3 + [3.0], "mpich": [None] * 3 + [2.0]}}, distance="far")
        head, short, longer = self.lines(near, far)
        self.assertRegex(head, r"^ +near \(3 rounds\) +\| far \(1 round\)$")
        self.assertRegex(short, r"^lat/cold/8 +0\.500 .* of MPICH \(2 µs, 2 pairs\) +\|   1\.500 .* of MPICH \(2 µs\)  behind$")
        self.assertRegex(longer, r"^lat/cold/64 +1 µs, no peer to compare with +\| not measured$")

    def test_the_only_distance_has_its_name_above(self):
        lines = self.lines(column({"barrier np=2": {"baton": [1.0], "mpich": [2.0]}}, distance="far"))
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], r"^ +far \(1 round\)$")
        self.assertNotIn("|", "".join(lines))

    def test_beside_another_column_only_the_quickest_bare_loop_is_named(self):
        one = column({"lat/cold/4096": {"baton": [2.0], "mpich": [4.0]}}, {"copy/cold/4096": [1.0], "through/cold/4096": [2.5]})
        self.assertIn("; 0.80 x through (125%), 2.00 x copy (50%)", self.lines(one)[1])
        self.assertRegex(self.lines(one, column({}, distance="far"))[1], r"µs\); 2.00 x copy \(50%\) \| not measured$")

    def test_means_are_within_a_distance(self):
        found = [column({"barrier np=2": {"baton": [1.0], "mpich": [2.0]}}),
                 column({"barrier np=2": {"baton": [3.0], "mpich": [2.0]}, "bw/cold/8": {"baton": [1.0]}}, distance="far")]
        rows = report.mean_rows(found, [report.summary(one, "baton") for one in found])
        self.assertEqual(rows, [("", ["near", "far"]), ("barrier", ["  0.500 of 1", "  1.500 of 1"]),
                                ("all", ["  0.500 of 1", "  1.500 of 1"])])


class Distances(unittest.TestCase):
    """Made-up runs of libraries, whose values are the time of the line just before them: a mixed one would show."""

    def compared(self, times, rounds, names=("baton", "mpich")):
        options = types.SimpleNamespace(metrics=["barrier"], np=[2], peers=[], short=False, rounds=rounds, seconds=None,
                                        milliseconds=1, sizes=[])
        seen = []
        found = comparison(options, [library for library in LIBRARIES if library.name in names], times, seen)
        found.measure = lambda *_: ({"barrier": seen[-1]}, None)
        found.run(lambda *_: None)
        return found

    def values(self, found):
        return {name: its.values["barrier np=2"] for name, its in found.columns.by_distance.items()}

    def test_values_of_two_distances_are_never_in_one_column(self):
        found = self.compared([NEAR] * 6 + [FAR] * 6, 3)
        self.assertEqual(self.values(found), {"near": {"baton": [NEAR], "mpich": [NEAR, NEAR]},  # which is first the second time
                                              "far": {"baton": [None, FAR, FAR], "mpich": [None, None, FAR]}})
        self.assertEqual([(its.distance, its.rounds) for its in found.in_order()], [("near", 2), ("far", 2)])
        self.assertEqual(report.summary(found.columns.at("far"), "baton")["cells"]["barrier np=2"]["pairs"], 1)
        self.assertEqual(found.paired_rounds(), [1, 1])

    def test_a_change_repeats_the_run_and_the_rest_goes_on(self):
        found = self.compared([NEAR, FAR, FAR, FAR, FAR, FAR], 1)
        self.assertEqual(self.values(found), {"far": {"baton": [FAR], "mpich": [FAR]}})
        self.assertIn("the distance changed: 1 of 3 runs were repetitions, values of 0 runs were dropped",
                      list(report.distance_lines(found)))

    def test_a_run_that_always_meets_a_change_has_no_value_and_is_told(self):
        found = self.compared([NEAR, FAR] * distance.TRIES + [NEAR, NEAR], 1)
        self.assertEqual(self.values(found), {"near": {"mpich": [NEAR]}})
        self.assertIn("Baton: 1 dropped at barrier np=2", list(report.distance_lines(found)))

    def test_bare_loops_are_kept_by_distance_too(self):
        options = types.SimpleNamespace(metrics=["lat"], sizes=[8], milliseconds=1, timeout=1)
        found = comparison(options, times=[NEAR, NEAR, FAR, FAR] + [NEAR, FAR] * distance.TRIES, seen=[])
        found.output = lambda *_: bench.Output({"line": found.watch.runs}, 1.0, None)
        for round_number in range(3):
            found.run_limits(round_number)
        self.assertEqual({name: its.limit_values for name, its in found.columns.by_distance.items()},
                         {"near": {"line": [0]}, "far": {"line": [None, 1]}})
        self.assertEqual(found.dropped, {("bare loops", "line"): 1})

    def test_bare_loops_run_on_the_cpus_of_the_ranks_where_there_are_others(self):
        options = types.SimpleNamespace(metrics=["lat"], sizes=[8], milliseconds=1, timeout=1)
        watch = distance.Watch(lambda *_: NEAR, range(4), "/no/such/folder")
        found = bench.Comparison(options, LIBRARIES, "limits", watch)
        found.output = lambda *_: bench.Output({"line": 1.0}, 1.0, None)
        watch.learn(("baton", 2), (3, 1))
        with mock.patch.object(bench, "bound_to") as bound:
            found.run_limits(0)
        bound.assert_called_once_with((1, 3))

    def test_nothing_measured_is_no_column(self):
        found = self.compared([NEAR, FAR] * distance.TRIES, 1, ["baton"])
        self.assertEqual((found.in_order(), report.distances_of(found)), ([], {}))


class Rounds(unittest.TestCase):
    def test_without_a_time_there_are_as_many_as_were_wanted(self):
        options = types.SimpleNamespace(rounds=3, seconds=None)
        self.assertEqual([bench.goes_on(options, done, [], 1e9) for done in range(5)], [True] * 3 + [False] * 2)

    def test_with_a_time_each_distance_gets_its_rounds_while_it_lasts(self):
        options = types.SimpleNamespace(rounds=3, seconds=60)
        self.assertTrue(bench.goes_on(options, 0, [], 1e9))
        self.assertTrue(bench.goes_on(options, 5, [3, 2], 59))
        self.assertFalse(bench.goes_on(options, 5, [3, 2], 60))
        self.assertFalse(bench.goes_on(options, 6, [3, 3], 59))
        self.assertTrue(bench.goes_on(options, 6, [], 59))

    def test_many_sizes_are_parts_of_about_one_length(self):
        self.assertEqual(bench.parts_of([], 30), [[]])
        self.assertEqual(bench.parts_of([8, 64], 1000), [[8, 64]])
        self.assertEqual(bench.parts_of(list(range(10)), 1000), [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]])
        self.assertEqual([len(part) for part in bench.parts_of(list(range(33)), 30)], [11, 11, 11])
        self.assertEqual(len(bench.parts_of(list(range(60)), 2)), 1)


if __name__ == "__main__":
    unittest.main()
