#!/usr/bin/env python3
"""mpiexec --check finds collective calls that do not fit together, and names them with their ranks.
Usage: mismatch_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import concurrent.futures
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "mismatch_program")
RANKS = (2, 3, 5)
AT_ONCE = 6
BUFFER, COUNT, TYPE, ROOT, OP, TRUNCATE, OTHER = 1, 2, 3, 8, 10, 15, 16
NAMES = {BUFFER: "MPI_ERR_BUFFER", COUNT: "MPI_ERR_COUNT", TYPE: "MPI_ERR_TYPE", ROOT: "MPI_ERR_ROOT",
         OP: "MPI_ERR_OP", TRUNCATE: "MPI_ERR_TRUNCATE", OTHER: "MPI_ERR_OTHER"}


def words(n):
    """By word: the class, and the text. {most} are the ranks that agree, {last} is the one that does not."""
    most, last = ("rank 0" if n == 2 else f"ranks 0-{n - 2}"), f"rank {n - 1}"
    one = "call 1 on MPI_COMM_WORLD: "
    prepared = "persistent call 1 on MPI_COMM_WORLD: "
    differ = "counts or types differ: "
    return {
        "kind": (OTHER, one + f"{most} called MPI_Bcast; {last} called MPI_Reduce"),
        "third_call": (OTHER, f"call 3 on MPI_COMM_WORLD: {most} called MPI_Allreduce; {last} called MPI_Barrier"),
        "nonblocking_with_blocking": (OTHER, one + f"{most} called MPI_Bcast; {last} called MPI_Ibcast"),
        "gather_with_gatherv": (OTHER, one + f"{most} called MPI_Gatherv; {last} called MPI_Gather"),
        "block_with_counts": (OTHER, one + f"{most} called MPI_Reduce_scatter; {last} called MPI_Reduce_scatter_block"),
        "nonblocking_kind": (OTHER, one + f"{most} called MPI_Iallreduce; {last} called MPI_Ibarrier"),
        "persistent_kind": (OTHER, prepared + f"{most} called MPI_Scan_init; {last} called MPI_Barrier_init"),
        "persistent_order": (OTHER, one + f"persistent calls were made in another order: {most} had made 0 before; "
                                          f"{last} had made 1 before"),
        "root_bcast": (ROOT, one + f"roots differ: {most} root 0; {last} root 1"),
        "root_reduce": (ROOT, one + f"roots differ: {most} root 0; {last} root 1"),
        "root_gather": (ROOT, one + f"roots differ: {most} root 0; {last} root 1"),
        "root_scatterv": (ROOT, one + f"roots differ: {most} root 0; {last} root 1"),
        "root_ibcast": (ROOT, one + f"MPI_Ibcast: roots differ: {most} root 0; {last} root 1"),
        "root_persistent": (ROOT, prepared + f"MPI_Reduce_init: roots differ: {most} root 0; {last} root 1"),
        "op_allreduce": (OP, one + f"operations differ: {most} MPI_SUM; {last} MPI_MAX"),
        "op_scan": (OP, one + f"operations differ: {most} MPI_BOR; {last} MPI_BAND"),
        "op_user": (OP, one + f"operations differ: {most} MPI_SUM; {last} a user's operation that commutes"),
        "op_commutes": (OP, one + f"operations differ: {most} a user's operation that does not commute; "
                                  f"{last} a user's operation that commutes"),
        "count_bcast": (COUNT, one + differ + f"{most} 4 MPI_INT (16 bytes); {last} 5 MPI_INT (20 bytes)"),
        "type_bcast": (TYPE, one + differ + f"{most} 4 MPI_INT (16 bytes); {last} 4 MPI_FLOAT (16 bytes)"),
        "long_bcast": (COUNT, one + differ + f"{most} 1048576 MPI_CHAR (1048576 bytes); {last} 1048577 MPI_CHAR"),
        "count_reduce": (COUNT, one + differ + f"{most} 1 MPI_DOUBLE (8 bytes); {last} 2 MPI_DOUBLE (16 bytes)"),
        "type_allreduce": (TYPE, one + differ + f"{most} 2 MPI_INT (8 bytes); {last} 2 MPI_UNSIGNED (8 bytes)"),
        "count_exscan": (COUNT, one + differ + f"{most} 1 MPI_INT (4 bytes); {last} 2 MPI_INT (8 bytes)"),
        "count_block": (COUNT, one + differ + f"{most} {n} MPI_INT ({4 * n} bytes); "
                                              f"{last} {2 * n} MPI_INT ({8 * n} bytes)"),
        "counts_reduce_scatter": (COUNT, one + f"recvcounts differ, though not their sum: {most} have others than "
                                               f"{last}"),
        "count_iallreduce": (COUNT, one + f"MPI_Iallreduce: {differ}{most} 1 MPI_INT (4 bytes); {last} 2 MPI_INT"),
        "count_persistent": (COUNT, prepared + f"MPI_Bcast_init: {differ}{most} 1 MPI_INT (4 bytes); {last} 2 MPI_INT"),
        "gather_count": (TRUNCATE, one + f"{last} sends 2 MPI_INT (8 bytes) to rank 0, which expects 1 MPI_INT"),
        "gatherv_count": (COUNT, one + f"{last} sends 3 MPI_INT (12 bytes) to rank 0, which expects 4 MPI_INT"),
        "scatter_type": (TYPE, one + f"rank 0 sends 1 MPI_INT (4 bytes) to {last}, which expects 1 MPI_FLOAT"),
        "scatterv_count": (TRUNCATE, one + f"rank 0 sends 4 MPI_INT (16 bytes) to {last}, which expects 3 MPI_INT"),
        "allgather_count": (TRUNCATE, one + f"{last} sends 2 MPI_INT (8 bytes) to rank 0, which expects 1 MPI_INT (4 "
                                            f"bytes); {2 * n - 3} more block" + ("s do" if n > 2 else " does")),
        "allgatherv_count": (COUNT, one + "rank 0 sends 2 MPI_INT (8 bytes) to rank 0, which expects 3 MPI_INT"),
        "alltoall_type": (TYPE, one + f"{last} sends 1 MPI_LONG (8 bytes) to rank 0, which expects 1 MPI_DOUBLE"),
        "alltoallv_count": (TRUNCATE, one + f"{last} sends 3 MPI_INT (12 bytes) to rank 0, which expects 2 MPI_INT "
                                            r"(8 bytes) ["),
        "alltoallw_type": (TYPE, one + f"{last} sends 2 MPI_FLOAT (8 bytes) to rank 0, which expects 2 MPI_INT"),
        "ialltoallv_in_place": (TRUNCATE, one + f"MPI_Ialltoallv: {last} sends 3 MPI_INT (12 bytes) to rank 0, which "
                                                "expects 2 MPI_INT (8 bytes); 1 more block does not fit"),
        "persistent_gather": (TRUNCATE, prepared + f"MPI_Gather_init: {last} sends 2 MPI_INT (8 bytes) to rank 0, "
                                                   "which expects 1 MPI_INT"),
        "in_place_allgather": (BUFFER, one + f"all or none must be in place: {most} gave a buffer; {last} gave "
                                             "MPI_IN_PLACE"),
        "in_place_alltoall": (BUFFER, one + f"all or none must be in place: {most} gave a buffer; {last} gave "
                                            "MPI_IN_PLACE"),
        "in_place_allreduce": (BUFFER, one + f"all or none must be in place: {most} gave a buffer; {last} gave "
                                             "MPI_IN_PLACE"),
        "neighbor_kind": (OTHER, f"call 1 on a communicator of {n} ranks without a name: {most} called "
                                  f"MPI_Neighbor_alltoall; {last} called MPI_Neighbor_allgather"),
        "neighbor_count": (TRUNCATE, f"{last} sends 2 MPI_INT (8 bytes) to rank 0, which expects 1 MPI_INT"),
        "inter_kind": (OTHER, f"call 1 on a communicator of {n} ranks without a name: {most} of MPI_COMM_WORLD called "
                              f"MPI_Allreduce; {last} of MPI_COMM_WORLD called MPI_Barrier"),
        "inter_root": (ROOT, "roots differ: ranks 0-1 of MPI_COMM_WORLD root MPI_ROOT"),
        "inter_count": (COUNT, differ + (f"{most} of MPI_COMM_WORLD 1 MPI_INT (4 bytes); {last} "
                                         "of MPI_COMM_WORLD 2 MPI_INT (8 bytes)")),
        "inter_blocks": (TRUNCATE, f"{last} of MPI_COMM_WORLD sends 2 MPI_INT (8 bytes) to rank 0 of MPI_COMM_WORLD, "
                                   "which expects 1 MPI_INT"),
        "reversed": (ROOT, f"call 1 on turned round: roots differ: rank 0 ({n - 1} in MPI_COMM_WORLD) root 1; "),
        "unnamed": (OTHER, f"call 1 on a communicator of {n} ranks without a name: {most} called MPI_Bcast; {last} "
                           "called MPI_Barrier"),
    }


def environment(**more):
    return {**os.environ, **more}


class Mismatches(unittest.TestCase):
    def found_in(self, ranks, env=None):
        for word, (error_class, text) in words(ranks).items():
            with self.subTest(word, ranks=ranks):
                job = launch.run("--timeout", 200, "--check", "-n", ranks, PROGRAM, word, env=env)
                self.assertIn(text, job.err)
                self.assertIn(f"[{NAMES[error_class]}]", job.err)
                self.assertEqual(job.code, error_class, job.err)
                self.assertNotIn("not so", job.err)

    def test_each_ends_the_job_with_words(self):
        for ranks in RANKS:
            self.found_in(ranks)

    def test_the_same_where_every_message_waits_for_its_receiver(self):
        self.found_in(3, environment(BATON_EAGER_BYTES_MAX="48"))

    def test_the_same_with_a_progress_thread(self):
        self.found_in(3, environment(BATON_PROGRESS_THREAD="1"))

    def test_with_errors_return_all_ranks_hear_of_it_and_the_communicator_is_good(self):
        for ranks in RANKS:
            for word, (error_class, text) in words(ranks).items():
                # Errors of neighbors' and intercommunicators are their own handlers' (inherited).
                with self.subTest(word, ranks=ranks):
                    job = launch.run("--timeout", 200, "--check", "-n", ranks, PROGRAM, word, "return")
                    self.assertEqual(job.code, 0, job.err)
                    lines = job.out.splitlines()
                    self.assertEqual(len(lines), ranks, job.out)
                    for rank in range(ranks):
                        own = [line for line in lines if line.startswith(f"rank {rank}: class {error_class}: ")]
                        self.assertEqual(len(own), 1, job.out)
                        self.assertIn(text, own[0])

    def test_the_setting_serves_as_well_as_the_option(self):
        job = launch.run("--timeout", 200, "-n", 2, PROGRAM, "kind", env=environment(BATON_CHECK="1"))
        self.assertIn(words(2)["kind"][1], job.err)


def cycles(n):
    """By word: who is where and waits for whom. {last} is the last rank."""
    last = n - 1
    two = "deadlock: rank 0 is in {} and waits for rank {last}; rank {last} is in {} and waits for rank 0"

    def between(one, other):
        return two.format(one, other, last=last)
    barrier = "MPI_Barrier (call 1 on MPI_COMM_WORLD)"
    found = {
        "comm_order": between("MPI_Barrier (call 1 on A)", "MPI_Barrier (call 1 on B)"),
        "comm_order_later": between("MPI_Allreduce (call 21 on A)", "MPI_Allreduce (call 21 on B)"),
        "nonblocking_order": between("a wait for MPI_Ibarrier (call 1 on A)", "a wait for MPI_Ibarrier (call 1 on B)"),
        "persistent_with_blocking": between(barrier,
                                            "a wait for MPI_Barrier_init (persistent call 1 on MPI_COMM_WORLD)"),
        "finalize": f"deadlock: rank 0 is in {barrier} and waits for rank {last}, which has called MPI_Finalize",
        "first_finalizes": "is in MPI_Bcast (call 1 on MPI_COMM_WORLD) and waits for rank 0, which has called "
                           "MPI_Finalize",
        "finalize_receive": f"deadlock: rank 0 is in a receive (tag 5) on MPI_COMM_WORLD and waits for rank {last}, "
                            "which has called MPI_Finalize",
        "receive_with_barrier": between(barrier, "a receive (tag 5) on MPI_COMM_WORLD"),
        "wrong_tag": between(barrier, "a receive (tag 5) on MPI_COMM_WORLD"),
        "both_receive": between("a receive (tag 5) on MPI_COMM_WORLD", "a receive (tag 5) on MPI_COMM_WORLD"),
        "both_probe": between("a probe (tag 6) on MPI_COMM_WORLD", "a probe (tag 5) on MPI_COMM_WORLD"),
        "both_send": between(*["a send (tag 5) on MPI_COMM_WORLD with up to 1024 KiB of long messages outstanding"] * 2),
    }
    if n >= 3:
        found["cycle_of_three"] = ("deadlock: rank 0 is in MPI_Barrier (call 1 on X) and waits for rank 1; rank 1 is "
                                    "in MPI_Barrier (call 1 on Y) and waits for rank 2; rank 2 is in MPI_Barrier (call "
                                    "1 on Z) and waits for rank 0")
    return found


def run_together(*jobs):
    """The jobs of these words, ended; together, because they mostly wait."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as at_once:
        return list(at_once.map(lambda words: launch.run("--timeout", 200, "--check", *words), jobs))


