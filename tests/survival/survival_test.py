#!/usr/bin/env python3
"""What goes on when ranks die (mpiexec --continue-on-failure). Usage: survival_test.py BIN TESTS_BIN [KILLS [FIRST_SEED]]

Without KILLS: the cases one by one, and few random kills. With: so many runs with random kills."""

import os
import subprocess
import sys
import unittest

BIN, TESTS = sys.argv[1:3]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 0
FIRST_SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
del sys.argv[1:]
WATCHDOG_SECONDS = 240


def run(ranks, *words, options=("--continue-on-failure",), **variables):
    return subprocess.run([os.path.join(BIN, "mpiexec"), "--timeout", "120", "--hang-after", "60:end", *options, "-n", str(ranks), *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=WATCHDOG_SECONDS,
                          env={**os.environ, **variables})


def program(name):
    return os.path.join(TESTS, name)


class Survival(unittest.TestCase):
    def assert_held(self, done, last):
        self.assertEqual((done.returncode, done.stdout.strip().splitlines()[-1:]), (0, [last]), done.stdout + done.stderr)

    def run_case(self, case, ranks, lengths=(8,), cases="cases_program", **variables):
        for length in lengths:
            with self.subTest(case, ranks=ranks, bytes=length, **variables):
                done = run(ranks, program(cases), case, str(length), **variables)
                self.assert_held(done, f"{case} held")

    def test_messages_with_the_dead_fail_and_others_go_on(self):
        for ranks in 3, 5:
            self.run_case("point_to_point", ranks, (8, 200, 5000, 200000, 8000000))

    def test_the_handler_gets_the_error_of_a_request(self):
        self.run_case("handler", 3)

    def test_what_was_sent_before_a_death_arrives(self):
        self.run_case("last_words", 2, (8, 200))
        self.run_case("last_words", 4, (8, 200))

    def test_a_rank_dies_in_the_midst_of_a_message(self):
        for case in "to_posted", "to_posted_any", "to_none", "receiving":
            self.run_case(case, 3, (100, 3000, 20000, 200000, 4000000), cases="midway_program")
            # Copies by the kernel never, or by the sender wherever they can be.
            self.run_case(case, 4, (500000,), cases="midway_program", BATON_CMA_BYTES_MIN="1000000000")
            self.run_case(case, 2, (500000,), cases="midway_program", BATON_PUSH_BYTES_MIN="0", BATON_UNSEEN_PULL_BYTES_MIN="0")
        self.run_case("from_child", 1, (3000, 20000, 200000), cases="midway_program")

    def test_partitioned_messages_with_the_dead_or_on_a_revoked_communicator_fail(self):
        for case in "sender_dies", "sender_has_sent", "receiver_dies", "receiver_revoked", "sender_revoked":
            self.run_case(case, 2, (8, 3000, 200000), cases="partitioned_cases_program")

    def test_the_deposit_models_refuse_to_go_on(self):
        done = run(2, program("cases_program"), "last_words", "8", BATON_DEPOSIT_MODEL="2")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("run without BATON_DEPOSIT_MODEL", done.stderr)

    def test_what_a_rank_has_ended_before_it_dies_succeeds_at_the_others(self):
        for kind in range(9):
            for ranks, length in (3, 8), (4, 100000), (8, 8):
                self.run_case("last_part", ranks, (length,), cases="aftermath_program", SURVIVAL_KIND=str(kind),
                              BATON_FAILURE_GRACE_MS="20000")
        self.run_case("last_part", 4, (100000,), cases="aftermath_program", SURVIVAL_KIND="5", BATON_ROOMS="0",
                      BATON_FAILURE_GRACE_MS="20000")

    def test_calls_that_fail_at_once_hear_of_a_revocation(self):
        for ranks in 4, 7:
            self.run_case("until_revoked", ranks, cases="aftermath_program")

    def test_a_communicator_is_not_taken_for_one_before_it(self):
        for ranks in 2, 5:
            self.run_case("shrink_again", ranks, cases="aftermath_program")

    def test_what_nobody_has_received_on_a_communicator_with_failures_reaches_no_other(self):
        for ranks in 3, 5:
            self.run_case("remains", ranks, cases="aftermath_program")

    def test_the_handler_of_a_freed_communicator_gets_the_error_of_its_request(self):
        for ranks in 2, 3:
            self.run_case("freed", ranks, cases="aftermath_program")

    def test_any_source_is_interrupted_until_acknowledged(self):
        self.run_case("any_source", 4, (8, 5000, 500000))

    def test_collectives_fail_and_the_rest_goes_on(self):
        for ranks in 2, 5, 16:
            self.run_case("collectives", ranks, (8, 4096, 1000000) if ranks < 16 else (8,))
        self.run_case("collectives", 5, BATON_ROOMS="0")

    def test_revoking_ends_all_waits(self):
        for ranks in 3, 6:
            self.run_case("revoke", ranks, (8, 500000))
        done = run(4, program("cases_program"), "revoke", options=())
        self.assert_held(done, "revoke held")

    def test_waits_for_a_rank_of_a_window_end(self):
        for ranks in 3, 5:
            self.run_case("windows", ranks, cases="window_cases_program")

    def test_a_lock_that_the_dead_hold_is_not_had_by_trying_again(self):
        for variables in {}, {"BATON_RANKS_PER_NODE": "1"}:
            for ranks in 3, 5:
                self.run_case("locked_all", ranks, cases="window_cases_program", **variables)

    def test_a_window_that_is_freed_early_leaves_nothing_to_be_done(self):
        for variables in {}, {"BATON_RANKS_PER_NODE": "1"}:
            for ranks in 3, 4:
                self.run_case("freed_early", ranks, cases="window_cases_program", **variables)

    def test_a_rank_that_dies_in_an_accumulate_is_not_waited_for(self):
        for case in "elements_allocated", "elements_own", "elements_of_dead_allocated", "elements_of_dead_own":
            for ranks in 2, 4:
                self.run_case(case, ranks, (8, 300000, 16000000), cases="window_cases_program")

    def test_what_a_rank_of_a_window_has_not_answered_fails(self):
        for variables in {}, {"BATON_CMA": "0"}, {"BATON_RANKS_PER_NODE": "1"}:
            for ranks in 2, 4:
                self.run_case("answers", ranks, cases="window_cases_program", **variables)

    def test_a_spawned_job_can_go_on_by_itself(self):
        self.assert_held(run(2, program("cases_program"), "spawned", options=()), "spawned held")

    def test_communicators_of_those_left_are_made_without_the_dead(self):
        for ranks in 3, 6:
            self.run_case("create_group", ranks)
        for ranks in 4, 6, 8:
            self.run_case("create_group_again", ranks)

    def test_windows_and_files_can_be_revoked(self):
        for ranks in 2, 5:
            self.run_case("revoke_objects", ranks)

    def test_making_windows_ends(self):
        for ranks in 3, 6:
            self.run_case("making_windows", ranks, cases="window_cases_program")

    def test_rooms_of_the_dead_come_back(self):
        self.run_case("rooms", 3, (4000,))

    def test_what_accesses_to_files_have_taken_comes_back(self):
        for ranks in 3, 5:
            for case in "memory", "failed_opens", "accesses_cut_off":
                self.run_case(case, ranks, cases="file_memory_program")

    def test_agreement(self):
        for ranks in 2, 3, 9:
            self.run_case("agree", ranks)

    def test_the_setting_asks_for_it_unless_the_option_says_no(self):
        setting = {"BATON_CONTINUE_ON_FAILURE": "1"}
        self.assert_held(run(3, program("cases_program"), "agree", options=(), **setting), "agree held")
        done = run(3, program("cases_program"), "agree", options=("--with-ft", "no"), **setting)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("go on", done.stderr)

    def test_a_death_is_told_and_the_code_is_that_of_those_left(self):
        done = run(3, program("cases_program"), "point_to_point")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 2: killed (signal 9); the others go on", done.stderr)

    def test_without_the_option_the_job_ends_as_ever(self):
        done = run(3, program("cases_program"), "point_to_point", options=())
        self.assertEqual(done.returncode, 128 + 9, done.stderr)

    def test_the_death_of_all_is_the_jobs(self):
        done = run(2, "/bin/sh", "-c", "kill -9 $$")
        self.assertNotEqual(done.returncode, 0)

    def test_random_kills(self):
        for seed in range(FIRST_SEED, FIRST_SEED + (KILLS or 4)):
            ranks = 2 + seed % 7
            with self.subTest(seed=seed, ranks=ranks):
                done = run(ranks, program("kills_program"), str(seed), "60", str(1 + seed % 2 if ranks > 2 else 1))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("recoveries", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + (["Survival.test_random_kills"] if KILLS else []))
