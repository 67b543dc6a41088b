#!/usr/bin/env python3
"""What mpiexec does when its output cannot be written or is not read. Usage: output_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import fcntl
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
RANK = os.path.join(PROGRAMS, "fake_rank")
WATCHDOG_SECONDS = 300


def shell(line, **more):
    """The code of the line's mpiexec, whatever stands behind a pipe; and what there is to read."""
    environment = {**os.environ, "mpiexec": MPIEXEC, "rank": RANK, "end_program": os.path.join(PROGRAMS, "end_program")}
    done = subprocess.run(["bash", "-c", line + "\nexit ${PIPESTATUS[0]}"], env=environment, text=True,
                          capture_output=True, timeout=WATCHDOG_SECONDS, stdin=subprocess.DEVNULL, **more)
    return done


def fill(writer):
    """A pipe that does not block."""
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass


def alive(token):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
            with open(f"/proc/{pid}/stat") as file:
                dead = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if token.encode() in words and not dead and int(pid) != os.getpid():
            found.append(int(pid))
    return found


class Unwritable(unittest.TestCase):
    """Full, closed, and a pipe that nobody reads."""
    WAYS = ("2>/dev/full", ">/dev/full 2>&1", "2>&-", ">&- 2>&-", "2>&1 | head -c 20", "2>&1 | true")

    def test_a_jobs_result_does_not_depend_on_its_reports(self):
        for way in self.WAYS:
            for words, code in (("-n 2 $rank only=1 exit 7 sleep 20", 7), ("-n 2 $rank init '' finalize ''", 0),
                                ("-n 2 --explain --report-binding $rank init '' finalize ''", 0),
                                ("-n 1 $rank signal 11", 139), ("-n 1 ./no-such-program", 127)):
                token = uuid.uuid4().hex
                done = shell(f"$mpiexec --timeout 20 {words} only=77 line {token} {way}")
                self.assertEqual(done.returncode, code, (way, words, done.stderr))
                self.assertEqual(alive(token), [], (way, words))

    def test_what_was_asked_for_and_cannot_be_written_is_a_failure(self):
        for words in ("--help", "--version", "-n 2 --dry-run --report-binding true"):
            for way in (">/dev/full", ">&-", "| true"):
                done = shell(f"(sleep 0.2; exec $mpiexec {words}) {way}")
                self.assertEqual(done.returncode, 1, (words, way, done.stderr))
                self.assertIn("mpiexec: standard output: ", done.stderr)
        done = shell("$mpiexec -n 1 --explain-file /dev/full $rank init '' finalize ''")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--explain-file /dev/full: No space left", done.stderr)

    def test_a_failure_of_the_job_wins_over_one_of_its_report(self):
        self.assertEqual(shell("$mpiexec -n 1 --explain-file /dev/full $rank exit 5").returncode, 5)

    def test_lost_output_of_ranks_is_told_and_fails_the_job(self):
        done = shell("$mpiexec -l -n 2 $rank line x >/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("output of the ranks is lost: No space left", done.stderr)
        self.assertEqual(shell("$mpiexec -l -n 2 $rank exit 3 >/dev/full").returncode, 3)

    def test_a_rank_that_crashes_dies_of_that_though_nobody_reads_its_report(self):
        for way in ("2>&1 | true", "2>&-", "2>/dev/full"):
            done = shell(f"(sleep 0.2; exec $mpiexec --timeout 20 -n 2 $end_program crash) {way}")
            self.assertEqual(done.returncode, 128 + signal.SIGSEGV, (way, done.stderr))


class StoppedReader(unittest.TestCase):
    """A pipe that is full and that nobody reads."""

    def start(self, *words, stream="stdout", before=None):
        self.token = uuid.uuid4().hex
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.reader = reader
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: writer}
        if stream == "both":
            streams = {"stdout": writer, "stderr": writer}
        if stream == "stderr":  # full from the start
            os.set_blocking(writer, False)
            fill(writer)
            os.set_blocking(writer, True)
        process = subprocess.Popen([MPIEXEC, *map(str, words), self.token], stdin=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=before, **streams)
        self.assertFalse(fcntl.fcntl(writer, fcntl.F_GETFL) & os.O_NONBLOCK)
        self.addCleanup(self.stop, process)
        self.writer = writer
        self.addCleanup(os.close, writer)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def ends(self, process, code):
        self.assertEqual(process.wait(timeout=WATCHDOG_SECONDS), code)
        self.assertEqual(alive(self.token), [])
        self.assertFalse(fcntl.fcntl(self.writer, fcntl.F_GETFL) & os.O_NONBLOCK)

    def test_the_timeout_ends_the_job(self):
        for stream in ("stdout", "both"):
            self.ends(self.start("-l", "--timeout", 1, "-n", 2, "yes", stream=stream), 124)

    def test_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("-l", "-n", 2, "yes")
            select.select([self.reader], [], [], WATCHDOG_SECONDS)  # until it runs
            time.sleep(0.5)
            process.send_signal(number)
            self.ends(process, 128 + number)

    def test_a_death_of_a_rank_ends_the_others_and_the_output_is_kept_for_the_reader(self):
        process = self.start("-l", "-n", 1, "yes", ":", "-n", 1, RANK, "sleep", "0.3", "exit", "6")
        time.sleep(1)
        self.assertLessEqual(len(alive(self.token)), 2)  # mpiexec and its manager, with what is unread
        os.close(self.writer)
        self.writer = os.dup(self.reader)
        while os.read(self.reader, 1 << 20):
            pass
        self.assertEqual(process.wait(timeout=WATCHDOG_SECONDS), 6)

    def test_a_signal_ends_the_wait_for_the_reader_at_the_end(self):
        process = self.start("-l", "-n", 1, "seq", "-f", "%.0f", 200000)
        time.sleep(0.7)
        process.send_signal(signal.SIGTERM)
        self.assertNotEqual(process.wait(timeout=WATCHDOG_SECONDS), 0)

    def test_reports_delay_nothing(self):
        self.ends(self.start("--timeout", 1, "-n", 2, RANK, "sleep", "100", stream="stderr"), 124)
        process = self.start("-n", 2, RANK, "sleep", "100", stream="stderr")
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        self.ends(process, 128 + signal.SIGTERM)

    def test_complaints_before_ranks_start_delay_nothing(self):
        """The limit on file sizes is in the way of the job's memory."""
        process = self.start("-n", 2, RANK, stream="stderr", before=lambda:
                             resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        self.ends(process, 1)

    def test_a_slow_reader_gets_everything(self):
        done = shell("$mpiexec -l -n 2 seq 60000 | (sleep 0.5; wc -l)")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "120000"))


