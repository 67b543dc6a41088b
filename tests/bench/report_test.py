#!/usr/bin/env python3
"""What bench reads and what it concludes, without running anything of MPI."""
import os
import sys
import types
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import bench    # noqa: E402
import machine  # noqa: E402
import peers    # noqa: E402
import report   # noqa: E402

STRACE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- -----------------
 97.01    0.000107          53        34           process_vm_readv
  2.99    0.000003           1         4         2 process_vm_writev
------ ----------- ----------- --------- --------- -----------------
100.00    0.000110          53        38         2 total
"""


def comparison(cells, limits=None):
    libraries = [types.SimpleNamespace(name=name) for name in ("baton", "mpich", "intel")]
    return types.SimpleNamespace(values=cells, limit_values=limits or {}, libraries=libraries)


class Reading(unittest.TestCase):
    def test_sizes_may_end_in_k_and_m(self):
        self.assertEqual([bench.byte_count(text) for text in ("8", "4k", "1M")], [8, 4096, 1 << 20])

    def test_what_is_no_size_is_refused(self):
        for text in ("0", "-1", "x", "k", ""):
            with self.assertRaises(ValueError):
                bench.byte_count(text)

    def test_cells_are_found_among_other_output(self):
        program = "print('hello'); print('cell lat/cold/8 0.25'); print('cell a b plain 3')"
        cells, took = bench.cells_of([sys.executable, "-c", program], None, 30)
        self.assertEqual(cells, {"lat/cold/8": 0.25, "a b plain": 3.0})
        self.assertGreater(took, 0)

    def test_a_failed_run_says_why(self):
        with self.assertRaisesRegex(peers.Unusable, "code 3: so it is"):
            bench.cells_of([sys.executable, "-c", "import sys; print('so it is', file=sys.stderr); sys.exit(3)"], None, 30)

    def test_what_the_program_says_itself_is_why_it_failed(self):
        program = "import sys; print('mpi_bench: no windows\\nmpiexec: rank 1 ended', file=sys.stderr); sys.exit(4)"
        with self.assertRaisesRegex(peers.Unusable, "^code 4: mpi_bench: no windows$"):
            bench.cells_of([sys.executable, "-c", program], None, 30)

    def test_calls_are_read_from_the_table_of_strace(self):
        self.assertEqual(machine.calls_in(STRACE), {"process_vm_readv": 34, "process_vm_writev": 4})
        self.assertEqual(machine.calls_in(""), {})

    def test_a_few_calls_are_a_trial(self):
        words = machine.calls_in_words({"process_vm_readv": 34, "process_vm_writev": 4})
        self.assertEqual(words, "process_vm_readv (34 calls) and process_vm_writev only tried (4 calls)")
        self.assertEqual(machine.calls_in_words({}), "no call of cross-memory attach")


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
            compared = bench.Comparison(options, [], None)
            plan = list(compared.plan())
        few = [(metric, ranks) for metric in ("hello", "memory") for ranks in (16, 64, 256)]
        self.assertEqual(plan, [*few, ("lat", 2)])
        self.assertEqual(compared.left_out, {("hello", 1024): "too small", ("memory", 1024): "too small"})
        with mock.patch.object(machine, "too_small_for", lambda ranks, alone: ""):
            self.assertIn(("memory", 1024), list(bench.Comparison(options, [], None).plan()))

    def test_other_libraries_take_part_in_jobs_of_many_ranks_only_where_they_are_named(self):
        libraries = comparison({}).libraries
        options = types.SimpleNamespace(metrics=["hello"], np=[], peers=["mpich", "intel"], short=False)
        compared = bench.Comparison(options, libraries, None)

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
        found = report.summary(comparison({
            "lat/cold/8": {"baton": [2.0, 2.1, 2.2], "mpich": [1.0, 1.0, 1.0], "intel": [5.0, 5.0, 5.0]},
            "lat/cold/64": {"baton": [0.9, 1.0, 1.3], "mpich": [1.0, 1.0, 1.0], "intel": [5.0, 5.0, 5.0]},
            "lat/warm/8": {"baton": [4.0, 4.0, 4.0], "mpich": [5.0, 5.0, 5.0], "intel": [1.0, 1.0, 1.0]}}), "baton")
        self.assertEqual(found["behind"], ["lat/warm/8", "lat/cold/8"])  # the worst first
        self.assertEqual(found["cells"]["lat/warm/8"]["peer"], "intel")
        self.assertAlmostEqual(found["means"]["lat/cold"]["mean"], 2.1 ** 0.5)
        self.assertEqual(found["means"]["lat/warm"], {"mean": 4.0, "cells": 1})
        self.assertAlmostEqual(found["mean"], (4.0 * 2.1) ** (1 / 3))

    def test_a_cell_that_failed_has_no_ratio(self):
        found = report.summary(comparison({"bw/cold/8": {"baton": [None], "mpich": [1.0]}, "bw/cold/64": {"baton": [1.0]}}), "baton")
        self.assertEqual((found["behind"], found["means"], found["mean"]), ([], {}, None))
        self.assertIn("gave no value", report.cell_line("bw/cold/8", found["cells"]["bw/cold/8"], "Baton", {}))
        self.assertIn("1 µs, no peer", report.cell_line("bw/cold/64", found["cells"]["bw/cold/64"], "Baton", {}))

    def test_metrics_that_fail_alike_share_a_line(self):
        failed = types.SimpleNamespace(failures={("baton", "put", 2): (2, "no windows"), ("mpich", "lock", 32): (1, "too slow"),
                                                 ("baton", "lock", 8): (2, "no windows")})
        self.assertEqual(report.failure_lines(failed, {"baton": "Baton", "mpich": "MPICH"}),
                         ["Baton failed 2 times at put np=2, lock np=8: no windows",
                          "MPICH failed 1 times at lock np=32: too slow"])

    def test_a_limit_is_paired_round_by_round(self):
        one = comparison({"lat/cold/8": {"baton": [2.0, 6.0, 8.0], "mpich": [2.0, 2.0, 2.0]}}, {"line": [1.0, 3.0, 1.0]})
        found = report.summary(one, "baton")["cells"]["lat/cold/8"]
        self.assertEqual(found["limits"], {"line": 2.0})
        self.assertIn("2.00 x line (50%)", report.cell_line("lat/cold/8", found, "Baton", {"mpich": "MPICH"}))


if __name__ == "__main__":
    unittest.main()
