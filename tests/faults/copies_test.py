#!/usr/bin/env python3
"""Copies that go wrong, on every way a message may take: receives too short, ranks that die in the middle, buffers
that are gone, kernels that forbid. Usage: copies_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from faults_test import CLEAN, Faults, REFUSING, launch, mpiexec

PROGRAM = os.path.join(launch.PROGRAMS, "copy_program")
GENERAL = os.path.join(launch.PROGRAMS, "fault_program")
# Each way by its settings, and where its buffers come from.
WAYS = {
    "pulled": ({"BATON_OBSERVE": "0", "BATON_RECEIVER_INITIATED": "0"}, []),
    "receiver_initiated": ({"BATON_OBSERVE": "0", "BATON_PUSH_BYTES_MIN": "1"}, []),
    "pipelined": ({"BATON_CMA": "0"}, []),
    "staged late": ({"BATON_CMA": "0", "BATON_PIPELINE_EARLY": "0"}, []),
    "exported": ({"BATON_OBSERVE": "0", "BATON_RECEIVER_INITIATED": "0"}, ["exported"]),
    "exported, redirected": ({"BATON_OBSERVE": "0"}, ["exported"]),
    "as observed": ({}, []),
}
OWN_USER_NAMESPACE = ["unshare", "--user", "--map-root-user"]


class Copies(Faults):
    def on_each_way(self, check):
        for name, (settings, memory) in WAYS.items():
            with self.subTest(name):
                check({**CLEAN, **settings}, memory)

    def test_a_receive_that_is_too_short_is_an_error_and_the_next_message_is_whole(self):
        self.on_each_way(lambda env, memory: self.ends_well(mpiexec("-n", 2, PROGRAM, "cut", *memory, env=env)))

    def test_a_rank_that_is_killed_in_the_middle_of_a_copy_ends_the_job(self):
        for victim in (0, 1):
            self.on_each_way(lambda env, memory: self.kill_one(env, memory, victim))

    def kill_one(self, env, memory, victim):
        process = subprocess.Popen([launch.MPIEXEC, "--timeout", "300", "-n", "2", PROGRAM, "exchange", *memory],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                                   stdin=subprocess.DEVNULL)
        try:
            pids = dict(re.search(r"rank (\d) is process (\d+)", process.stdout.readline()).groups() for _ in range(2))
            time.sleep(random.random() / 10)
            os.kill(int(pids[str(victim)]), signal.SIGKILL)
            _, err = process.communicate(timeout=400)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)
        self.assertIn(f"rank {victim}", err)
        for pid in pids.values():
            self.assertFalse(os.path.exists(f"/proc/{pid}"), "a rank is left behind")

    def test_a_buffer_that_is_gone_ends_the_job_with_words(self):
        self.on_each_way(self.lose_buffer)

    def lose_buffer(self, env, memory):
        if memory:
            return  # what MPI_Free_mem takes back stays mapped at the other side
        for whose, victim in (("sender", 0), ("receiver", 1)):
            job = mpiexec("-n", 2, PROGRAM, "unmapped", whose, seconds=200, env=env)
            self.assertRegex(job.err, f"rank {victim}.*segmentation fault")
            self.assertEqual(job.code, 128 + signal.SIGSEGV, job.err)

    @unittest.skipIf(subprocess.run([*OWN_USER_NAMESPACE, "true"], capture_output=True).returncode != 0,
                     "this machine lets nobody make namespaces")
    def test_each_rank_in_a_user_namespace_of_its_own_is_served_by_staging(self):
        job = mpiexec("--explain=json", "-n", 2, *OWN_USER_NAMESPACE, GENERAL, "long", 1 << 20)
        self.ends_well(job)
        self.assertEqual(self.ways(job).get("cma", 0) + self.ways(job).get("receiver_initiated", 0), 0, job.err)
        self.assertTrue(any("CAP_SYS_PTRACE" in words for words in self.why(job)), self.why(job))

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_where_yama_asks_for_it_ranks_permit_the_jobs_processes_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "calls")
            job = mpiexec("-n", 2, "sh", "-c", f"echo parent $PPID; exec strace -e trace=prctl -o {out}.$BATON_RANK "
                          f"{GENERAL} long 100000")
            self.ends_well(job)
            permitted = set()
            for rank in range(2):
                with open(f"{out}.{rank}") as file:
                    permitted |= set(re.findall(r"PR_SET_PTRACER, (\w+)", file.read()))
        self.assertEqual(len(permitted), 1, "not the one launcher")
        self.assertRegex(permitted.pop(), r"^\d+$")

    @unittest.skipUnless(os.path.exists("/proc/sys/kernel/yama/ptrace_scope") and
                         open("/proc/sys/kernel/yama/ptrace_scope").read().strip() == "1", "Yama does not ask for it here")
    def test_cross_memory_attach_works_under_yamas_first_scope(self):
        job = mpiexec("--explain=json", "-n", 2, GENERAL, "long", 1 << 20, env={**CLEAN, "BATON_OBSERVE": "0"})
        self.ends_well(job)
        self.assertGreater(self.ways(job).get("cma", 0) + self.ways(job).get("receiver_initiated", 0), 0, job.err)

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_where_it_is_switched_off_nobody_attaches_though_one_of_the_two_buffers_is_exported(self):
        for whose in ("sender", "receiver"):
            for redirect in ("0", "1"):
                with self.subTest(whose, redirect=redirect), tempfile.TemporaryDirectory() as folder:
                    out = os.path.join(folder, "calls")
                    trace = f"strace -e trace=process_vm_readv,process_vm_writev -o {out}.$BATON_RANK"
                    job = mpiexec("-n", 2, "sh", "-c", f"exec {trace} {PROGRAM} cut {whose}",
                                  env={**CLEAN, "BATON_CMA": "0", "BATON_OBSERVE": "0", "BATON_RECEIVER_INITIATED": redirect})
                    self.ends_well(job)
                    for rank in range(2):
                        with open(f"{out}.{rank}") as file:
                            self.assertNotIn("process_vm", file.read())

    def test_ranks_that_outnumber_the_processors_copy_alone_and_lose_nothing(self):
        self.on_each_way(lambda env, _: self.ends_well(mpiexec("-n", 8, GENERAL, "long", 300000, env=env)))

    def test_a_sender_whose_kernel_refuses_pushes_goes_another_way(self):
        env = {**CLEAN, **WAYS["receiver_initiated"][0]}
        for one in ([], ["rank=0"], ["rank=1"]):
            with self.subTest(one):
                self.ends_well(mpiexec("-n", 2, REFUSING, *one, "process_vm_writev", PROGRAM, "cut", env=env))
                self.ends_well(mpiexec("-n", 2, REFUSING, *one, "process_vm_writev", GENERAL, "long", 1 << 20, env=env))


if __name__ == "__main__":
    unittest.main(verbosity=1)