class NamedPipes(unittest.TestCase):
    """Where a file was expected."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def pipe(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mkfifo(path)
        return path

    def opened(self, path, full):
        """Somebody has it open and does not read it."""
        reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        if full:
            fill(reader)
        return reader

    def test_one_that_nobody_reads_is_refused_with_words(self):
        for words, name, code in (("--explain-file", "pipe", 1), ("--output-filename", "out/1/rank.0/stdout", 127),
                                  ("-outfile-pattern", "pipe2", 127), ("--report-binding=", "pipe.svg", 1)):
            path = self.pipe(name)
            value = path.removesuffix("/1/rank.0/stdout")
            option = words + value if words.endswith("=") else f"{words} {value}"
            done = shell(f"$mpiexec --timeout 20 {option} -n 1 $rank line x")
            self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
            self.assertIn(path, done.stderr)
            self.assertIn("nobody reads this pipe; start its reader first, or name a file", done.stderr)

    def test_a_full_one_holds_up_neither_the_time_limit_nor_signals(self):
        explained, output = self.pipe("pipe"), self.pipe("out/1/rank.0/stdout")
        self.opened(explained, full=True)
        self.opened(output, full=False)
        for words in (["--explain-file", explained, "-n", "1", RANK, "init", "", "finalize", ""],
                      ["--output-filename", f"{self.folder}/out", "-n", "1", "yes"],
                      ["--output-filename", f"{self.folder}/out:nocopy", "-n", "1", "seq", "100000"]):
            for options, code in ((["--timeout", "1"], 124), ([], 128 + signal.SIGTERM)):
                process = subprocess.Popen([MPIEXEC, *options, *words], stdin=subprocess.DEVNULL, text=True,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
                self.addCleanup(StoppedReader.stop, process)
                if not options:
                    time.sleep(0.7)
                    process.terminate()
                _, error = process.communicate(timeout=WATCHDOG_SECONDS)
                self.assertEqual(process.returncode, code, (words, options, error))
                self.assertIn("nobody read it before the job had to end", error)

    def test_one_with_a_slow_reader_gets_everything(self):
        path = self.pipe("out/1/rank.0/stdout")
        done = shell(f"(exec 3<{path}; sleep 0.5; wc -l <&3) & "
                     f"$mpiexec --output-filename {self.folder}/out:nocopy -n 1 seq 200000; code=$?; wait; exit $code")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "200000"), done.stderr)

    def test_one_whose_reader_goes_away_loses_the_output_with_words(self):
        path = self.pipe("out/1/rank.0/stdout")
        done = shell(f"(exec 3<{path}; sleep 0.3) & "
                     f"$mpiexec --output-filename {self.folder}/out:nocopy -n 1 seq 200000; code=$?; wait; exit $code")
        self.assertEqual(done.returncode, 1)
        self.assertIn("output of the ranks is lost", done.stderr)

    def test_an_explanation_goes_into_what_the_shell_opened(self):
        for way in ("--explain-file /dev/stdout {job} | cat", "--explain-file /dev/fd/3 {job} 3>&1 | cat",
                    "--explain-file >(cat) {job}; code=$?; sleep 0.5; exit $code"):
            done = shell("$mpiexec " + way.format(job="-n 1 $rank init '' finalize ''"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('"ranks"', done.stdout, way)


if __name__ == "__main__":
    unittest.main()
