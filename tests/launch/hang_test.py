#!/usr/bin/env python3
"""Where a job hangs: mpiexec and `baton stat` tell the call of each rank and who waits for whom, at no cost before.
Usage: hang_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import concurrent.futures
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mpiexec_test import (BIN, MPIEXEC, PROGRAMS, RANK, WATCHDOG_SECONDS, Job, children, managers, processes_with, run,  # noqa: E402
                          wait_until)

PROGRAM = os.path.join(PROGRAMS, "hang_program")
END_PROGRAM = os.path.join(PROGRAMS, "end_program")
BATON = os.path.join(BIN, "baton")


def stat(*words):
    return subprocess.run([BATON, "stat", *map(str, words)], capture_output=True, text=True, timeout=WATCHDOG_SECONDS)


class Hangs(unittest.TestCase):
    def start(self, how, *options, ranks=4):
        job = Job("--timeout", WATCHDOG_SECONDS, *options, "-n", ranks, PROGRAM, how)
        self.addCleanup(job.end)
        self.addCleanup(job.process.terminate)
        return job

    def told(self, job, *patterns, **patience):
        """What `baton stat` says, once it says all of these."""
        texts = [""]

        def all_there():
            texts.append(stat(job.process.pid).stdout)
            return all(re.search(pattern, texts[-1]) for pattern in patterns)
        wait_until(all_there, f"not told: {patterns}", **patience)
        return texts[-1]

    def test_receives_in_a_cycle_are_a_deadlock(self):
        text = self.told(self.start("cycle"),
                         r"rank 0 \(process \d+\): MPI_Recv for [\d.]+ s: a receive of up to 16 bytes from rank 1, tag 7 on "
                         r"MPI_COMM_WORLD; waits for rank 1\n", r"rank 3 .*; waits for rank 0\n",
                         "deadlock: ranks 0-3 wait for each other only")
        self.assertNotIn("depend on", text)

    def test_a_collective_tells_who_is_missing_and_what_these_do(self):
        self.told(self.start("absent"), r"MPI_Barrier for [\d.]+ s: call \d+ on MPI_COMM_WORLD",
                  r"rank 1 .*: running outside MPI, or testing again and again \(\d+ % of a CPU\)",
                  r"rank 2 .*: sleeping in the system call clock_nanosleep",
                  r"MPI_Barrier, call \d+ on MPI_COMM_WORLD: ranks 0,3 have entered it, ranks 1-2 not",
                  "all waiting ranks depend on ranks 1-2")

    def test_collectives_of_other_communicators_and_long_sends_are_told(self):
        self.told(self.start("half"), r"rank 0 .*: MPI_Allreduce for [\d.]+ s: call \d+ on halves, 8 bytes a rank; waits for rank 2",
                  r"rank 2 .*: MPI_Send for [\d.]+ s: a send of 16777216 bytes to rank 3, tag 5 on MPI_COMM_WORLD; waits for rank 3",
                  r"ranks 1,3: MPI_Recv .* from rank 0, tag 1")

    def test_waits_for_several_requests_and_probes_are_told(self):
        self.told(self.start("requests"), r"rank 0 .*: MPI_Probe for [\d.]+ s: a message from rank 3, tag 9 on MPI_COMM_WORLD",
                  r"rank 1 .*: MPI_Waitany for [\d.]+ s: any of 2 requests, the first: a receive of up to 4 bytes from any rank, tag 1",
                  r"rank 2 .*: MPI_Waitall for [\d.]+ s: a receive",
                  r"rank 3 .*: MPI_Wait for [\d.]+ s: MPI_Ibarrier, call \d+ on MPI_COMM_WORLD")

    def test_a_thread_that_waits_is_told(self):
        self.told(self.start("threads", ranks=2), r"rank 1 .*: MPI_Recv for .* from rank 0, tag 77 on MPI_COMM_WORLD",
                  "deadlock: ranks 0-1 wait for each other only, unless other threads of theirs serve them")

    def test_a_stopped_rank_is_told_apart(self):
        job = self.start("cycle")
        self.told(job, "deadlock")
        ranks = children(managers(job.process.pid)[0])
        os.kill(ranks[2], signal.SIGSTOP)
        self.told(job, rf"rank 2 \(process {ranks[2]}\): MPI_Recv .*; stopped \(kill -CONT lets it go on\)")

    def test_the_same_as_json(self):
        job = self.start("cycle")
        self.told(job, "deadlock")
        found = json.loads(stat(job.process.pid, "--json").stdout)
        self.assertEqual((found["mpiexec"], found["deadlock"]), (job.process.pid, [0, 1, 2, 3]))
        self.assertEqual(found["ranks"][1]["wait"]["procedure"], "MPI_Recv")
        self.assertEqual(found["ranks"][1]["wait"]["for"], [2])

    def test_an_unknown_job_is_refused_with_those_that_there_are(self):
        job = self.start("cycle")
        self.told(job, "deadlock")
        done = stat(1)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"1 is no process of a job here; there are\n(.*\n)*  {job.process.pid}  .*hang_program cycle")

    def test_a_ranks_process_id_names_its_job_and_of_several_it_must_be_said_which(self):
        first, second = self.start("cycle", ranks=2), self.start("absent", ranks=3)
        for job in (first, second):
            self.told(job, "MPI_")
            for rank in children(managers(job.process.pid)[0]):
                self.assertRegex(stat(rank).stdout, rf"^job {job.process.pid}, ")
        done = stat()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^baton stat: \d+ jobs run here; say which\n")
        for job, how in ((first, "cycle"), (second, "absent")):
            self.assertRegex(done.stderr, rf"\n  {job.process.pid}  .*hang_program {how}\n")

    def test_a_wait_for_very_many_is_no_deadlock_of_those_that_could_be_named(self):
        text = self.told(self.start("many", ranks=36), r"rank 0 .*: MPI_Waitany for ([2-9]|\d\d)[\d.]* s: any of 2 requests",
                         r"ranks 1-33,35: MPI_Recv for ([2-9]|\d\d)[\d.]* s", seconds=WATCHDOG_SECONDS)
        self.assertIn(" and others", text)
        self.assertNotIn("deadlock", text)

    def test_a_file_of_another_that_is_called_as_a_jobs_memory_is_passed_over(self):
        others = [os.memfd_create("baton-job") for _ in range(3)]
        job = subprocess.Popen([MPIEXEC, "--timeout", str(WATCHDOG_SECONDS), "-n", "2", PROGRAM, "cycle"],
                               stderr=subprocess.DEVNULL, pass_fds=others)
        self.addCleanup(job.wait)
        self.addCleanup(job.terminate)
        for other in others:
            os.close(other)
        wait_until(lambda: f"job {job.pid}, 2 ranks" in stat(job.pid).stdout, "baton stat does not find the job")

    def scribbled(self, *how):
        """What mpiexec says when it is asked for the ranks, and `baton stat`, while the board holds what `how` says."""
        token = uuid.uuid4().hex
        job = Job("--timeout", 2, "-n", 3, RANK, "init", "", "sleep", "0.2", "only=1", *how, "sleep", "1000", token)
        self.addCleanup(job.end)
        self.addCleanup(job.process.terminate)
        wait_until(lambda: len(processes_with(token)) == 5, "the ranks did not start")
        time.sleep(0.5)
        job.process.send_signal(signal.SIGQUIT)
        asked = [stat(), stat(job.process.pid), stat(job.process.pid, "--json")]
        self.assertEqual(job.end().code, 124, job.err)
        self.assertEqual(job.err.count("the ranks are here:"), 2, job.err)
        for done in asked:
            self.assertIn(done.returncode, (0, 1), (how, done.stderr))

    def test_a_scribbled_board_leads_nobody_astray(self):
        cases = [(what, byte) for byte in (0, 1, 255) for what in ("scribble", "scribble_rows")]
        cases += [("rows_offset", offset) for offset in (2**64 - 704, 2**64 - 3 * 704 + 4096, 2**40, 4097)]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as at_once:  # they mostly wait
            for ended in [at_once.submit(self.scribbled, *case) for case in cases]:
                ended.result()

    def test_sigquit_asks_and_the_job_goes_on(self):
        job = self.start("cycle")
        self.told(job, "deadlock")
        for _ in range(2):
            job.process.send_signal(signal.SIGQUIT)
            time.sleep(0.5)
        self.assertIsNone(job.process.poll())
        job.process.terminate()
        self.assertEqual(job.end().code, 128 + signal.SIGTERM)
        self.assertEqual(job.err.count("SIGQUIT asks; the ranks are here:"), 2, job.err)
        self.assertIn("deadlock", job.err)

    def test_a_terminals_quit_tells_and_ends(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(MPIEXEC, [MPIEXEC, "--timeout", str(WATCHDOG_SECONDS), "-n", "2", PROGRAM, "cycle"])
        time.sleep(1.5)
        os.write(terminal, b"\x1c")
        text = b""
        try:
            while piece := os.read(terminal, 4096):
                text += piece
        except OSError:
            pass  # the other end is closed
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 128 + signal.SIGQUIT)
        self.assertIn(b"the ranks are here", text)

    def test_a_timeout_tells_before_it_ends_the_job(self):
        job = run("--timeout", 2, "-n", 2, PROGRAM, "cycle")
        self.assertEqual(job.code, 124)
        self.assertIn("ending it; the ranks are here:", job.err)
        self.assertIn("deadlock: ranks 0-1", job.err)

    def test_a_job_that_stands_still_is_told_of_once(self):
        job = run("--timeout", 4, "--hang-after", 1, "-n", 2, PROGRAM, "cycle")
        self.assertEqual(job.err.count("nothing has moved for 1 s (--hang-after)"), 1, job.err)

    def test_nothing_that_moves_can_end_the_job(self):
        job = run("--timeout", WATCHDOG_SECONDS, "--hang-after", "1:end", "-n", 2, PROGRAM, "cycle")
        self.assertEqual(job.code, 124, job.err)
        self.assertIn("nothing has moved for 1 s (--hang-after): ending the job", job.err)
        self.assertNotIn("(--timeout)", job.err)

    def test_a_job_that_computes_does_not_stand_still(self):
        job = run("--timeout", 3, "--hang-after", 1, "-n", 4, PROGRAM, "absent")
        self.assertNotIn("--hang-after", job.err)

    def test_with_check_a_cycle_is_told_where_the_library_cannot_be_sure(self):
        job = run("--timeout", 9, "--check", "-n", 2, PROGRAM, "threads")
        self.assertEqual(job.code, 124, job.err)
        self.assertEqual(job.err.count("ranks have waited only for each other for 5 s (--check)"), 1, job.err)
        self.assertIn("deadlock: ranks 0-1 wait for each other only, unless other threads of theirs serve them", job.err)

    def test_shells_between_and_a_job_without_mpi_are_told_of(self):
        job = Job("-n", 2, "sh", "-c", "sleep 1000; true")
        self.addCleanup(job.end)
        self.addCleanup(job.process.terminate)
        self.told(job, "ranks 0-1: before MPI_Init, sleeping in the system call wait4")
        for shell in children(children(job.process.pid)[0]):
            self.assertRegex(stat(shell).stdout, rf"^job {job.process.pid}, ")


class Crashes(unittest.TestCase):
    def crash(self, how, *before, **more):
        job = run("--timeout", WATCHDOG_SECONDS, "-n", 2, *before, PROGRAM, how, **more)
        self.assertEqual(job.code, 128 + signal.SIGSEGV, job.err)
        self.assertRegex(job.err, r"mpiexec: rank 1.*: segmentation fault \(signal 11\)")
        return job.err

    def test_the_call_and_a_backtrace_are_told(self):
        text = self.crash("crash")
        self.assertRegex(text, r"baton: rank 1: segmentation fault \(signal 11\) at address 0x[0-9a-f]+, process \d+\n"
                         r"baton: rank 1: in MPI_Send; it was here .*:\n(baton: rank 1:   .*\n)*baton: rank 1:   hang_program\+0x")
        self.assertNotIn("on_crash", text)

    def test_a_crash_of_the_program_itself_is_outside_mpi(self):
        text = self.crash("crash_outside")
        self.assertRegex(text, r"at address 0x8, .*\nbaton: rank 1: outside MPI; it was here .*:\nbaton: rank 1:   hang_program\+0x")

    def test_it_can_be_turned_off(self):
        self.assertNotIn("baton: rank 1", self.crash("crash", env={**os.environ, "BATON_CRASH_REPORT": "0"}))

    def test_a_handler_of_the_program_stays(self):
        job = run("-n", 2, PROGRAM, "own_handler")
        self.assertEqual(job.code, 4)
        self.assertIn("the program's own handler", job.err)
        self.assertNotIn("segmentation fault", job.err)

    def end(self, how, number):
        job = run("--timeout", WATCHDOG_SECONDS, "-n", 2, END_PROGRAM, how)
        self.assertEqual(job.code, 128 + number, job.err)
        self.assertRegex(job.err, rf"mpiexec: rank 1.*\(signal {int(number)}\)")
        return job.err

    def test_every_kind_of_crash_is_told_with_its_call(self):
        for how, number in (("abort", signal.SIGABRT), ("divide", signal.SIGFPE), ("bus", signal.SIGBUS),
                            ("overflow", signal.SIGSEGV)):
            with self.subTest(how):
                self.assertRegex(self.end(how, number), rf"baton: rank 1: .*\(signal {int(number)}\).*, process \d+\n"
                                 r"baton: rank 1: in MPI_Reduce_local; it was here .*:\nbaton: rank 1:   ")

    def test_a_handler_that_comes_after_mpi_init_stays(self):
        job = run("--timeout", WATCHDOG_SECONDS, "-n", 2, END_PROGRAM, "own_handler")
        self.assertEqual(job.code, 4, job.err)
        self.assertIn("the program's own handler", job.err)
        self.assertNotIn("segmentation fault", job.err)

    def test_a_later_handler_that_passes_the_crash_on_ends_with_it(self):
        job = run("--timeout", 5, "-n", 2, END_PROGRAM, "passes_on")
        self.assertEqual(job.code, 128 + signal.SIGSEGV, job.err[-1000:])
        self.assertEqual(job.err.count("baton: rank 1: in MPI_Reduce_local"), 1)

    def test_a_crash_that_holds_a_lock_ends_where_the_alarm_is_held_back(self):
        self.assertRegex(self.end("locked", signal.SIGSEGV), r"baton: rank 1: segmentation fault \(signal 11\)")

    def test_the_core_file_still_comes(self):
        with open("/proc/sys/kernel/core_pattern") as file:
            pattern = file.read().strip()
        if pattern.startswith("|") or "/" in pattern:
            self.skipTest(f"core files go to {pattern} here")
        with tempfile.TemporaryDirectory() as folder:
            job = run("--timeout", WATCHDOG_SECONDS, "-wdir", folder, "-n", 2, PROGRAM, "crash", before=lambda:
                      resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
            self.assertIn("core dumped", job.err)
            self.assertTrue([name for name in os.listdir(folder) if name.startswith("core")])


if __name__ == "__main__":
    unittest.main(verbosity=1)
