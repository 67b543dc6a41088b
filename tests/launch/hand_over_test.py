#!/usr/bin/env python3
"""What mpiexec tells another launcher of a job for other hosts, shown by --dry-run. Nothing is started.
Usage: hand_over_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import subprocess
import sys
import tempfile
import unittest

BIN, _ = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
FOREIGN = ("PMI_", "PMI2_", "PMIX_", "SLURM_", "BATON_")
WATCHDOG_SECONDS = 600


class HandingOver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self.environment["PATH"] = f"{self.folder.name}:/usr/bin:/bin"

    def install(self, name, line="exit 1"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{line}\n")
        os.chmod(path, 0o755)
        return path

    def mpiexec(self, *words):
        return subprocess.run([MPIEXEC, *words], capture_output=True, text=True, timeout=WATCHDOG_SECONDS,
                              env=self.environment)

    def command(self, *words):
        done = self.mpiexec("--dry-run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def allocation(self, tasks, nodes=2):
        """Of Slurm's, with a srun that has PMIx."""
        self.environment |= {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": str(nodes), "SLURM_TASKS_PER_NODE": tasks}
        return self.install("srun", "echo pmi2 pmix")

    def test_hydra_starts_one_mpiexec_a_host(self):
        program = self.install("mpiexec.hydra")
        self.assertEqual(self.command("-host", "far,away", "-n", "4", "hostname"),
                         [program, "-hosts", "far,away", "-n", "2", "-ppn", "1", MPIEXEC, "--on-node", "far:2,away:2",
                          "hostname"])

    def test_prterun_starts_one_mpiexec_a_host_and_binds_none(self):
        program = self.install("prterun")
        words = self.command("-host", "far,away", "-n", "4", "hostname")
        self.assertEqual([word for word in words if word != "--allow-run-as-root"],
                         [program, "--host", "far:1,away:1", "-n", "2", "--map-by", "ppr:1:node", "--bind-to", "none", MPIEXEC,
                          "--on-node", "far:2,away:2", "hostname"])

    def test_srun_starts_one_mpiexec_a_node_and_binds_none(self):
        program = self.allocation("2(x2)")
        start = [program, "--mpi=pmix", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--cpu-bind=none",
                 "--kill-on-bad-exit=1"]
        self.assertEqual(self.command("hostname"), [*start, MPIEXEC, "--on-node", "2,2", "hostname"])
        self.assertEqual(self.command("-host", "far,away", "-ppn", "3", "hostname"),
                         [*start, "--nodelist=far,away", MPIEXEC, "--on-node", "far:3,away:3", "hostname"])

    def test_the_job_goes_on_when_ranks_of_other_hosts_die(self):
        self.install("prterun")
        words = self.command("-host", "far,away", "--continue-on-failure", "hostname")
        self.assertIn("recoverable", words[:words.index(MPIEXEC)])
        self.assertIn("--continue-on-failure", words[words.index(MPIEXEC):])
        self.allocation("2(x2)")
        words = self.command("--continue-on-failure", "hostname")
        self.assertIn("--kill-on-bad-exit=0", words)
        self.assertIn("--no-kill", words)

    def nodes(self, *words):
        command = self.command(*words, "hostname")
        return command[command.index("--on-node") + 1]

    def test_ranks_go_to_hosts_as_they_are_counted(self):
        self.install("mpiexec.hydra")
        for words, nodes in ((("-host", "far,away"), "far:1,away:1"), (("-host", "far:3,away:2"), "far:3,away:2"),
                             (("-host", "far,far,away"), "far:2,away:1"), (("-host", "far,away", "-n", "5"), "far:3,away:2"),
                             (("-host", "far:2,away:4", "-n", "5"), "far:2,away:3"), (("-host", "far,away", "-n", "1"), "far:1"),
                             (("-host", "far,away", "-ppn", "3"), "far:3,away:3"),
                             (("-host", "far,away", "-N", "3", "-n", "5"), "far:3,away:2"),
                             (("-host", "far,away", "--layout", "2x4"), "far:2,away:2")):
            with self.subTest(words):
                self.assertEqual(self.nodes(*words), nodes)

    def test_ranks_go_to_an_allocation_s_nodes_as_slurm_counts_them(self):
        self.allocation("2(x2),1", nodes=3)
        for words, nodes in (((), "2,2,1"), (("-n", "4"), "2,2"), (("-n", "6"), "2,2,2"), (("-ppn", "1"), "1,1,1")):
            with self.subTest(words):
                self.assertEqual(self.nodes(*words), nodes)

    def test_more_ranks_than_hosts_take_are_an_error(self):
        self.install("mpiexec.hydra")
        for words in (("-host", "far:1,away:2", "-n", "4"), ("-host", "far,away", "-ppn", "1", "-n", "3")):
            with self.subTest(words):
                done = self.mpiexec("--dry-run", *words, "hostname")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"-n \d: the hosts are said to take \d ranks; raise -ppn")

    def test_options_go_along_and_those_for_the_launcher_do_not(self):
        self.install("mpiexec.hydra")
        carried = ["--stats", "--explain=json", "--bind-to", "core", "--memory=heap=near", "-l", "--timeout", "9", "-wdir", "/",
                   "-x", "A=1"]
        command = self.command("-n", "2", *carried, "-hosts", "far,away", "hostname", "-n")
        start = command.index("--on-node")
        self.assertEqual(command[start:], ["--on-node", "far:1,away:1", *carried, "hostname", "-n"])

    def test_a_file_s_options_go_along_as_words(self):
        self.install("mpiexec.hydra")
        path = os.path.join(self.folder.name, "job")
        with open(path, "w") as file:
            file.write("-n 2 --stats hostname 'two words'\n")
        command = self.command("-host", "far,away", "-configfile", path)
        self.assertEqual(command[command.index("--on-node"):],
                         ["--on-node", "far:1,away:1", "--stats", "hostname", "two", "words"])

    def test_variables_go_along_where_launchers_drop_them(self):
        self.install("prterun")
        self.environment |= {"BATON_ROOMS": "0", "GREETING": "hello", "OTHER": "1"}
        command = self.command("-host", "far,away", "-x", "GREETING", "hostname")
        told = command[command.index("env") + 1:command.index(MPIEXEC)]
        self.assertEqual(sorted(told), ["BATON_ROOMS=0", "GREETING=hello"])

    def test_what_cannot_be_carried_is_refused_by_name_with_what_to_do(self):
        program = self.install("mpiexec.hydra")
        for words, option, remedy in ((("--map-by", "ppr:2:core"), "ppr", "-ppn"), (("-soft", "2:4"), "-soft", "-n N"),
                                      (("--stdin", "all"), "--stdin", "file"), (("--layout", "1+2x2"), "--layout", "MxN"),
                                      (("-outfile-pattern", "out"), "-outfile-pattern", "%r"),
                                      (("-n", "1", "hostname", ":", "-n", "1"), "several programs", "script")):
            with self.subTest(words):
                done = self.mpiexec("-host", "far,away", *words, "hostname")
                self.assertEqual(done.returncode, 2, done.stdout)
                for word in (program, option, remedy):
                    self.assertIn(word, done.stderr)

    def test_options_without_effect_are_told_of_once(self):
        self.install("mpiexec.hydra")
        done = self.mpiexec("--dry-run", "-host", "far", "--mca", "pml", "ob1", "hostname")
        self.assertIn("ignored: --mca pml ob1", done.stderr)
        self.assertNotIn("--mca", done.stdout)

    def test_it_becomes_the_launcher_and_says_so(self):
        program = self.install("prterun", 'echo ran "$@"')
        done = self.mpiexec("-host", "far,away", "--stats", "hostname")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("ran "), done.stdout)
        self.assertTrue(done.stdout.endswith(f" {MPIEXEC} --on-node far:1,away:1 --stats hostname\n"), done.stdout)
        self.assertEqual(done.stderr, f"mpiexec: other hosts: handing over to {program}\n")

    def test_an_allocation_of_one_node_is_for_no_launcher(self):
        self.allocation("2", nodes=1)
        done = self.mpiexec("-n", "2", "echo", "here")
        self.assertEqual((done.returncode, done.stdout), (0, "here\nhere\n"), done.stderr)

    def test_without_any_launcher_it_says_what_to_install(self):
        self.environment["PATH"] = self.folder.name
        for hosts in ("node17.example.org", "localhost,10.255.255.254"):
            with self.subTest(hosts):
                done = self.mpiexec("-host", hosts, "hostname")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("leaves other hosts to srun", done.stderr)
                self.assertIn("Install one", done.stderr)

    def test_an_mpiexec_of_a_node_needs_a_launcher(self):
        for nodes, word in (("far:2,away:2", "PMI_RANK"), ("far", "NAME:RANKS"), ("0,1", "NAME:RANKS")):
            with self.subTest(nodes):
                done = self.mpiexec("--on-node", nodes, "hostname")
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
