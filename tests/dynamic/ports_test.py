#!/usr/bin/env python3
"""Jobs that meet at ports, and names of services. Usage: ports_test.py BIN TESTS_BIN"""

import os
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM = os.path.join(TESTS, "ports_program")
WATCHDOG_SECONDS = 120
BOARD = f"/dev/shm/baton-{os.geteuid()}"


def mpiexec(ranks):
    """None: without mpiexec."""
    return [] if ranks is None else [os.path.join(BIN, "mpiexec"), "--timeout", "100", "-n", str(ranks)]


class Ports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, ranks, *words, **variables):
        job = subprocess.Popen([*mpiexec(ranks), PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, text=True, env={**os.environ, **variables})
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def end(self, job):
        said = job.communicate(timeout=WATCHDOG_SECONDS)[0]
        return job.returncode, said

    def expect_good(self, *jobs):
        """All end well and say so; where one ends badly, the others are not waited for."""
        limit = time.monotonic() + WATCHDOG_SECONDS
        while any(job.poll() is None for job in jobs):
            if any(job.poll() for job in jobs) or time.monotonic() > limit:
                for job in jobs:
                    job.terminate()
                break
            time.sleep(0.01)
        ends = [self.end(job) for job in jobs]
        for job, (code, said) in zip(jobs, ends):
            self.assertEqual((code, said), (0, f"{job.args[job.args.index(PROGRAM) + 1]}: all checks held\n"), ends)

    def test_two_jobs_of_any_size_meet(self):
        for ranks in (1, 1), (2, 3), (4, 1), (None, 2), (None, None):
            with self.subTest(ranks=ranks):
                os.path.exists(self.folder + "/port") and os.unlink(self.folder + "/port")
                self.expect_good(self.start(ranks[0], "accept", self.folder, "1"),
                                 self.start(ranks[1], "connect", self.folder, "1"))

    def test_jobs_meet_again_and_again(self):
        self.expect_good(self.start(2, "accept", self.folder, "60"), self.start(2, "connect", self.folder, "60"))

    def test_jobs_with_threads_meet(self):
        self.expect_good(self.start(2, "accept", self.folder, "4", THREADS="1"),
                         self.start(2, "connect", self.folder, "4", THREADS="1"))

    def test_a_library_with_a_progress_thread_meets(self):
        self.expect_good(self.start(2, "accept", self.folder, "4", BATON_PROGRESS_THREAD="1"),
                         self.start(1, "connect", self.folder, "4", BATON_PROGRESS_THREAD="1"))

    def test_jobs_with_settings_of_their_own_agree_on_algorithms(self):
        self.expect_good(
            self.start(2, "accept", self.folder, "1", BATON_COLLECTIVES="allreduce=allreduce_halving", BATON_ROOMS="0"),
            self.start(5, "connect", self.folder, "1", BATON_EAGER_BYTES_MAX="100", BATON_CMA="0"))

    def test_two_clients_meet_by_their_server(self):
        server = self.start(2, "server", self.folder)
        self.expect_good(server, self.start(1, "client", self.folder), self.start(3, "client", self.folder))

    def test_processes_join_over_a_socket(self):
        self.expect_good(self.start(1, "join_first", self.folder), self.start(None, "join_second", self.folder))

    def test_what_is_wrong_fails_with_words(self):
        for ranks in None, 1, 3:
            with self.subTest(ranks=ranks):
                self.expect_good(self.start(ranks, "fail"))

    def test_a_port_says_where_other_hosts_find_it(self):
        self.expect_good(self.start(1, "tcp", BATON_NETWORK_INTERFACE="lo"))

    def test_names_are_published_and_found(self):
        for ranks in None, 2:
            self.expect_good(self.start(ranks, "publish", f"a service {uuid.uuid4()}"))
        self.assertFalse(os.path.exists(BOARD) and os.listdir(BOARD))

    def test_names_of_a_process_that_was_killed_are_gone(self):
        name = f"killed {uuid.uuid4()}"
        code, _ = self.end(self.start(1, "publish", name, "kill"))
        self.assertNotEqual(code, 0)
        self.expect_good(self.start(1, "publish", name))
        self.assertFalse(os.path.exists(BOARD) and os.listdir(BOARD))

    def test_the_end_of_a_job_is_an_error_of_the_other(self):
        for how in "kill", "abort", "finalize":
            for ranks in (1, 1), (2, 2):
                with self.subTest(how=how, ranks=ranks):
                    os.path.exists(self.folder + "/port") and os.unlink(self.folder + "/port")
                    other = self.start(ranks[1], "end", self.folder, how)
                    self.expect_good(self.start(ranks[0], "await", self.folder))
                    self.assertEqual(self.end(other)[0] == 0, how == "finalize")


class OverSeveralNodes(Ports):
    """One machine taken for several nodes: such jobs meet all others over the network."""

    def several(self, ranks, *words, each=2, **variables):
        return self.start(ranks, *words, BATON_RANKS_PER_NODE=str(each), **variables)

    def forget_port(self):
        os.path.exists(self.folder + "/port") and os.unlink(self.folder + "/port")

    def test_two_jobs_of_any_size_meet(self):
        for nodes in ((2, 1), (2, 1)), ((4, 2), (4, 2)), ((3, 2), None), (None, (2, 1)):
            with self.subTest(nodes=nodes):
                self.forget_port()
                jobs = []
                for what, job in zip(("accept", "connect"), nodes):
                    ranks, each = job or (2, 2)
                    variables = {"BATON_RANKS_PER_NODE": str(each)} if job else {}
                    jobs.append(self.start(ranks, what, self.folder, "1", **variables))
                self.expect_good(*jobs)

    def test_jobs_meet_again_and_again(self):
        self.expect_good(self.several(2, "accept", self.folder, "20", each=1), self.start(1, "connect", self.folder, "20"))

    def test_jobs_with_threads_meet(self):
        self.expect_good(self.several(2, "accept", self.folder, "3", each=1, THREADS="1"),
                         self.start(1, "connect", self.folder, "3", THREADS="1"))

    def test_a_library_with_a_progress_thread_meets(self):
        self.expect_good(self.several(2, "accept", self.folder, "2", each=1, BATON_PROGRESS_THREAD="1"),
                         self.start(1, "connect", self.folder, "2", BATON_PROGRESS_THREAD="1"))

    def test_jobs_with_settings_of_their_own_agree_on_algorithms(self):
        self.expect_good(
            self.several(2, "accept", self.folder, "1", each=1, BATON_COLLECTIVES="allreduce=allreduce_halving"),
            self.start(2, "connect", self.folder, "1", BATON_EAGER_BYTES_MAX="100", BATON_NETWORK_EAGER_BYTES_MAX="1000"))

    def test_two_clients_meet_by_their_server(self):
        self.expect_good(self.several(2, "server", self.folder, each=1), self.start(1, "client", self.folder),
                         self.several(2, "client", self.folder, each=1))

    def test_processes_join_over_a_socket(self):
        self.expect_good(self.several(2, "join_first", self.folder, "127.0.0.1", each=1),
                         self.start(2, "join_second", self.folder, "127.0.0.1"))

    def test_what_is_wrong_fails_with_words(self):
        self.expect_good(self.several(2, "fail", each=1))

    def test_without_a_network_it_is_an_error(self):
        jobs = [self.several(2, "refused", self.folder, each=1),
                self.start(1, "refuse", self.folder, BATON_LIBFABRIC="/no/such/library")]
        self.expect_good(*jobs)

    def test_the_end_of_a_job_is_an_error_of_the_other(self):
        for how in "kill", "abort", "finalize":
            for nodes in (True, False), (False, True):
                with self.subTest(how=how, nodes=nodes):
                    self.forget_port()
                    start = [self.several if several else self.start for several in nodes]
                    other = start[0](2, "end", self.folder, how)
                    self.expect_good(start[1](2, "await", self.folder))
                    self.assertEqual(self.end(other)[0] == 0, how == "finalize")

    # Names are the same as ever.
    test_names_are_published_and_found = None
    test_names_of_a_process_that_was_killed_are_gone = None
    test_a_port_says_where_other_hosts_find_it = None


if __name__ == "__main__":
    unittest.main()
