#!/usr/bin/env python3
"""Bad cases: foreign launchers, forbidden system calls, short memory, ranks that die, receivers that are away.
Each ends as it should, with words. Usage: faults_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "fault_program")
REFUSING = os.path.join(launch.PROGRAMS, "refusing")
FOREIGN = ("PMI", "PMIX", "SLURM", "BATON", "OMPI", "MPI")
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(FOREIGN) or name == "BATON_OTHER_JOBS"}
# Ranks and processes of the machine these tests run on do not matter: two ranks, each as if it had a CPU.
NAMESPACES = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]


def mpiexec(*words, seconds=600, **more):
    """Our watchdog is mpiexec's, with Job's behind it."""
    launch.WATCHDOG_SECONDS = seconds + 20
    return launch.run("--timeout", seconds, *words, **{"env": CLEAN, **more})


def alone(*words, seconds=600, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=seconds,
                          stdin=subprocess.DEVNULL, **{"env": CLEAN, **more})


def limited(what, soft):
    """A limit for the processes that follow, like ulimit."""
    return lambda: resource.setrlimit(what, (soft, soft))


class Faults(unittest.TestCase):
    def ends_well(self, job):
        self.assertEqual(job.code, 0, job.out + job.err)
        self.assertIn("came to the end", job.out)

    def ways(self, job):
        """Messages by way, from --explain=json."""
        found = {}
        for row in self.told(job):
            for way in row["ways"]:
                found[way["way"]] = found.get(way["way"], 0) + way["messages"]
        return found

    def why(self, job):
        """The words of why no message took a cheaper way."""
        return {found["words"] for row in self.told(job) for found in row["why_not_cheaper"]}

    def told(self, job):
        return next(json.loads(line) for line in job.err.splitlines() if line.startswith("{"))["traffic"]


class Starting(Faults):
    def test_a_program_started_alone_is_rank_0_of_1(self):
        done = alone("size")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "rank 0 of 1\ncame to the end\n")

    def test_another_launcher_is_refused_with_the_remedy(self):
        for variable in ("PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_RANK", "PMIX_NAMESPACE"):
            with self.subTest(variable):
                done = alone("size", env={**CLEAN, variable: "3"})
                self.assertNotEqual(done.returncode, 0)
                self.assertGreater(done.returncode, 0, "died of a signal")
                self.assertIn(variable, done.stderr)
                self.assertIn("env -u PMI_FD" if variable == "PMI_FD" else "mpiexec", done.stderr)
                self.assertNotIn("rank 0 of 1", done.stdout)

    # As Slurm sets them in a batch script of eight tasks.
    BATCH = {**CLEAN, "SLURM_JOB_ID": "77", "SLURM_NTASKS": "8", "SLURM_TASKS_PER_NODE": "8", "SLURM_PROCID": "0",
             "SLURM_LOCALID": "0", "SLURM_NODEID": "0", "SLURM_TASK_PID": "1"}
    # What srun adds for its tasks.
    STEP = {**BATCH, "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "8", "SLURM_STEP_TASKS_PER_NODE": "8"}

    def test_batch_variables_alone_are_no_launcher(self):
        shell = {**self.BATCH, "SLURM_STEP_ID": "4294967290", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PTY_PORT": "40000"}
        for environment in (self.BATCH, {**self.STEP, "SLURM_STEP_NUM_TASKS": "1"}, shell):
            done = alone("size", env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("rank 0 of 1", done.stdout)

    def test_a_task_of_srun_without_pmi_is_refused_with_the_remedy(self):
        for rank in ("0", "5"):
            done = alone("size", env={**self.STEP, "SLURM_PROCID": rank})
            self.assertGreater(done.returncode, 0)
            self.assertNotIn("rank 0 of 1", done.stdout)
            for words in ("one of 8 tasks", "`mpiexec -n 8 PROGRAM`", "env -u SLURM_STEP_NUM_TASKS"):
                self.assertIn(words, done.stderr)
        self.ends_well(mpiexec("-n", 2, PROGRAM, "size", env=self.STEP))

    def test_in_a_shell_of_srun_only_the_shell_is_a_task(self):
        shell = {**self.STEP, "SLURM_PTY_PORT": "40000"}
        self.assertEqual(alone("size", env=shell).returncode, 0)
        done = subprocess.run(["sh", "-c", f"SLURM_TASK_PID=$$ exec '{PROGRAM}' size"], env=shell, capture_output=True,
                              text=True, timeout=600)
        self.assertGreater(done.returncode, 0)
        self.assertIn("one of 8 tasks", done.stderr)

    def test_mpiexec_inside_another_launcher_starts_its_own_job(self):
        job = mpiexec("-n", 2, PROGRAM, "size", env={**CLEAN, "PMI_FD": "9", "PMIX_RANK": "1"})
        self.ends_well(job)
        self.assertIn("rank 1 of 2", job.out)


class Descriptors(Faults):
    PROGRAM = os.path.join(launch.PROGRAMS, "descriptor_program")

    def test_the_librarys_numbers_may_be_closed_and_taken_by_the_program(self):
        for ranks in (1, 2, 5):
            with self.subTest(ranks):
                self.ends_well(mpiexec("-n", ranks, self.PROGRAM))

    def test_the_same_when_mpiexec_cannot_be_asked_again(self):
        # Its descriptors are another user's then.
        self.ends_well(mpiexec("-n", 2, *launch.behind_mount("none /proc"), self.PROGRAM))

    def test_the_same_of_a_program_started_alone(self):
        done = subprocess.run([self.PROGRAM], capture_output=True, text=True, timeout=600, env=CLEAN)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_closed_standard_descriptors_stay_out_of_the_librarys_way(self):
        for closed, code in (("<&-", 0), (">&-", 1), ("<&- >&- 2>&-", 1)):  # 1: what it prints cannot be written
            with self.subTest(closed):
                done = subprocess.run(f"exec '{PROGRAM}' size {closed}", shell=True, timeout=600, env=CLEAN,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.assertEqual(done.returncode, code)


class Forbidden(Faults):
    """System calls that a container's filter may refuse."""

    def test_cross_memory_attach_is_used_where_it_works(self):
        probe = mpiexec("--explain=json", "-n", 2, PROGRAM, "long", 1 << 20)
        self.ends_well(probe)
        self.assertGreater(sum(self.ways(probe).get(way, 0) for way in ("cma", "pipelined")), 0, probe.err)

    def staged_only(self, job, messages):
        self.ends_well(job)
        self.assertEqual(self.ways(job).get("cma", 0), 0, job.err)
        self.assertGreaterEqual(self.ways(job).get("pipelined", 0), messages, job.err)

    def test_cross_memory_attach_refused_to_all_is_replaced_by_staging(self):
        job = mpiexec("--explain=json", "-n", 2, REFUSING, "process_vm_readv", PROGRAM, "long", 1 << 20)
        self.staged_only(job, 20)
        self.assertIn("single copy (CMA): not permitted here (EPERM): give the container CAP_SYS_PTRACE, or set "
                      "kernel.yama.ptrace_scope to 0", self.why(job))

    def test_cross_memory_attach_refused_to_one_rank_is_replaced_by_staging_there(self):
        job = mpiexec("--explain=json", "-n", 2, REFUSING, "rank=1", "process_vm_readv", PROGRAM, "long", 1 << 20)
        self.ends_well(job)
        self.assertGreaterEqual(self.ways(job).get("pipelined", 0), 10, job.err)

    def test_a_sender_that_may_not_write_leaves_the_copying_to_the_receiver(self):
        for one in ([], ["rank=0"], ["rank=1"]):
            with self.subTest(one):
                job = mpiexec("--explain=json", "-n", 2, REFUSING, *one, "process_vm_writev", PROGRAM, "long", 4 << 20)
                self.ends_well(job)
                self.assertGreater(self.ways(job).get("cma", 0), 0, job.err)

    def test_membarrier_refused_to_the_whole_job(self):
        launch.WATCHDOG_SECONDS = 800
        words = [REFUSING, "membarrier", launch.MPIEXEC, "--timeout", "600", "-n", "2", PROGRAM, "wake", "200"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=800, env=CLEAN, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("came to the end", done.stdout)

    def test_membarrier_refused_to_the_ranks_or_to_one(self):
        for one in ([], ["rank=0"], ["rank=1"]):
            with self.subTest(one):
                self.ends_well(mpiexec("-n", 2, REFUSING, *one, "membarrier", PROGRAM, "wake", 200))

    def test_no_socket_is_needed(self):
        self.ends_well(mpiexec("-n", 2, REFUSING, "socket", PROGRAM, "wake", 20))

    def refused_to_all(self, names, *words):
        done = subprocess.run([REFUSING, names, launch.MPIEXEC, "--timeout", "600", "-n", "2", PROGRAM, *words],
                              capture_output=True, text=True, timeout=800, env=CLEAN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("came to the end", done.stdout)

    def test_affinity_refused_to_all_binds_nobody(self):
        self.refused_to_all("sched_getaffinity", "wake", "20")
        self.refused_to_all("sched_setaffinity", "wake", "20")

    def test_memory_files_refused_are_replaced_by_files_without_a_name(self):
        self.refused_to_all("memfd_create", "long", "1000000")
        self.assertEqual(subprocess.run([REFUSING, "memfd_create", PROGRAM, "size"], capture_output=True, timeout=600,
                                        env=CLEAN).returncode, 0)

    def test_memory_files_refused_are_named_where_there_is_no_dev_shm(self):
        hidden = launch.behind_mount("-o ro none /dev/shm")
        for words in ([PROGRAM, "size"], [launch.MPIEXEC, "-n", "2", PROGRAM, "size"]):
            done = subprocess.run([*hidden, REFUSING, "memfd_create", *words], capture_output=True, text=True, timeout=600,
                                  env=CLEAN)
            self.assertIn(done.returncode, range(1, 128))
            self.assertIn("memory file", done.stderr)
            self.assertIn("system call filter", done.stderr)

    def test_reserving_by_file_refused_is_replaced_by_reserving_by_address(self):
        self.refused_to_all("fallocate", "long", "1000000")


@unittest.skipIf(subprocess.run([*NAMESPACES, "true"], capture_output=True).returncode != 0,
                 "this machine lets nobody make namespaces")
class Namespaces(Faults):
    """Process numbers of another namespace name nobody, or the wrong one."""

    def test_each_rank_in_its_own_is_served_by_staging(self):
        job = mpiexec("--explain=json", "-n", 2, *NAMESPACES, PROGRAM, "long", 1 << 20)
        self.ends_well(job)
        self.assertEqual(self.ways(job).get("cma", 0), 0, job.err)
        self.assertGreaterEqual(self.ways(job).get("pipelined", 0), 20, job.err)
        self.assertTrue(any("process-id namespace" in words for words in self.why(job)), self.why(job))

    def test_one_rank_in_its_own(self):
        job = mpiexec("--explain=json", "-n", 1, *NAMESPACES, PROGRAM, "long", 1 << 20, ":", "-n", 1, PROGRAM, "long", 1 << 20)
        self.ends_well(job)
        self.assertGreaterEqual(self.ways(job).get("pipelined", 0), 10, job.err)


class ShortMemory(Faults):
    def fails_with(self, done, *texts):
        code = done.returncode if hasattr(done, "returncode") else done.code
        err = done.stderr if hasattr(done, "stderr") else done.err
        self.assertGreater(code, 0, f"died of a signal: {err}")
        self.assertLess(code, 128, f"died of a signal: {err}")
        for text in texts:
            self.assertIn(text, err)

    @unittest.skipIf(re.search(r"lib[at]san", subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout),
                     "address space is what this sanitizer needs")
    def test_too_little_address_space_is_named_with_its_limit(self):
        job = mpiexec("-n", 8, "sh", "-c", f"ulimit -v 100000; exec {PROGRAM} size")
        self.fails_with(job, "ulimit -v")

    def test_a_small_limit_on_file_sizes_is_named_by_mpiexec(self):
        done = subprocess.run([launch.MPIEXEC, "-n", "2", PROGRAM, "size"], capture_output=True, text=True, timeout=600,
                              env=CLEAN, preexec_fn=limited(resource.RLIMIT_FSIZE, 1 << 20))
        self.fails_with(done, "ulimit -f")

    def test_a_small_limit_on_file_sizes_is_named_by_a_program_alone(self):
        done = alone("size", preexec_fn=limited(resource.RLIMIT_FSIZE, 1 << 20))
        self.fails_with(done, "ulimit -f")

    def test_a_small_limit_on_file_sizes_for_ranks_alone_harms_nobody(self):
        self.ends_well(mpiexec("-n", 2, "sh", "-c", f"ulimit -f 1; exec {PROGRAM} long {1 << 20}"))

    def test_memory_refused_at_the_start_is_named(self):
        job = mpiexec("-n", 2, REFUSING, "fallocate,madvise", PROGRAM, "size")
        self.fails_with(job, "does not let this process reserve memory", "system call filter")

    def test_memory_refused_while_the_job_runs_is_named_and_ends_the_job(self):
        for bytes_ in (8, 1 << 20):
            with self.subTest(bytes_):
                job = mpiexec("-n", 2, PROGRAM, "refused", bytes_, seconds=100, env={**CLEAN, "BATON_CMA": "0"})
                if bytes_ == 8 and job.code == 0:
                    continue  # the ring had memory already
                self.assertNotEqual(job.code, 124, "the job hung: " + job.err)
                self.fails_with(job, "message buffers")


class Flow(Faults):
    def test_full_rings_and_staging_lose_nothing_while_the_receiver_sleeps(self):
        for cma in ("1", "0"):
            with self.subTest(cma):
                self.ends_well(mpiexec("-n", 2, PROGRAM, "asleep", 100000, env={**CLEAN, "BATON_CMA": cma}))

    def test_a_flood_of_unexpected_messages_is_bounded(self):
        messages = 200000
        job = mpiexec("-n", 2, PROGRAM, "flood", messages, seconds=1200)
        self.ends_well(job)
        grown = int(re.search(r"grew by (-?\d+) KiB", job.out)[1])
        # unexpected_bytes_max (1 MiB) of payload and the ring; beyond it an envelope a message.
        self.assertLess(grown, 4096 + messages * 160 // 1024)
        self.assertLess(grown, messages // 4, "a quarter of what was sent")


class Dying(Faults):
    def test_a_rank_that_leaves_without_finalizing_ends_the_job(self):
        for code in (0, 3):
            with self.subTest(code):
                job = mpiexec("-n", 3, PROGRAM, "leave", code)
                self.assertEqual(job.code, code or 1, job.err)
                self.assertIn("rank 2", job.err)

    def test_abort_gives_its_code(self):
        job = mpiexec("-n", 3, PROGRAM, "abort", 42)
        self.assertEqual(job.code, 42, job.err)
        self.assertRegex(job.err, "rank 2.*MPI_Abort with code 42")

    def test_a_segmentation_fault_is_named_with_its_rank(self):
        job = mpiexec("-n", 3, PROGRAM, "signal", int(signal.SIGSEGV))
        self.assertEqual(job.code, 128 + signal.SIGSEGV, job.err)
        self.assertRegex(job.err, "rank 2.*segmentation fault")

    def test_a_wrong_argument_names_argument_and_remedy(self):
        job = mpiexec("-n", 2, PROGRAM, "rank", 17)
        self.assertNotEqual(job.code, 0)
        self.assertRegex(job.err, r"rank 1: MPI_Send: argument 4 \(dest\): rank 17 is not in this communicator of 2 "
                                  r"ranks \[MPI_ERR_RANK\]")

    def test_a_message_longer_than_its_receive_names_both_lengths(self):
        job = mpiexec("-n", 2, PROGRAM, "truncate")
        self.assertNotEqual(job.code, 0)
        self.assertRegex(job.err, r"rank 1: MPI_Recv.*8.*2.*MPI_ERR_TRUNCATE")

    def test_a_closed_standard_output_does_not_hang_the_job(self):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen([launch.MPIEXEC, "--timeout", "600", "-n", "2", PROGRAM, "size"], stdout=write,
                                   stderr=subprocess.PIPE, text=True, env=CLEAN, stdin=subprocess.DEVNULL)
        os.close(write)
        _, err = process.communicate(timeout=800)
        self.assertNotEqual(process.returncode, 124, err)
        self.assertNotEqual(process.returncode, 0, "what was printed was lost, and nobody said so")

    def test_standard_output_closed_from_the_start_is_no_reason_to_fail(self):
        done = subprocess.run(f"exec {launch.MPIEXEC} --timeout 60 -n 2 {PROGRAM} wake 5 >&-", shell=True, timeout=800,
                              stderr=subprocess.PIPE, text=True, env=CLEAN, stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 124, done.stderr)
        self.assertNotIn("signal", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
