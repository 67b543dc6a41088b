#!/usr/bin/env python3
"""What goes on when ranks die that run on several hosts, under other launchers.
Usage: hosts_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "network"))
from forwarder import Trouble  # noqa: E402
from hand_over_test import Handing, PROGRAMS  # noqa: E402
from jobs import World, kill, run_tests, wait_until, why_no_hosts  # noqa: E402

CASES = os.path.join(PROGRAMS, "cases_program")
KILLS = os.path.join(PROGRAMS, "kills_program")


class OverTwoHosts(Handing, unittest.TestCase):
    COUNT = 2

    def check_case(self, case, ranks, launcher="mpich", size=8, cases="cases_program"):
        """The last rank dies, which is on the second host: with 4 ranks another one there lives, with 3 none."""
        with self.subTest(case, ranks=ranks, launcher=launcher, bytes=size):
            job = self.run_job(launcher, "--continue-on-failure", "--timeout", 100, "-n", ranks, os.path.join(PROGRAMS, cases), case, size)
            self.assertIn(f"{case} held", job.out, job.err)
            self.assertIn("; the others go on", job.err)

    def test_under_hydra(self):
        self.skip_if_absent("mpich")
        for ranks in 4, 3:
            for case in "point_to_point", "any_source", "collectives", "agree", "create_group":
                self.check_case(case, ranks)
            self.check_case("windows", ranks, cases="window_cases_program")
            self.check_case("point_to_point", ranks, size=200000)
            self.check_case("collectives", ranks, size=200000)

    def test_revoking_reaches_other_hosts(self):
        self.skip_if_absent("mpich")
        job = self.run_job("mpich", "--continue-on-failure", "--timeout", 100, "-n", 4, CASES, "revoke")
        self.assertIn("revoke held", job.out, job.err)

    def test_random_kills(self):
        self.skip_if_absent("mpich")
        for seed in range(1, 6):
            with self.subTest(seed=seed):
                job = self.run_job("mpich", "--continue-on-failure", "--timeout", 100, "-n", 4, KILLS, seed, 60, 1)
                self.assertIn("recoveries", job.out, job.err)

    def check_launcher(self, launcher):
        self.skip_if_absent(launcher)
        for ranks in 4, 3:
            self.check_case("agree", ranks, launcher)

    def test_under_prterun(self):
        self.check_launcher("prterun")

    def test_under_srun(self):
        self.check_launcher("srun")

    def test_under_intel_s_hydra(self):
        self.check_launcher("intel")

    def test_without_the_option_the_job_ends(self):
        self.skip_if_absent("mpich")
        job = self.run_job("mpich", "--timeout", 100, "-n", 4, CASES, "agree", code=None)
        self.assertNotEqual(job.returncode, 0, job.out + job.err)
        self.assertNotIn("held", job.out)


class LostHost(Handing, unittest.TestCase):
    """All that is left are the ranks of the first host; what its launcher then does is the launcher's."""
    COUNT = 2

    @classmethod
    def setUpClass(cls):
        if why := why_no_hosts(Trouble()):
            raise unittest.SkipTest(why)
        cls.world = World(cls.COUNT, CASES, Trouble()).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def lose(self, launcher, how):
        """What the job says from the loss on until its first host's ranks, or it, have ended."""
        self.skip_if_absent(launcher)
        job = self.start(launcher, "--continue-on-failure", "--timeout", 100, "-x", "BATON_NETWORK_PATIENCE_SECONDS=4", "-n", 4,
                         CASES, "lost_host")
        first, second = self.world.hosts.names
        try:
            for line in job.stderr:
                if "ready" in line:
                    break
            how(second)
            wait_until(lambda: job.poll() is not None or not self.world.ranks(first), "ranks wait for a host that is lost")
        finally:
            self.world.hosts.restore(second)
            kill(self.world.left())
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
            out, _ = job.communicate()
        return out

    def test_one_that_falls_silent(self):
        for launcher in "mpich", "intel", "prterun", "srun":
            with self.subTest(launcher):
                self.assertIn("lost_host held", self.lose(launcher, self.world.hosts.cut))

    def test_one_whose_processes_are_killed_with_the_launcher_s(self):
        """MPICH's launcher ends the job, and nothing stays."""
        def kill_all(host):
            kill(pid for pid in self.world.inhabitants(host) if pid not in self.world.settled)
        self.assertNotIn("held", self.lose("mpich", kill_all))
        self.world.check_nothing_left()


if __name__ == "__main__":
    sys.exit(run_tests())