FITTING = ("late", "overlapped", "late_message", "message_on_its_way", "two_threads", "same_signatures", "any_order")


class Cycles(unittest.TestCase):
    def end(self, *cases):
        """Each case is the text that a job ends with, then its words."""
        for (text, *words), job in zip(cases, run_together(*(words for _, *words in cases))):
            with self.subTest(words):
                self.assertIn(text, job.err)
                self.assertEqual(job.code, OTHER, job.err)

    def test_ranks_that_wait_for_each_other_end_the_job_with_words(self):
        self.end(*((text, "-n", ranks, PROGRAM, word) for ranks in RANKS for word, text in cycles(ranks).items()))

    def test_the_same_of_programs_that_may_have_threads_and_have_one(self):
        job = launch.run("--timeout", 200, "--check", "-n", 2, PROGRAM, "comm_order", env=environment(MISMATCH_THREADS="1"))
        self.assertIn(cycles(2)["comm_order"], job.err)

    def test_whatever_the_error_handler(self):
        self.end((cycles(2)["comm_order"], "-n", 2, PROGRAM, "comm_order", "return"))

    def test_without_the_option_they_hang(self):
        job = launch.run("--timeout", 4, "-n", 2, PROGRAM, "comm_order")
        self.assertEqual(job.code, 124, job.err)


