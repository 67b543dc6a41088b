#!/usr/bin/env python3
"""What goes on when ranks die that another launcher has started itself, on two hosts.
Usage: other_launchers_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "network"))
from jobs import World, each_launcher, run_tests  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[2])
del sys.argv[1:3]
CASES = os.path.join(PROGRAMS, "cases_program")
# What lets the others live, of the launchers that can. MPICH's ends the other ranks on the node of the dead all the same.
LETS_LIVE = {"mpich": ["-disable-auto-cleanup"], "intel": ["-disable-auto-cleanup"],
             "prterun": ["--runtime-options", "recoverable,notifyerrors"], "srun-pmi2": ["--no-kill", "--kill-on-bad-exit=0"]}


class OverTwoHosts(unittest.TestCase):
    """The last rank dies, which is on the second host: with 4 ranks another one there lives, with 3 none."""

    @classmethod
    def setUpClass(cls):
        cls.world = World(2, CASES).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def run_job(self, launcher, ranks, *words, lets_live=None, settings=("BATON_CONTINUE_ON_FAILURE=1",)):
        """Intel's launcher needs its libraries' folder, which the ranks shall not have."""
        return self.world.run(launcher, ranks, *(LETS_LIVE[launcher] if lets_live is None else lets_live), "env", "-u",
                              "LD_LIBRARY_PATH", *settings, *words, seconds=200)

    def check(self, launcher, ranks, *words, says="", **more):
        def run(launcher):
            job = self.run_job(launcher, ranks, CASES, *words, **more)
            self.assertIn(f"{words[0]} held", job.out, job.err)
            self.assertIn(says, job.out + job.err)
            self.world.check_nothing_left()
        with self.subTest(words[0], ranks=ranks, **more):
            each_launcher(self, run, [launcher])

    def test_the_others_go_on(self):
        for case in "point_to_point", "agree":
            self.check("mpich", 3, case, "8")
        for launcher in "intel", "prterun", "srun-pmi2":
            for ranks in 4, 3:
                for case in "point_to_point", "collectives", "agree":
                    self.check(launcher, ranks, case, "8")

    def test_long_messages(self):
        for ranks in 4, 3:
            for case in "point_to_point", "collectives":
                self.check("prterun", ranks, case, "200000")

    def test_a_rank_that_dies_before_it_has_common_memory(self):
        settings = ["BATON_CONTINUE_ON_FAILURE=1", f"LD_PRELOAD={PROGRAMS}/libdies_before_attaching.so", "DIES_BEFORE_ATTACHING=3"]
        for launcher in "intel", "prterun", "srun-pmi2":
            for case in "point_to_point", "any_source", "create_group":
                self.check(launcher, 4, case, "8", settings=settings, says="a rank dies before it attaches")

    def test_nobody_but_ranks_tells(self):
        """PRRTE sends no events: the ranks look at the processes of their node, and at hosts that are silent."""
        for ranks in 4, 3:
            self.check("prterun", ranks, "collectives", "8", lets_live=["--runtime-options", "recoverable"])

    def test_nobody_but_the_launcher_tells(self):
        """Nobody watches the network, and nobody who lives is on the host of the dead."""
        for case in "point_to_point", "any_source", "collectives", "agree":
            self.check("prterun", 3, case, "8",
                       settings=["BATON_CONTINUE_ON_FAILURE=1", "BATON_NETWORK_PATIENCE_SECONDS=0"])

    def test_without_the_setting_the_job_ends(self):
        job = self.run_job("mpich", 4, CASES, "agree", lets_live=[], settings=[])
        self.assertNotEqual(job.returncode, 0, job.out + job.err)
        self.assertNotIn("held", job.out)
        self.world.check_nothing_left()

    def test_a_rank_that_ends_the_job_ends_it(self):
        def check(launcher):
            job = self.run_job(launcher, 4, CASES, "abort")
            self.assertNotIn("held", job.err)
            self.world.check_nothing_left()
        each_launcher(self, check, ["mpich", "intel", "prterun"])

    def test_settings_that_differ_are_an_error(self):
        script = 'test "$PMI_RANK" = 3 && export BATON_CONTINUE_ON_FAILURE=1; exec "$@"'
        job = self.run_job("mpich", 4, "sh", "-c", script, "sh", CASES, "agree", lets_live=[], settings=[])
        self.assertNotEqual(job.returncode, 0, job.out)
        self.assertIn("BATON_CONTINUE_ON_FAILURE (", job.err)
        self.world.check_nothing_left()


if __name__ == "__main__":
    sys.exit(run_tests())
