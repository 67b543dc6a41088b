#!/usr/bin/env python3
"""What mpiexec takes from variables that are set for other MPIs. Usage: foreign_variables_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
RANK = os.path.join(PROGRAMS, "fake_rank")
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "from-another-mpi.md")
WATCHDOG_SECONDS = 300


def run(*words, **variables):
    env = {**os.environ, "BATON_OTHER_JOBS": "ignore", **variables}
    return subprocess.run([os.path.join(BIN, "mpiexec"), *map(str, words)], env=env, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=WATCHDOG_SECONDS)


class Taken(unittest.TestCase):
    def test_a_time_limit_ends_the_job(self):
        for name in "MPIEXEC_TIMEOUT", "I_MPI_JOB_TIMEOUT":
            done = run("-n", 2, RANK, "sleep", 1000, **{name: "1"})
            self.assertEqual(done.returncode, 124, done.stderr)

    def test_no_time_limit_is_none(self):
        for value in "0", "-1", "":
            done = run("-n", 1, RANK, "out", "x", MPIEXEC_TIMEOUT=value)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "x", ""))

    def test_the_command_line_wins(self):
        done = run("--timeout", 200, "-n", 1, RANK, "sleep", 1.5, MPIEXEC_TIMEOUT="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("-n", 3, RANK, "out", "x", HYDRA_PPN="2", I_MPI_PERHOST="1")
        self.assertEqual((done.stdout, done.stderr), ("xxx", ""))

    def test_hosts_and_ranks_per_node_are_taken(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("localhost:3\n")
            file.flush()
            for variables, ranks in (({"HYDRA_HOST_FILE": file.name}, 3), ({"I_MPI_HYDRA_HOST_FILE": file.name}, 3),
                                     ({"HYDRA_PPN": "2"}, 2), ({"I_MPI_PERHOST": "2"}, 2)):
                self.assertEqual(run(RANK, "out", "x", **variables).stdout, "x" * ranks, variables)
        self.assertEqual(run("-host", "localhost:2", RANK, "out", "x", HYDRA_HOST_FILE="/nowhere").stdout, "xx")

    def test_binding_is_taken(self):
        cpus = len(os.sched_getaffinity(0))
        first = min(os.sched_getaffinity(0))
        for variables, allowed in (({"I_MPI_PIN": "0"}, cpus), ({"HYDRA_BINDING": "none"}, cpus),
                                   ({"OMPI_MCA_hwloc_base_binding_policy": "none"}, cpus),
                                   ({"PRTE_MCA_hwloc_default_binding_policy": "none"}, cpus),
                                   ({"I_MPI_PIN_PROCESSOR_LIST": str(first)}, 1)):
            done = run("-n", 1, RANK, "place", "", **variables)
            self.assertIn(f"allowed {allowed}", done.stdout, (variables, done.stderr))

    def test_settings_are_made_of_them_where_nobody_set_those(self):
        for name, value, setting, meant in (("I_MPI_ASYNC_PROGRESS", "1", "BATON_PROGRESS_THREAD", "1"),
                                            ("MPICH_ASYNC_PROGRESS", "on", "BATON_PROGRESS_THREAD", "1"),
                                            ("OMPI_MCA_btl_vader_single_copy_mechanism", "none", "BATON_CMA", "0")):
            self.assertEqual(run("-n", 1, RANK, "variable", setting, **{name: value}).stdout, meant + "\n")
            self.assertEqual(run("-n", 1, RANK, "variable", setting, **{name: value, setting: "7"}).stdout, "7\n")


class Named(unittest.TestCase):
    def test_what_has_no_equal_is_named_in_one_line(self):
        done = run("-n", 2, RANK, I_MPI_FABRICS="shm", I_MPI_ADJUST_BCAST="3", OMPI_MCA_coll_tuned_bcast_algorithm="2",
                   I_MPI_PIN_DOMAIN="omp", MPIR_CVAR_BCAST_INTRA_ALGORITHM="binomial")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        for name in ("I_MPI_FABRICS", "I_MPI_ADJUST_BCAST", "OMPI_MCA_coll_tuned_bcast_algorithm", "I_MPI_PIN_DOMAIN (",
                     "MPIR_CVAR_BCAST_INTRA_ALGORITHM"):
            self.assertIn(name, done.stderr)

    def test_a_value_that_cannot_be_taken_is_named_and_ends_nothing(self):
        done = run("-n", 1, RANK, "out", "x", MPIEXEC_TIMEOUT="soon")
        self.assertEqual((done.returncode, done.stdout), (0, "x"))
        self.assertIn("MPIEXEC_TIMEOUT (--timeout soon: ", done.stderr)

    def test_what_changes_no_job_is_not_named(self):
        done = run("-n", 1, RANK, I_MPI_ROOT="/opt", OMPI_MCA_plm_rsh_agent="ssh", HYDRA_LAUNCHER="ssh", I_MPI_PIN="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Page(unittest.TestCase):
    def test_the_pages_table_is_the_one_that_mpiexec_reads(self):
        with open(PAGE) as file:
            self.assertIn(run("--help=variables").stdout, file.read(),
                          "put the output of `mpiexec --help=variables` into docs/from-another-mpi.md")


if __name__ == "__main__":
    unittest.main()