class Fitting(unittest.TestCase):
    def pass_all(self, *cases):
        for case, job in zip(cases, run_together(*cases)):
            with self.subTest(case):
                self.assertEqual(job.code, 0, job.err)
                self.assertEqual(job.out.count("it fits"), case[case.index("-n") + 1], job.out + job.err)

    def test_what_differs_and_fits_passes_and_who_only_waits_is_left_alone(self):
        self.pass_all(*(("-n", ranks, PROGRAM, word) for ranks in RANKS for word in FITTING))

    def test_the_same_in_other_ways(self):
        self.pass_all(*(("-n", 3, "-env", name, value, PROGRAM, word) for word in FITTING for name, value in (
            ("BATON_ROOMS", "0"), ("BATON_EAGER_BYTES_MAX", "48"), ("BATON_PROGRESS_THREAD", "1"))))


class Cost(unittest.TestCase):
    def messages(self, rounds, *options):
        """Messages between ranks in a job of so many barriers, and how often an algorithm ran."""
        job = launch.run("--timeout", 200, *options, "--explain=json", "-n", 2, PROGRAM, "barriers", rounds)
        self.assertEqual(job.code, 0, job.err)
        told = json.loads(next(line for line in job.err.splitlines() if line.startswith("{")))
        messages = sum(way["messages"] for row in told["traffic"] for way in row["ways"])
        return messages, sum(row["calls"] for row in told["collectives"])

    def test_without_the_option_nothing_is_exchanged(self):
        few, many = self.messages(10), self.messages(1000)
        self.assertEqual(few[0], many[0])
        self.assertEqual(many[1] - few[1], 2 * 990)

    def test_with_it_each_call_is_told_and_judged(self):
        few, many = self.messages(10, "--check"), self.messages(1000, "--check")
        self.assertEqual(many[0] - few[0], 2 * 990)
        self.assertEqual(many[1] - few[1], 2 * 990)


if __name__ == "__main__":
    unittest.main(verbosity=1)
