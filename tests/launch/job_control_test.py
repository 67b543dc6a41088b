#!/usr/bin/env python3
"""Whether a terminal's keys, a shell's job control and signals to mpiexec's process group reach ranks that lead sessions
of their own. Usage: job_control_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import unittest
import uuid

from mpiexec_test import MPIEXEC, WATCHDOG_SECONDS, managers, processes_with, state_of, wait_until

# Each rank says what it gets, and in which session it is.
RANK = """
import os, signal, sys, time
def say(text): os.write(1, (f"rank {os.environ['BATON_RANK']} {text}" + chr(10)).encode())
for word in sys.argv[2:]:
    if word.startswith("-"):
        signal.signal(int(word[1:]), signal.SIG_IGN)
    else:
        def handler(number, frame):
            say(f"got {number}")
            if number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM): os._exit(0)
        signal.signal(int(word), handler)
say(f"runs in {'its own' if os.getsid(0) == os.getpid() else 'another'} session")
end = time.monotonic() + 300
while time.monotonic() < end: time.sleep(1)
"""
READER = """
import os, sys, time
os.write(1, (f"rank {os.environ['BATON_RANK']} runs" + chr(10)).encode())
if os.environ["BATON_RANK"] == "0": print("read", sys.stdin.readline().strip().upper(), flush=True)
else: time.sleep(float(sys.argv[2]))
"""


class Base(unittest.TestCase):
    def setUp(self):
        self.token = uuid.uuid4().hex
        self.seen = b""

    def words(self, *more, program=RANK, ranks=2):
        return [MPIEXEC, "-n", str(ranks), sys.executable, "-S", "-c", program, self.token, *map(str, more)]

    def end(self, pid):
        for one in {pid, *processes_with(self.token)}:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass

    def on_terminal(self, words, stdin=None):
        """A session with a terminal; `stdin`: a file instead of the terminal."""
        pid, self.terminal = pty.fork()
        if pid == 0:
            if stdin:
                os.dup2(os.open(stdin, os.O_RDONLY), 0)
            os.execvp(words[0], words)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.end, pid)
        return pid

    def read_until(self, *texts):
        for text in texts:
            while text.encode() not in self.seen:
                self.assertTrue(select.select([self.terminal], [], [], WATCHDOG_SECONDS)[0], (text, self.seen))
                try:
                    self.seen += os.read(self.terminal, 4096)
                except OSError:
                    self.fail((text, self.seen))

    def job(self):
        return [one for one in processes_with(self.token) if one != self.shell]

    def states(self):
        """But of the manager, which goes on and watches."""
        job = self.job()
        return {state_of(one) for one in job if one not in [child for parent in job for child in managers(parent)]}

    def on_shell(self, script, *more, program=RANK, options=()):
        """In an interactive shell's job control, as $mpiexec."""
        words = self.words(*more, program=program)
        command = shlex.join([words[0], *options, *words[1:]])
        self.shell = 0
        self.shell = self.on_terminal(["bash", "-mc", script.replace("$mpiexec", command)])


class Sessions(Base):
    def test_each_rank_leads_a_session_but_the_one_that_reads_the_terminal(self):
        self.on_terminal(self.words())
        self.read_until("rank 0 runs in another session", "rank 1 runs in its own session")

    def test_where_nobody_reads_a_terminal_all_lead_one(self):
        self.on_terminal(self.words(), stdin="/dev/null")
        self.read_until("rank 0 runs in its own session", "rank 1 runs in its own session")
        self.on_terminal([MPIEXEC, "--stdin", "all", *self.words()[1:]])
        self.seen = b""
        self.read_until("rank 0 runs in its own session", "rank 1 runs in its own session")


class Keys(Base):
    def press(self, key, number, *more, stdin=None):
        """What ranks tell before they are killed, 0.3 s later: a busy machine may need more tries than one."""
        for attempt in range(5):
            self.seen = b""
            pid = self.on_terminal(self.words(int(number), "-15"), stdin)
            self.read_until("rank 0 runs", "rank 1 runs")
            os.write(self.terminal, key)
            try:
                self.read_until("rank 0 got", "rank 1 got", *more)
            except AssertionError:
                if attempt == 4:
                    raise
                continue
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 128 + number)
            self.assertEqual(processes_with(self.token), [])
            return

    def test_ctrl_c_is_an_interrupt_to_every_rank(self):
        for stdin in None, "/dev/null":
            self.press(b"\x03", signal.SIGINT, stdin=stdin)

    def test_ctrl_backslash_is_a_quit_to_every_rank(self):
        self.press(b"\x1c", signal.SIGQUIT, "SIGQUIT asks")

    def test_a_terminal_that_goes_away_ends_all(self):
        """The shell's death hangs up its foreground job."""
        self.on_shell("$mpiexec", "-15")
        self.read_until("rank 0 runs", "rank 1 runs")
        os.kill(self.shell, signal.SIGKILL)
        wait_until(lambda: not self.job(), "the job outlived its terminal")


