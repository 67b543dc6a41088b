#!/usr/bin/env python3
"""Jobs that spawn others, and how families of jobs end. Usage: spawn_test.py BIN TESTS_BIN [unittest's]"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

BIN, TESTS = sys.argv[1:3]
del sys.argv[1:3]
PROGRAM = os.path.join(TESTS, "spawn_program")
WATCHDOG_SECONDS = 120
TURNS = int(os.environ.get("SPAWN_TURNS", 20))


def processes_with(token):
    """The processes whose command line has the token."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                if name.isdigit() and token.encode() in file.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


def wait_until(happens, what, seconds=20):
    limit = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > limit:
            raise AssertionError(f"{what} within {seconds} s")
        time.sleep(0.02)


class Spawn(unittest.TestCase):
    def run_job(self, ranks, *words, options=(), program=PROGRAM, **variables):
        """Exit code, standard output, standard error; ranks None: without mpiexec."""
        mpiexec = [] if ranks is None else [os.path.join(BIN, "mpiexec"), "--timeout", "100", "-n", str(ranks), *options]
        done = subprocess.run([*mpiexec, program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, **variables}, timeout=WATCHDOG_SECONDS)
        return done.returncode, done.stdout, done.stderr

    def expect_good(self, ranks, *words, **more):
        self.assertEqual(self.run_job(ranks, *words, **more), (0, f"{words[0]}: all checks held\n", ""))

    def test_children_are_spawned_by_jobs_of_any_size(self):
        for ranks, children in (1, 1), (2, 3), (3, 1), (None, 2), (1, 8):
            with self.subTest(ranks=ranks, children=children):
                self.expect_good(ranks, "use", str(children))

    def test_children_are_spawned_by_jobs_with_threads(self):
        self.expect_good(2, "use", "2", THREADS="1")
        self.expect_good(1, "use", "2", BATON_PROGRESS_THREAD="1")

    def test_children_are_spawned_again_and_again(self):
        for ranks in None, 2:
            with self.subTest(ranks=ranks):
                self.expect_good(ranks, "turns", str(TURNS))

    def test_sessions_know_spawned_jobs_and_their_parents(self):
        for ranks in None, 2:
            with self.subTest(ranks=ranks):
                self.expect_good(ranks, "sets")

    def test_children_spawn_children(self):
        self.expect_good(1, "nest", "3")
        self.expect_good(None, "nest", "2")

    def test_families_of_children_meet(self):
        self.expect_good(2, "bridge")

    def test_several_programs_are_spawned_as_one_job(self):
        for ranks in 1, 2:
            self.expect_good(ranks, "several")

    def test_info_says_how(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            self.expect_good(2, "info", "wdir=" + folder, "--", "4", folder)
            self.expect_good(1, "info", "wdir=" + folder, "env=OTHER=x\nCHILD_WORD=a word", "--", "4", folder, "a word")
        self.expect_good(1, "info", "soft=1:3", "--", "3")
        self.expect_good(1, "info", "host=localhost", "bind_to=none", "map_by=core", "nobody_knows=this", "--", "4")
        # The command is looked for in `path`.
        code, out, err = self.run_job(1, "info", "path=" + TESTS, "--", "4", program=PROGRAM)
        self.assertEqual((code, out, err), (0, "info: all checks held\n", ""))

    def test_what_cannot_be_started_is_an_error(self):
        for command, children, how, words, told in (
                ("/no/such/program", "2", "x", "mpiexec has said why", "cannot run /no/such/program"),
                ("/etc/passwd", "1", "x", "mpiexec has said why", "cannot run /etc/passwd"),
                (".", "2", "early", "mpiexec has said why", "code 5"),
                (".", "1", "quietly", "ended before all had called MPI_Init", ""),
                (".", "0", "x", "argument maxprocs", ""),
                (".", "100000", "x", "mpiexec has said why", "number of ranks")):
            for ranks in None, 2:
                with self.subTest(command, how=how, ranks=ranks):
                    code, out, err = self.run_job(ranks, "fail", command, children, how, words)
                    self.assertEqual(out, "fail: all checks held\n", err)
                    self.assertIn(told, err)
                    # The program was told, so it is no failure of its own.
                    self.assertEqual(code, 0, err)

    def test_hosts_that_are_others_are_an_error(self):
        """Where no launcher that reaches them is there."""
        with tempfile.TemporaryDirectory() as empty:
            code, _, err = self.run_job(1, "info", "host=no-such-host.invalid", "--", "4", PATH=empty)
        self.assertNotEqual(code, 0)
        self.assertIn("none of them is in PATH", err)

    def test_a_child_that_ends_is_an_error_of_its_parents(self):
        for how in "kill", "abort", "finalize":
            for ranks in None, 2:
                with self.subTest(how=how, ranks=ranks):
                    code, out, err = self.run_job(ranks, "lose", how)
                    self.assertEqual(out, "lose: all checks held\n", err)
                    self.assertEqual(code == 0, ranks is None or how == "finalize", err)

    def test_mpiexec_waits_for_children_that_stay(self):
        token = uuid.uuid4().hex
        code, out, err = self.run_job(2, "leave", token)
        self.assertEqual((code, out, err), (0, f"leave: all checks held\n{token}\n", ""))

    def test_a_parent_that_dies_ends_its_children(self):
        token = uuid.uuid4().hex
        code, _, err = self.run_job(2, "die", token)
        self.assertNotEqual(code, 0)
        self.assertIn("signal 9", err)
        wait_until(lambda: not processes_with(token), "no child is left")

    def test_mpiexec_that_is_killed_leaves_nobody(self):
        token = uuid.uuid4().hex
        job = subprocess.Popen([os.path.join(BIN, "mpiexec"), "-n", "1", "env", "NEVER=1", PROGRAM, "die", token],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: len(processes_with(token)) >= 3, "children are there")
        job.kill()
        job.wait()
        wait_until(lambda: not processes_with(token), "no process is left")

    def test_baton_stat_knows_the_family(self):
        token = uuid.uuid4().hex
        with subprocess.Popen([os.path.join(BIN, "mpiexec"), "-n", "2", PROGRAM, "stay", token], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as job:
            try:
                wait_until(lambda: len(processes_with("child:linger\0" + token)) == 2, "children are there")
                stat = lambda *words: subprocess.run([os.path.join(BIN, "baton"), "stat", *words], capture_output=True,
                                                     text=True, timeout=60)
                lines = stat().stderr.splitlines()
                children = [line for line in lines if f"(spawned by job {job.pid})" in line]
                self.assertEqual(len(children), 1, lines)
                child = children[0].split()[0]
                self.assertIn(f"job {child} (spawned by job {job.pid}), 2 ranks", stat(child).stdout)
                self.assertIn(f"job {job.pid}, 2 ranks", stat(str(job.pid)).stdout)
                self.assertEqual(json.loads(stat("--json", child).stdout)["spawned_by"], job.pid)
            finally:
                job.terminate()
        wait_until(lambda: not processes_with(token), "no child is left")

    def test_reports_are_of_the_whole_family(self):
        code, out, err = self.run_job(2, "use", "3", options=("--explain", "--stats"))
        self.assertEqual((code, out), (0, "use: all checks held\n"), err)
        child = re.search(r"^mpiexec of spawned job (\d+): where the ranks ran", err, re.MULTILINE)
        self.assertTrue(child, err)
        self.assertIn(f"jobs that were spawned: {child[1]} (code 0)", err)
        self.assertEqual(len(re.findall("^which protocols the messages used", err, re.MULTILINE)), 2, err)
        self.assertIn(f"mpiexec of spawned job {child[1]}: where the time went: 3 ranks", err)
        self.assertIn("the target is of another job", err)
        # What goes between jobs counts for calls, but for no pair of ranks of one job.
        self.assertRegex(err, r"MPI_Recv +42 .* 6\.4 MiB\n")
        self.assertNotIn("by pair of ranks", err)

    def test_reports_in_files_are_named_by_job(self):
        with tempfile.TemporaryDirectory() as folder:
            explained = os.path.join(folder, "explained.json")
            code, out, err = self.run_job(1, "nest", "2", options=("--explain-file", explained))
            self.assertEqual((code, out, err), (0, "nest: all checks held\n", ""))
            reports = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    reports[name] = json.load(file)
            family = reports.pop("explained.json")
            self.assertNotIn("job", family)
            # Parent, child and grandchild; each has a file of its own.
            for _ in range(2):
                number = family["spawned"][0]["job"]
                self.assertEqual(family["spawned"], [{"job": number, "code": 0}])
                family = reports.pop(f"explained.job{number}.json")
                self.assertEqual((family["job"], family["ranks_counted"]), (number, 2))
            self.assertNotIn("spawned", family)
            self.assertEqual(reports, {})

    def test_the_universe_has_a_size(self):
        cpus = len(os.sched_getaffinity(0))
        self.expect_good(None, "universe", str(cpus))
        self.expect_good(1, "universe", str(cpus))
        self.expect_good(cpus + 1, "universe", str(cpus + 1))
        self.expect_good(1, "universe", "17", options=("-usize", "17"))


class FromSeveralNodes(Spawn):
    """One machine taken for several nodes; the children are such jobs, too."""

    def run_job(self, ranks, *words, **more):
        return super().run_job(ranks, *words, **{"BATON_RANKS_PER_NODE": "2", **more})

    def test_children_are_spawned_by_jobs_of_any_size(self):
        for ranks, children in (4, 4), (3, 1), (None, 3):
            with self.subTest(ranks=ranks, children=children):
                self.expect_good(ranks, "use", str(children))

    def test_children_on_one_node_are_spawned(self):
        self.expect_good(3, "use_near", "2")

    def test_children_are_spawned_by_jobs_with_threads(self):
        self.expect_good(3, "use", "2", THREADS="1")

    def test_children_are_spawned_again_and_again(self):
        self.expect_good(3, "turns", "10")

    def test_sessions_know_spawned_jobs_and_their_parents(self):
        self.expect_good(3, "sets")

    def test_children_spawn_children(self):
        self.expect_good(3, "nest", "2")

    def test_families_of_children_meet(self):
        self.expect_good(3, "bridge")

    def test_several_programs_are_spawned_as_one_job(self):
        self.expect_good(3, "several")

    def test_what_cannot_be_started_is_an_error(self):
        code, out, err = self.run_job(3, "fail", ".", "2", "early", "mpiexec has said why")
        self.assertEqual((code, out), (0, "fail: all checks held\n"), err)

    def test_a_child_that_ends_is_an_error_of_its_parents(self):
        for how in "kill", "abort", "finalize":
            with self.subTest(how=how):
                code, out, err = self.run_job(3, "lose", how)
                self.assertEqual(out, "lose: all checks held\n", err)
                self.assertEqual(code == 0, how == "finalize", err)

    def test_mpiexec_waits_for_children_that_stay(self):
        token = uuid.uuid4().hex
        self.assertEqual(self.run_job(3, "leave", token), (0, f"leave: all checks held\n{token}\n", ""))

    # The same as ever.
    test_info_says_how = test_hosts_that_are_others_are_an_error = None
    test_mpiexec_that_is_killed_leaves_nobody = test_reports_in_files_are_named_by_job = None
    test_baton_stat_knows_the_family = test_the_universe_has_a_size = None


if __name__ == "__main__":
    unittest.main()
