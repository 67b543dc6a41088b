#!/usr/bin/env python3
"""Bad ends: of ranks one after the other, of terminals, of mpiexec's own processes, and with what mpiexec relies on
taken away. Each is a clear end, with words, and nothing left. Usage: endings_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import ctypes
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mpiexec_test import (MPIEXEC, PROGRAMS, RANK, WATCHDOG_SECONDS, Job, behind_mount, children, managers,  # noqa: E402
                          processes_with, run, state_of, wait_until)


PROGRAM = os.path.join(PROGRAMS, "end_program")


class OneAfterTheOther(unittest.TestCase):
    """Rank 0 has come to its end with a code of 3; then rank 1 dies while rank 2 waits for it."""

    def dies(self, *how):
        token = uuid.uuid4().hex
        job = run("-n", 3, RANK, "init", "", "only=0", "finalize", "", "only=0", "exit", "3", "sleep", "0.2", "only=1",
                  *how, "sleep", "1000", token)
        self.assertEqual(job.code, 3, job.err)
        self.assertRegex(job.err, "rank 0.*: ended with exit code 3")
        self.assertEqual(processes_with(token), [])
        return job

    def test_a_signal_ends_the_job_all_the_same(self):
        self.assertRegex(self.dies("signal", int(signal.SIGSEGV)).err, r"rank 1.*: segmentation fault \(signal 11\)")

    def test_an_abort_ends_the_job_all_the_same(self):
        self.assertRegex(self.dies("abort", "9").err, "rank 1.*: called MPI_Abort with code 9")

    def test_an_exit_code_without_finalize_ends_the_job_all_the_same(self):
        self.assertRegex(self.dies("exit", "5").err, "rank 1.*: ended with exit code 5")

    def test_an_end_without_finalize_ends_the_job_all_the_same(self):
        self.assertRegex(self.dies("exit", "0").err, "rank 1.*: ended without calling MPI_Finalize")

    def test_of_many_harmless_codes_the_first_is_told(self):
        job = run("-n", 4, RANK, "init", "", "finalize", "", "exit", "3")
        self.assertEqual(job.code, 3)
        self.assertEqual(job.err.count("mpiexec:"), 1, job.err)

    def test_an_abort_after_an_error_is_not_called_mpi_abort(self):
        job = run("-n", 1, RANK, "init", "", "abort_after_error", "15")
        self.assertEqual(job.code, 15)
        self.assertNotIn("called MPI_Abort", job.err)
        self.assertIn("after an error", job.err)


class OfMpiPrograms(unittest.TestCase):
    """The same, of programs that call MPI_Init or use sessions."""

    def end(self, *words, ranks=3):
        return run("--timeout", WATCHDOG_SECONDS, "-n", ranks, PROGRAM, *words)

    def test_one_after_the_other_ends_the_job_and_both_are_told(self):
        for model in ("world", "sessions"):
            for how, told in (("segfault", r"segmentation fault \(signal 11\)"), ("mpi_abort", "called MPI_Abort with code 9"),
                              ("return", "ended with exit code 5")):
                with self.subTest(how, model=model):
                    job = self.end("then_" + how, model)
                    self.assertEqual(job.code, 3, job.err)
                    self.assertRegex(job.err, "mpiexec: rank 0.*: ended with exit code 3")
                    self.assertRegex(job.err, f"mpiexec: rank 1.*: {told}")
                    self.assertNotIn("--timeout", job.err)

    def test_a_code_between_two_sessions_ends_those_that_begin_the_next(self):
        job = self.end("between", "sessions")
        self.assertEqual(job.code, 3, job.err)
        self.assertRegex(job.err, "mpiexec: rank 0.*: it has ended, and rank [12] has begun another session")
        self.assertNotIn("--timeout", job.err)

    def test_a_code_after_the_last_session_lets_the_others_finish(self):
        job = self.end("last", "sessions")
        self.assertEqual((job.code, sorted(job.out.split())), (3, ["finished"] * 2), job.err)

    def test_an_error_is_not_called_mpi_abort(self):
        job = self.end("error")
        self.assertNotIn(job.code, (0, 124))
        self.assertRegex(job.err, r"baton: rank 1: MPI_Send: .*rank 99.*\nmpiexec: rank 1.*: ended the job after an error")
        self.assertNotIn("MPI_Abort", job.err)

    def test_a_users_signal_with_a_handler_harms_nobody(self):
        job = Job("--timeout", WATCHDOG_SECONDS, "-n", 2, PROGRAM, "user_signal")
        self.assertEqual([job.process.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
        job.process.send_signal(signal.SIGUSR1)
        self.assertEqual((job.end().code, job.err), (0, ""))


class Terminals(unittest.TestCase):
    def leader(self, *words):
        """mpiexec as the leader of a session with a terminal of its own. Its process id and the terminal's other end."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(MPIEXEC, [MPIEXEC, *map(str, words)])
        self.addCleanup(self.end, pid)
        return pid, terminal

    def end(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def test_a_terminal_that_goes_away_ends_the_job(self):
        token = uuid.uuid4().hex
        pid, terminal = self.leader("-n", 2, RANK, "sleep", "1000", token)
        wait_until(lambda: len(processes_with(token)) == 4, "the ranks did not start")
        os.close(terminal)
        wait_until(lambda: not processes_with(token), "the job outlived its terminal")

    def test_a_terminals_interrupt_ends_the_job(self):
        token = uuid.uuid4().hex
        pid, terminal = self.leader("-n", 2, RANK, "sleep", "1000", token)
        self.addCleanup(os.close, terminal)
        wait_until(lambda: len(processes_with(token)) == 4, "the ranks did not start")
        os.write(terminal, b"\x03")
        wait_until(lambda: not processes_with(token), "the job outlived Ctrl-C")

    def read_until(self, terminal, text):
        seen = b""
        while text not in seen:
            if not select.select([terminal], [], [], WATCHDOG_SECONDS)[0]:
                break
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break  # the other end is closed
        self.assertIn(text, seen)

    def test_ctrl_z_stops_the_whole_job_and_fg_lets_it_go_on(self):
        token = uuid.uuid4().hex
        script = f"'{MPIEXEC}' -n 2 '{RANK}' sleep 4 line {token}; echo st''opped; read line; fg; echo code $?"
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvp("bash", ["bash", "-mc", script])
        self.addCleanup(os.close, terminal)
        self.addCleanup(self.end, pid)

        def job():
            return [one for one in processes_with(token) if one != pid]
        wait_until(lambda: len(job()) == 4, "the ranks did not start")
        os.write(terminal, b"\x1a")
        self.read_until(terminal, b"stopped")

        def states():  # but of the manager, which goes on and watches
            watching = [child for parent in job() for child in managers(parent)]
            return {state_of(one) for one in job() if one not in watching} - {"gone"}
        wait_until(lambda: states() == {"T"}, f"not all are stopped: {states()}")
        os.write(terminal, b"\n")
        self.read_until(terminal, b"code 0")
        self.assertEqual(job(), [])

    def test_rank_0_reads_the_terminal(self):
        pid, terminal = self.leader("-l", "-n", 2, "cat")
        self.addCleanup(os.close, terminal)
        os.write(terminal, b"typed\n\x04")
        self.read_until(terminal, b"[0] typed")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)

    def stays(self, ignored, sent):
        token = uuid.uuid4().hex
        job = subprocess.Popen([MPIEXEC, "-n", "2", RANK, "sleep", "1000", token], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                               preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored])
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        wait_until(lambda: len(processes_with(token)) == 4, "the ranks did not start")
        for number in sent:
            os.killpg(job.pid, number)
        time.sleep(0.3)
        self.assertEqual(len(processes_with(token)), 4, "a signal that is ignored ended the job")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(WATCHDOG_SECONDS), 128 + signal.SIGTERM)
        self.assertEqual(processes_with(token), [])

    def test_nohup_is_respected(self):
        self.stays([signal.SIGHUP], [signal.SIGHUP])

    def test_a_background_job_of_a_script_ignores_the_terminals_keys(self):
        self.stays([signal.SIGINT, signal.SIGQUIT], [signal.SIGINT, signal.SIGQUIT])