class Stops(Base):
    def test_ctrl_z_stops_all_and_fg_continues_all(self):
        self.on_shell("$mpiexec; echo st''opped; read line; fg; echo co''de $?", 18, 15)
        self.read_until("rank 0 runs", "rank 1 runs")
        os.write(self.terminal, b"\x1a")
        self.read_until("stopped")
        wait_until(lambda: self.states() == {"T"}, f"not all are stopped: {self.states()}")
        os.write(self.terminal, b"\n")
        self.read_until("rank 0 got 18", "rank 1 got 18")
        wait_until(lambda: "T" not in self.states(), f"not all go on: {self.states()}")
        os.write(self.terminal, b"\x03")
        self.read_until("code 130")
        self.assertEqual(self.job(), [])

    def test_bg_continues_all_in_the_background(self):
        self.on_shell("$mpiexec; bg; read line; kill -TERM %1; wait %1; echo co''de $?", 18, 15)
        self.read_until("rank 0 runs", "rank 1 runs")
        os.write(self.terminal, b"\x1a")
        self.read_until("rank 0 got 18", "rank 1 got 18")
        wait_until(lambda: self.states() == {"S"}, f"not all go on: {self.states()}")
        os.write(self.terminal, b"\n")
        self.read_until("code 143")
        self.assertEqual(self.job(), [])

    def test_a_rank_that_handles_or_ignores_the_stop_does_as_it_likes(self):
        self.on_shell("$mpiexec; echo st''opped; read line; fg", 20, 15)
        self.read_until("rank 0 runs", "rank 1 runs")
        os.write(self.terminal, b"\x1a")
        self.read_until("stopped", "rank 0 got 20", "rank 1 got 20")
        self.on_shell("$mpiexec; echo st''opped; read line; fg", "-20", 15)
        self.seen = b""
        self.read_until("rank 0 runs", "rank 1 runs")
        os.write(self.terminal, b"\x1a")
        self.read_until("stopped")

    def test_reading_the_terminal_in_the_background_stops_all_and_fg_lets_it_read(self):
        script = """$mpiexec & while read line; do [ "$line" = go ] && break; done; fg; echo co''de $?"""
        for options, more in ((), 3), (("--stdin", "all"), 0.1):
            self.seen = b""
            self.on_shell(script, more, program=READER, options=options)
            self.read_until("rank 0 runs")

            def all_are_stopped():
                os.write(self.terminal, b"\n")  # mpiexec itself reads as soon as there is something
                return self.states() == {"T"}
            wait_until(all_are_stopped, "not all are stopped")
            os.write(self.terminal, b"go\n")
            self.read_until("-n 2")  # what fg says
            os.write(self.terminal, b"typed\n")
            self.read_until("read", "code 0")

    def test_a_stopped_job_whose_mpiexec_is_killed_leaves_nothing(self):
        self.on_shell("$mpiexec; echo st''opped; read line")
        self.read_until("rank 0 runs", "rank 1 runs")
        os.write(self.terminal, b"\x1a")
        self.read_until("stopped")
        wait_until(lambda: self.states() == {"T"}, f"not all are stopped: {self.states()}")
        mpiexec = [one for one in self.job() if managers(one)]
        os.kill(mpiexec[0], signal.SIGKILL)
        wait_until(lambda: not self.job(), f"left: {self.job()}")


class Groups(Base):
    def start(self, *words):
        job = subprocess.Popen(self.words(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        self.addCleanup(self.end, job.pid)
        self.addCleanup(job.stdout.close)
        lines = [job.stdout.readline() for _ in range(2)]
        self.assertEqual(sorted(lines), [f"rank {rank} runs in its own session\n" for rank in range(2)])
        return job

    def tell(self, send, number, told, *words):
        """What the ranks tell before they are killed, 0.3 s later: a busy machine may need many tries."""
        for _ in range(50):
            job = self.start(*words)
            send(job.pid, number)
            out, _ = job.communicate(timeout=WATCHDOG_SECONDS)
            self.assertEqual(job.returncode, 128 + number)
            if sorted(out.splitlines()) == [f"rank {rank} got {told}" for rank in range(2)]:
                return
        self.fail(out)

    def test_what_is_sent_to_the_group_reaches_every_rank(self):
        for number in signal.SIGINT, signal.SIGHUP:
            self.tell(os.killpg, number, int(number), int(number), "-15")

    def test_what_is_sent_to_mpiexec_alone_ends_ranks_politely(self):
        self.tell(os.kill, signal.SIGINT, 15, 2, 15)

    def test_a_kill_of_the_whole_group_leaves_no_rank(self):
        job = self.start()
        os.killpg(job.pid, signal.SIGKILL)
        wait_until(lambda: not processes_with(self.token), f"left: {processes_with(self.token)}")


if __name__ == "__main__":
    unittest.main()
