#!/usr/bin/env python3
"""mpiexec --check finds conflicting accesses of one-sided communication, and names window, ranks, bytes and remedy.
Usage: conflict_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "conflict_program")
CONFLICT = 47  # MPI_ERR_RMA_CONFLICT
FENCE = "MPI_Win_fence between them orders them"
FLUSH = "MPI_Win_flush between them orders them"
APART = "MPI_LOCK_EXCLUSIVE keeps them apart, or a flush before the other rank is told"
EXPOSURE = "let each have an exposure epoch of its own (MPI_Win_post to MPI_Win_wait)"
MAPPED, ALL = ("allocate", "shared", "export"), ("allocate", "shared", "export", "create")


def meet(where, later, earlier, remedy=FENCE, window="window grid"):
    return f"conflict in {window}: {where}: {later} while {earlier} is not complete; {remedy}"


def place(first, last, rank=2):
    return f"bytes {first}-{last} (displacement {first // 4}) of rank {rank}"


def store(first, last, access, remedy=FENCE, shared=False):
    by = "rank 2" + (" or one that shares its memory" if shared else "")
    return meet(place(first, last), f"a store by {by} (its program, a receive or the result of an operation)", access, remedy)


# By word: the rank that finds it, the procedure that tells, the text.
BETWEEN = {
    "two_puts": (1, "Put", meet(place(16, 23), "MPI_Put by rank 1", "MPI_Put by rank 0")),
    "put_twice": (0, "Put", meet(place(20, 23), "MPI_Put by rank 0", "MPI_Put by rank 0")),
    "put_of_gotten": (1, "Put", meet(place(36, 39), "MPI_Put by rank 1", "MPI_Get by rank 0")),
    "get_of_put": (1, "Get", meet(place(36, 39), "MPI_Get by rank 1", "MPI_Put by rank 0")),
    "accumulate_of_put": (1, "Accumulate", meet(place(32, 39), "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 1",
                                                "MPI_Put by rank 0")),
    "get_of_accumulated": (1, "Get", meet(place(32, 35), "MPI_Get by rank 1",
                                          "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 0")),
    "put_of_fetched": (1, "Put", meet(place(32, 35), "MPI_Put by rank 1",
                                      "MPI_Fetch_and_op (MPI_SUM, MPI_INT) by rank 0")),
    "put_of_swapped": (1, "Put", meet(place(32, 35), "MPI_Put by rank 1", "MPI_Compare_and_swap by rank 0")),
    "put_of_read": (1, "Put", meet(place(32, 35), "MPI_Put by rank 1", "MPI_Fetch_and_op (MPI_NO_OP, MPI_INT) by rank 0")),
    "two_operations": (1, "Accumulate", meet(place(36, 39), "MPI_Accumulate (MPI_MAX, MPI_INT) by rank 1",
                                             "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 0",
                                             "only one operation may be used at a time: " + FENCE)),
    "two_types": (1, "Accumulate", meet(place(36, 39), "MPI_Accumulate (MPI_SUM, MPI_UNSIGNED) by rank 1",
                                        "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 0",
                                        "only one datatype may be used at a time: " + FENCE)),
    "one_operation_promised": (1, "Fetch_and_op", meet(place(32, 35), "MPI_Fetch_and_op (MPI_NO_OP, MPI_INT) by rank 1",
                                                       "MPI_Fetch_and_op (MPI_SUM, MPI_INT) by rank 0",
                                                       "only one operation may be used at a time: " + FENCE)),
    "rows_and_column": (1, "Put", meet(place(76, 79), "MPI_Put by rank 1", "MPI_Put by rank 0")),
    "own_put": (2, "Put", meet(place(32, 35), "MPI_Put by rank 2", "MPI_Put by rank 0")),
    "one_exposure": (1, "Put", meet(place(32, 35), "MPI_Put by rank 1", "MPI_Put by rank 0", EXPOSURE)),
    "shared_locks": (1, "Put", meet(place(36, 39), "MPI_Put by rank 1", "MPI_Put by rank 0", APART)),
    "one_lock": (0, "Get", meet(place(32, 35), "MPI_Get by rank 0", "MPI_Put by rank 0", FLUSH)),
    "no_flush": (1, "Get", meet(place(32, 35), "MPI_Get by rank 1", "MPI_Put by rank 0", APART)),
    "requests": (0, "Rget", meet(place(32, 35), "MPI_Get by rank 0", "MPI_Put by rank 0", FLUSH)),
    "other_ranks": (0, "Put", meet("bytes 32-35 (displacement 8) of rank 1", "MPI_Put by rank 2 (0 in MPI_COMM_WORLD)",
                                   "MPI_Put by rank 0 (2 in MPI_COMM_WORLD)", window="window turned")),
    "no_name": (1, "Put", meet(place(16, 23), "MPI_Put by rank 1", "MPI_Put by rank 0",
                               window="a window of 3 ranks without a name")),
}
AT_FENCE = ("two_puts", "put_of_gotten", "get_of_put", "accumulate_of_put", "put_of_fetched", "two_operations",
            "two_types", "rows_and_column")
# Of one origin alone.
OWN = ("put_twice", "one_lock", "requests")


def stores(shared):
    return {
        "store_after_put": (2, "Win_fence", store(36, 39, "MPI_Put by rank 0", shared=shared)),
        "store_after_accumulate": (2, "Win_fence", store(44, 47, "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 0",
                                                         shared=shared)),
        "store_between_accumulates": (1, "Accumulate", store(44, 47, "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 0",
                                                             shared=shared)),
        "store_in_exposure": (2, "Win_wait", store(32, 35, "MPI_Put by rank 0", EXPOSURE, shared)),
        "test_ends_exposure": (2, "Win_test", store(32, 35, "MPI_Put by rank 0", EXPOSURE, shared)),
    }


def environment(**more):
    return {**os.environ, **more}


class Conflicts(unittest.TestCase):
    def ends(self, word, found, kind="allocate", env=None):
        rank, procedure, text = found
        with self.subTest(word, kind=kind):
            job = launch.run("--timeout", 200, "--check", "-n", 3, PROGRAM, word, "fatal", kind, env=env)
            self.assertIn(f"baton: rank {rank}: MPI_{procedure}: {text} [MPI_ERR_RMA_CONFLICT]\n", job.err)
            self.assertEqual(job.code, CONFLICT, job.err)
            self.assertNotIn("not so", job.err)

    def test_each_ends_the_job_with_words(self):
        for word, found in BETWEEN.items():
            for kind in ALL:
                self.ends(word, found, kind)

    def test_so_do_stores_where_memory_is_mapped(self):
        for kind in MAPPED:
            for word, found in stores(kind == "shared").items():
                self.ends(word, found, kind)

    def test_with_errors_return_one_rank_hears_of_it_and_the_window_is_good(self):
        for word, (rank, _, text) in {**BETWEEN, **stores(False)}.items():
            with self.subTest(word):
                job = launch.run("--timeout", 200, "--check", "-n", 3, PROGRAM, word, "return")
                self.assertEqual(job.code, 0, job.err)
                told = sorted(line for line in job.out.splitlines() if "conflict in" in line)
                # The fence, too, finds a store that an operation has met.
                self.assertEqual(len(told), 2 if word == "store_between_accumulates" else 1, job.out)
                self.assertTrue(told[0].startswith(f"rank {rank}: "), told)
                self.assertIn(text, told[0])

    def test_where_the_kernel_permits_no_copies(self):
        for word, found in BETWEEN.items():
            self.ends(word, found, "create", environment(BATON_CMA="0"))

    def test_over_the_network_those_of_one_origin(self):
        for word in OWN:
            for kind in ("allocate", "create"):
                self.ends(word, BETWEEN[word], kind, environment(BATON_RANKS_PER_NODE="1"))

    def test_over_the_network_the_target_finds_those_of_several_at_the_fence(self):
        for word in AT_FENCE:
            for ranks in "12":
                by = (2, "Win_fence", BETWEEN[word][2])
                self.ends(word, by, "allocate", environment(BATON_RANKS_PER_NODE=ranks))


class Fitting(unittest.TestCase):
    def pass_all(self, words, kind, *options, **env):
        for word in words:
            with self.subTest(word, kind=kind, env=env):
                job = launch.run("--timeout", 200, *options, "-n", 3, PROGRAM, word, "fatal", kind, env=environment(**env))
                self.assertEqual(job.code, 0, job.err)
                self.assertEqual(job.out.count(": 0 conflicts"), 3, job.out + job.err)
                self.assertEqual(job.err, "")

    def test_what_is_ordered_or_apart_passes(self):
        for kind in ALL:
            self.pass_all(["fitting"], kind, "--check")

    def test_the_same_in_other_ways(self):
        self.pass_all(["fitting"], "create", "--check", BATON_CMA="0")
        self.pass_all(["fitting"], "allocate", "--check", BATON_PROGRESS_THREAD="1")
        for kind in ("allocate", "create"):
            self.pass_all(["fitting"], kind, "--check", BATON_RANKS_PER_NODE="1")
            self.pass_all(["fitting"], kind, "--check", BATON_RANKS_PER_NODE="2")

    def test_without_the_option_nothing_is_looked_for(self):
        self.pass_all([*BETWEEN, *stores(False)], "allocate")


if __name__ == "__main__":
    unittest.main(verbosity=1)