class Descriptors(unittest.TestCase):
    def test_closed_standard_descriptors_are_nobodys_file(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed), tempfile.TemporaryDirectory() as folder:
                script = f"ls -l /proc/$$/fd > {folder}/$BATON_RANK"
                done = subprocess.run(f"exec '{MPIEXEC}' -n 2 sh -c '{script}' {closed}", shell=True,
                                      stdin=subprocess.DEVNULL, timeout=WATCHDOG_SECONDS)
                self.assertEqual(done.returncode, 0)
                for rank in "01":
                    with open(os.path.join(folder, rank)) as file:
                        for line in file:
                            name, _, target = line.partition(" -> ")
                            if name.split()[-1:] in (["0"], ["1"], ["2"]):
                                self.assertNotIn("memfd", target)


def run_to_files(words):
    """Code and standard error; what outlives the job may keep both open."""
    with tempfile.TemporaryFile("w+") as error:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=error,
                              timeout=WATCHDOG_SECONDS)
        error.seek(0)
        return done.returncode, error.read()


class TakenAway(unittest.TestCase):
    def test_without_proc_all_ranks_are_killed(self):
        hidden = behind_mount("none /proc")
        token = uuid.uuid4().hex
        code, error = run_to_files([*hidden, MPIEXEC, "-n", "3", RANK, "ignore", str(int(signal.SIGTERM)), "only=1",
                                    "exit", "5", "sleep", "1000", token])
        self.assertEqual(code, 5, error)
        self.assertEqual(processes_with(token), [])

    def test_without_proc_what_cannot_be_found_is_said(self):
        hidden = behind_mount("none /proc")
        token = uuid.uuid4().hex
        code, error = run_to_files([*hidden, MPIEXEC, "-n", "1", "sh", "-c",
                                    f"setsid sh -c 'sleep 1000; : {token}' & exit 5"])
        for pid in processes_with(token):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(code, 5, error)
        self.assertIn("/proc", error)

    def test_a_stray_store_over_the_jobs_header_leads_nobody_astray(self):
        for byte in (0, 1, 255):
            with self.subTest(byte):
                token = uuid.uuid4().hex
                job = run("--explain", "--memory-report", "-n", 3, RANK, "init", "", "only=1", "sleep", "0.3", "only=1", "scribble", byte, "only=1", "exit",
                          "6", "sleep", "1000", token)
                self.assertIn(job.code, (1, 6), job.err)  # 1: the store looks like an abort, or a missing end
                self.assertIn("mpiexec: rank 1", job.err)
                self.assertEqual(processes_with(token), [])

    def test_a_child_of_another_user_is_named_and_mpiexec_ends(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make a program that becomes another user")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = os.path.join(folder, "becomes_root")
            shutil.copy(RANK, program)
            os.chmod(program, 0o4755)
            token = uuid.uuid4().hex
            # Not the folder of the build: others may not enter it.
            code, error = run_to_files(["setpriv", "--reuid", "12345", "--clear-groups", "--regid", "12345",
                                        shutil.copy(MPIEXEC, folder), "-n", "2", program, "only=0", "user", "0", "sleep",
                                        "0.2", "only=1", "exit", "5", "sleep", "1000", token])
            left = processes_with(token)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            self.assertEqual(code, 5, error)
            self.assertEqual(len(left), 1, "the test's program did not become root")
            self.assertIn(f"could not end process {left[0]}, which became another user's", error)


class KilledForMemory(unittest.TestCase):
    FOLDER = "/sys/fs/cgroup/memory"  # version 1, or

    def setUp(self):
        """A control group of our own with 64 MiB."""
        if not os.path.isdir(self.FOLDER):
            self.FOLDER = "/sys/fs/cgroup"
        self.group = os.path.join(self.FOLDER, "baton-test-" + uuid.uuid4().hex)
        limit = "memory.limit_in_bytes" if self.FOLDER.endswith("memory") else "memory.max"
        try:
            os.mkdir(self.group)
            self.addCleanup(os.rmdir, self.group)
            with open(os.path.join(self.group, limit), "w") as file:
                file.write(str(64 << 20))
        except OSError as error:
            self.skipTest(f"no control group can be made here: {error}")

    def test_the_limit_is_named(self):
        def enter():
            with open(os.path.join(self.group, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))
        job = run("-n", 2, RANK, "only=1", "memory", 1 << 10, "sleep", "20", before=enter)
        self.assertEqual(job.code, 128 + signal.SIGKILL, job.err)
        self.assertRegex(job.err, r"rank 1.*: killed \(signal 9\): out of memory")

    def test_another_kill_is_not_taken_for_it(self):
        job = run("-n", 2, RANK, "only=1", "signal", int(signal.SIGKILL), "sleep", "20")
        self.assertNotIn("memory", job.err)


class Managers(unittest.TestCase):
    def start(self, *options):
        token = uuid.uuid4().hex
        job = Job(*options, "-n", 2, RANK, "init", "", "sleep", "1000", token)
        wait_until(lambda: len(processes_with(token)) == 4, "the ranks did not start")
        return job, token, managers(job.process.pid)[0]

    def test_when_all_are_killed_at_once_nothing_that_ranks_have_started_stays(self):
        token = uuid.uuid4().hex
        job = Job("-n", 2, "sh", "-c", f"sh -c 'sleep 1000; : {token}' & wait")
        wait_until(lambda: len(processes_with(token)) == 6, "the ranks did not start")
        wait_until(lambda: children(job.process.pid, "baton-sweeper"), "there is no sweeper")
        sweepers = children(job.process.pid, "baton-sweeper")
        os.killpg(job.process.pid, signal.SIGKILL)
        wait_until(lambda: not processes_with(token), "what ranks have started stays")
        wait_until(lambda: state_of(sweepers[0]) in ("gone", "Z", "X"), "the sweeper stays")
        job.end()

    def test_a_stopped_manager_still_obeys(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            job, token, manager = self.start()
            os.kill(manager, signal.SIGSTOP)
            job.process.send_signal(number)
            self.assertEqual(job.end().code, 128 + number)
            self.assertEqual(processes_with(token), [])

    def test_a_stopped_rank_is_ended(self):
        job, token, manager = self.start()
        os.kill(children(manager)[0], signal.SIGSTOP)
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end().code, 128 + signal.SIGTERM)
        self.assertEqual(processes_with(token), [])

    def stopped_while_it_starts(self, *options):
        """A job whose manager is stopped before it has started all ranks."""
        for _ in range(100):
            token = uuid.uuid4().hex
            job = Job(*options, "-n", 200, RANK, "sleep", "1000", token)
            wait_until(lambda: managers(job.process.pid), "there is no manager")
            os.kill(managers(job.process.pid)[0], signal.SIGSTOP)
            time.sleep(0.01)
            if len(processes_with(token)) < 202:
                return job, token
            os.killpg(job.process.pid, signal.SIGKILL)
            job.end()
        self.fail("the manager was never stopped in time")

    def test_one_that_is_stopped_while_it_starts_ranks_makes_nobody_deaf(self):
        job, token = self.stopped_while_it_starts()
        job.process.send_signal(signal.SIGTERM)
        self.assertEqual(job.end().code, 128 + signal.SIGTERM)
        self.assertEqual(processes_with(token), [])

    def test_the_time_limit_holds_while_the_manager_is_stopped(self):
        job, token = self.stopped_while_it_starts("--timeout", 1)
        self.assertEqual(job.end().code, 124)
        self.assertEqual(processes_with(token), [])
        job, token, manager = self.start("--timeout", 2)
        os.kill(manager, signal.SIGSTOP)
        self.assertEqual(job.end().code, 124)
        self.assertIn("--timeout", job.err)
        self.assertEqual(processes_with(token), [])

    def hold(self, manager):
        """Stops it for good, as a debugger does: only SIGKILL reaches it. Returns what waits for its end, as it must."""
        attach = 16
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        if ptrace(attach, manager, None, None) != 0:
            self.skipTest(f"no process can be held here: {os.strerror(ctypes.get_errno())}")
        os.waitpid(manager, 0)

        def wait_for_end():
            end = time.monotonic() + WATCHDOG_SECONDS
            while time.monotonic() < end and os.waitpid(manager, os.WNOHANG)[0] == 0:
                time.sleep(0.05)
        return wait_for_end

    def test_a_second_signal_ends_one_that_is_stuck(self):
        job, token, manager = self.start()
        wait_for_end = self.hold(manager)
        job.process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        job.process.send_signal(signal.SIGTERM)
        wait_for_end()
        self.assertEqual(job.end().code, 128 + signal.SIGINT)
        self.assertIn("the process manager did not end the job in time", job.err)
        self.assertEqual(processes_with(token), [])

    def test_the_time_limit_ends_one_that_is_stuck(self):
        job, token, manager = self.start("--timeout", 2)
        wait_for_end = self.hold(manager)
        self.assertEqual(job.end().code, 124)  # though whoever holds it does not let its body go
        wait_for_end()
        self.assertIn("the process manager did not end the job in time", job.err)
        self.assertEqual(processes_with(token), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
