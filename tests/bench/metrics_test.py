#!/usr/bin/env python3
"""Every metric between a few ranks gives its cells, Baton alone and in very little time.

usage: metrics_test.py BUILD_FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "bench.py")
WATCHDOG_SECONDS = 1200
WINDOWS = ("allocated", "created")


class Metrics(unittest.TestCase):
    def run_bench(self, *words):
        """What --json says, after one round. Where a test runs, the distance of CPUs may change at any time: only one
        test looks at it."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            done = subprocess.run(
                [sys.executable, BENCH, "--peers", "none", "--build", BUILD, "--cache", os.path.join(BUILD, "bench", "peers"),
                 "--rounds", "1", "--milliseconds", "1", "--json", out, *words],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=WATCHDOG_SECONDS)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(out) as file:
                found = json.load(file)
        self.assertEqual(found["failures"], [], done.stdout)
        return found

    def check(self, words, names):
        """The cells and the bare loops of a run are these, and those."""
        report = self.run_bench("--any-distance", *words)
        self.assertEqual(list(report["distances"]), ["any distance"])
        found = {**report["distances"]["any distance"], "machine": report["machine"]}
        self.assertEqual(sorted(found["cells"]), sorted(names))
        for cell, values in found["cells"].items():
            self.assertGreater(values["baton"][0], 0, cell)
        return found

    def test_latency_and_windows_warm_and_cold(self):
        metrics, sizes = ("lat", "bw", "bibw", "rate"), (1, 8, 100, 65536)
        names = [f"{metric}/{how}/{size}" for metric in metrics for how in ("warm", "cold") for size in sizes]
        found = self.check(["--metrics", "messages", "--sizes", ",".join(map(str, sizes))], names)
        if found["machine"]["cpus"] > 1:
            for loop in ("line", "copy/cold/100", "both/cold/65536", "both/warm/65536", "through/warm/65536",
                         "through/cold/65536", "stream/warm/65536", "stream/cold/65536", "exchange/warm/65536",
                         "exchange/cold/65536"):
                self.assertGreater(found["limits"][loop][0], 0, loop)
            if found["machine"]["cma"] == "permitted":
                self.assertGreater(found["limits"]["both-cma/cold/65536"][0], 0)

    def test_each_run_is_kept_at_its_distance_or_dropped(self):
        found = self.run_bench("--metrics", "lat,barrier", "--sizes", "8", "--np", "2")
        names = ("near", "between", "far", "busy", "one CPU")
        kept = [cell for distance, its in found["distances"].items() for cell in its["cells"] if distance.endswith(names)]
        dropped = [its for its in found["runs"]["dropped"] if its["who"] == "Baton"]
        cells_of_dropped = sum(2 if its["what"].startswith("lat") else 1 for its in dropped)
        self.assertEqual(len(kept) + cells_of_dropped, 3, found)
        for its in found["distances"].values():
            self.assertEqual(its["rounds"], 1)

    def test_windows_of_few_messages_and_buffers_elsewhere(self):
        metrics, sizes = ("bw1", "bibw8", "lat-odd", "bw8-huge", "bibw-small"), (8, 4097)
        self.check(["--metrics", ",".join(metrics), "--sizes", ",".join(map(str, sizes))],
                   [f"{metric}/{how}/{size}" for metric in metrics for how in ("warm", "cold") for size in sizes])

    def test_a_window_of_messages_too_long_for_one(self):
        self.check(["--metrics", "bw,bibw", "--sizes", "2m"], [f"{metric}/{how}/{2 << 20}" for metric in ("bw", "bibw")
                                                               for how in ("warm", "cold")])

    def test_buffers_of_alloc_mem_beside_ordinary_ones(self):
        self.check(["--metrics", "exported", "--sizes", "16k"],
                   [f"exported/{kind}/{how}/16384" for kind in ("ordinary", "alloc_mem") for how in ("warm", "cold")])

    def test_an_exchange_beside_a_computation(self):
        self.check(["--metrics", "overlap", "--sizes", "64k"], ["overlap/65536", "overlap/peer/65536", "overlap/sender/65536"])

    def test_messages_in_partitions_by_threads_and_by_sends(self):
        teams = [(threads, partitions) for partitions in (2, 16, 256) for threads in (1, 2, 4, 16) if threads <= partitions]
        self.check(["--metrics", "partitioned", "--sizes", "64"],
                   [f"partitioned/T{threads}/P{partitions}/{how}{computing}/64" for threads, partitions in teams
                    for how in ("pready", "isend") for computing in ("", "/computing")])

    def test_start_up_and_memory_by_the_number_of_ranks(self):
        self.check(["--metrics", "hello,memory", "--np", "2,16"],
                   [f"{metric} np={ranks}" for metric in ("hello", "memory") for ranks in (2, 16)])

    def test_finding_among_ranks_that_sleep(self):
        self.check(["--metrics", "finding", "--np", "2,5"],
                   [f"finding/{what} np={ranks}" for what in ("time", "memory") for ranks in (2, 5)])

    def test_collectives_of_whole_messages_and_of_blocks(self):
        metrics = ("bcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall", "reduce_scatter_block",
                   "ibcast", "iallreduce", "bcast_init", "allreduce_init")
        self.check(["--metrics", ",".join(metrics), "--sizes", "8,20k", "--np", "2,3"],
                   [f"{metric}/{how}/{size} np={ranks}" for metric in metrics for how in ("warm", "cold")
                    for size in (8, 20480) for ranks in (2, 3)])

    def test_kernels_of_applications(self):
        kernels = ("halo2d", "halo3d", "transpose/alltoall", "transpose/messages", "cg", "queue")
        self.check(["--metrics", "kernels", "--sizes", "1k,9000", "--np", "2,3"],
                   [f"{kernel}/{size} np={ranks}" for kernel in kernels for size in (1024, 9000) for ranks in (2, 3)])

    def test_operations_on_windows(self):
        sized = ("put", "get", "accumulate", "put_rate", "get_rate")
        found = self.check(["--metrics", ",".join((*sized, "atomics")), "--sizes", "8,4k"],
                           [f"{metric}/{kind}/{how}/{size}" for metric in sized for kind in WINDOWS
                            for how in ("warm", "cold") for size in (8, 4096)] +
                           [f"atomics/{what}/{kind}" for what in ("fetch_and_op", "compare_and_swap") for kind in WINDOWS])
        if found["machine"]["cpus"] > 1:
            for loop in ("put-copy/cold/4096", "get-copy/warm/8", "sum/cold/8", "add-idle", "add-shared"):
                self.assertGreater(found["limits"][loop][0], 0, loop)
            if found["machine"]["cma"] == "permitted":
                self.assertGreater(found["limits"]["put-cma/warm/4096"][0], 0)

    def test_operations_on_windows_of_a_rank_that_computes(self):
        whats = ("put", "get", "accumulate", "fetch_and_op", "compare_and_swap", "put_rate", "get_rate", "lock_unlock",
                 "lock_put_unlock")
        self.check(["--metrics", "computing_target", "--sizes", "8"],
                   [f"computing_target/{what}/{kind}/{stretch}/8" for what in whats for kind in WINDOWS
                    for stretch in ("1ms", "10ms")])

    def test_epochs_and_halos_by_puts(self):
        whats = ("fence/empty", "fence/put", "lock/exclusive", "lock/exclusive/put", "lock/shared")
        self.check(["--metrics", "fence,lock,post_start,halo_put", "--sizes", "8,1k", "--np", "2,3"],
                   [f"{what}/{kind} np={ranks}" for what in whats for kind in WINDOWS for ranks in (2, 3)] +
                   [f"{what}/{kind}" + ending for kind in WINDOWS
                    for what, ending in (("lock/shared/put", " np=2"), ("post_start/put", ""))] +
                   [f"halo_put/{how}/{kind}/{size} np={ranks}" for how in ("fence", "post") for kind in WINDOWS
                    for size in (8, 1024) for ranks in (2, 3)])

    def test_blocks_that_take_too_much_memory_in_all_are_left_out(self):
        self.check(["--metrics", "gather", "--sizes", "8,4m", "--np", "3"],
                   [f"gather/{how}/8 np=3" for how in ("warm", "cold")])


if __name__ == "__main__":
    BUILD = sys.argv.pop(1)
    unittest.main()
