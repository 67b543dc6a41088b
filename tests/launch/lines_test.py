#!/usr/bin/env python3
"""Whether lines of ranks that share mpiexec's output stay whole, and bytes the bytes that were written.
Usage: lines_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
RANK = os.path.join(PROGRAMS, "fake_rank")
WATCHDOG_SECONDS = 600
WHOLE_LINE_BYTES = 64 << 10

LINES = """
import os, sys
for stream in sys.stdout, sys.stderr:
    text = "".join(f"rank {os.environ['BATON_RANK']} of {stream.fileno()} line {i} " + "." * (i % 90) + "\\n" for i in range(2000))
    for at in range(0, len(text), 4096):
        os.write(stream.fileno(), text[at:at + 4096].encode())
"""
LINE = re.compile(r"rank \d of \d line \d+ \.*")


def python(program):
    return [sys.executable, "-S", "-c", program]


def start(*words, **more):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([MPIEXEC, *map(str, words)], **streams)


def run(*words, **more):
    job = start(*words, **more)
    try:
        job.out, job.err = job.communicate(timeout=WATCHDOG_SECONDS)
    except subprocess.TimeoutExpired:
        job.kill()
        job.out, job.err = job.communicate()
        raise AssertionError(f"watchdog: {words}\n{job.out[-200:]}\n{job.err}")
    return job


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class WholeLines(WithFolder):
    def are_whole(self, text, count):
        lines = text.decode().splitlines()
        self.assertEqual([line for line in lines if not LINE.fullmatch(line)], [])
        self.assertEqual((len(lines), len(set(lines))), (count, count))

    def test_no_line_is_broken_through_pipes(self):
        job = run("-n", 4, *python(LINES))
        self.are_whole(job.out, 8000)
        self.are_whole(job.err, 8000)

    def test_no_line_is_broken_where_both_streams_go_to_one_place(self):
        self.are_whole(run("-n", 4, *python(LINES), stderr=subprocess.STDOUT).out, 16000)
        self.are_whole(run("--merge-stderr-to-stdout", "-n", 1, *python(LINES), ":", "-n", 1, *python(LINES)).out, 8000)

    def test_what_a_rank_wrote_first_comes_first_where_both_streams_go_to_one_place(self):
        both = "import os\nfor i in range(300): os.write(1, b'o%d\\n' % i); os.write(2, b'e%d\\n' % i)"
        lines = run("-n", 1, *python(both), ":", "-n", 1, RANK, stderr=subprocess.STDOUT).out.split()
        self.assertEqual(sorted(lines), sorted(b"%c%d" % (c, i) for c in b"oe" for i in range(300)))
        for i in range(300):
            self.assertLess(lines.index(b"o%d" % i), lines.index(b"e%d" % i))

    def test_no_line_is_broken_in_a_file(self):
        path = os.path.join(self.folder, "file")
        with open(path, "wb") as file:
            run("-n", 4, *python(LINES), stdout=file, stderr=file)
        with open(path, "rb") as file:
            self.are_whole(file.read(), 16000)

    def test_no_line_is_broken_in_a_file_of_a_pattern_that_ranks_share(self):
        run("-outfile-pattern", f"{self.folder}/out", "-errfile-pattern", f"{self.folder}/err.%r",
            "-n", 3, *python(LINES))
        for name, count in ("out", 6000), ("err.0", 2000), ("err.2", 2000):
            with open(os.path.join(self.folder, name), "rb") as file:
                self.are_whole(file.read(), count)

    def test_with_the_rank_before_them_lines_stay_whole_too(self):
        job = run("-l", "-n", 4, *python(LINES), stderr=subprocess.STDOUT)
        self.assertTrue(all(re.fullmatch(r"\[\d\] " + LINE.pattern, line) for line in job.out.decode().splitlines()))

    def test_mpiexecs_own_words_break_no_line(self):
        job = run("-n", 3, *python(LINES + "\nif os.environ['BATON_RANK'] == '1': sys.exit(3)"), stderr=subprocess.STDOUT)
        lines = job.out.decode().splitlines()
        self.assertEqual(job.returncode, 3)
        rest = [line for line in lines if not LINE.fullmatch(line)]
        self.assertTrue(all(re.fullmatch(r"mpiexec: .*", line) for line in rest), rest)
        self.assertTrue(any("rank 1" in line and "exit code 3" in line for line in rest), rest)

    def test_a_line_as_long_as_the_bound_is_whole(self):
        line = f"import os; os.write(1, os.environ['BATON_RANK'].encode() * {WHOLE_LINE_BYTES - 1} + b'\\n')"
        for text in run("-n", 3, *python("for i in range(20):\n  " + line)).out.splitlines():
            self.assertEqual((len(text), len(set(text))), (WHOLE_LINE_BYTES - 1, 1))

    def test_lines_of_ranks_that_write_more_than_their_pipes_hold_are_whole(self):
        long = ("import os, random\nrank, draw = os.environ['BATON_RANK'], random.Random(os.environ['BATON_RANK'])\n"
                "for i in range(400):\n"
                "  os.write(1, (f'rank {rank} of 1 line {i} ' + '.' * draw.choice((9, 1000, 30000, 65000))).encode() + b'\\n')")
        self.are_whole(run("-n", 3, *python(long)).out, 1200)
        for mode in "wb", "ab":
            path = os.path.join(self.folder, mode)
            with open(path, mode) as file:
                run("-n", 3, *python(long), stdout=file)
            with open(path, "rb") as file:
                self.are_whole(file.read(), 1200)

    def test_a_full_buffer_is_no_prompt_and_waits_for_its_rest(self):
        both = os.path.join(self.folder, "other_wrote")
        slow = (f"import os, time\nwhile not os.path.exists('{both}'): time.sleep(0.01)\n"
                "os.write(1, b'a' * 4096); time.sleep(1.5); os.write(1, b'a' * 4096 + b'\\n')")
        quick = (f"import os, time\nfor i in range(25): os.write(1, b'b\\n'); open('{both}', 'w'); time.sleep(0.05)")
        lines = run("-n", 1, *python(slow), ":", "-n", 1, *python(quick)).out.split(b"\n")
        self.assertEqual(sorted(lines), sorted([b""] + [b"b"] * 25 + [b"a" * 8192]))


class Bytes(WithFolder):
    def test_what_has_no_newline_at_its_end_gets_none_and_nothing_is_dropped(self):
        for text in "unfinished", "whole\nunfinished", "\n\nx", "x\n":
            self.assertEqual(run("-n", 1, RANK, "out", text, ":", "-n", 2, RANK).out, text.encode())

    def test_binary_output_stays_what_it_was(self):
        with tempfile.NamedTemporaryFile() as file:
            data = random.Random(1).randbytes(3 << 20) + b"\0" * (3 << 20) + b"\r\n\n\xff"
            file.write(data)
            file.flush()
            self.assertEqual(run("-n", 1, "cat", file.name, ":", "-n", 2, "true").out, data)
        lines = b"".join(bytes([i % 251]) * (i % 977) + b"\n" for i in range(20000))
        with tempfile.NamedTemporaryFile() as file:
            file.write(lines)
            file.flush()
            slow = "import sys, time; sys.stdout.buffer.write((time.sleep(1), sys.stdin.buffer.read())[1])"
            job = subprocess.run(["bash", "-c", f"'{MPIEXEC}' -n 1 cat {file.name} : -n 2 true | '{sys.executable}' -c '{slow}'"],
                                 capture_output=True, timeout=WATCHDOG_SECONDS)
            self.assertEqual(job.stdout, lines)

    def test_of_a_rank_that_dies_or_aborts_everything_arrives(self):
        for end in (["signal", 9], ["signal", 11], ["init", "", "abort", 4], ["exit", 5]):
            job = run("-n", 1, RANK, "sleep", 1000, ":", "-n", 1, RANK, "out", "unfinished", "err", "unfinished", *end)
            self.assertNotEqual(job.returncode, 0)
            self.assertEqual(job.out, b"unfinished", end)
            self.assertIn(b"unfinished", job.err, end)

    def test_of_a_job_whose_mpiexec_is_killed_everything_arrives_that_was_written_before(self):
        job = start("-n", 2, *python("import os, time; os.write(1, b'line\\nunfinished' + b'.' * 14)\n"
                                     "os.write(2, b'up\\n'); time.sleep(1000)"))
        self.addCleanup(job.kill)
        for _ in range(2):
            self.assertEqual(job.stderr.readline(), b"up\n")
        job.kill()
        out, _ = job.communicate(timeout=WATCHDOG_SECONDS)
        self.assertEqual((out.count(b"line\n"), out.count(b"unfinished" + b"." * 14)), (2, 2), out)

    def test_a_prompt_appears_while_its_rank_waits(self):
        job = start("-n", 2, *python("import os, sys\nif os.environ['BATON_RANK'] == '0':\n"
                                     "  print('table\\n' * 100 + 'name? ', end='', flush=True)\n"
                                     "  print('hello ' + sys.stdin.readline())"), stdin=subprocess.PIPE)
        self.addCleanup(job.kill)
        seen = b""
        while not seen.endswith(b"name? "):
            self.assertTrue(select.select([job.stdout], [], [], WATCHDOG_SECONDS)[0], seen)
            seen += os.read(job.stdout.fileno(), 4096)
        out, _ = job.communicate(b"you\n", timeout=WATCHDOG_SECONDS)
        self.assertEqual((out, job.returncode), (b"hello you\n\n", 0))

    def test_unfinished_lines_of_two_ranks_are_not_mixed_while_they_last(self):
        """The one that begins first has the line until it ends it, and the other ends its own later."""
        ended = os.path.join(self.folder, "ended")
        dots = (f"import os, time\nrank, text = int(os.environ['BATON_RANK']), os.environ['BATON_RANK'].encode()\n"
                f"begun = '{ended}.begun'\nwhile rank == 1 and not os.path.exists(begun): time.sleep(0.01)\n"
                "for i in range(5):\n  os.write(1, text); time.sleep(0.3)\n  rank or open(begun, 'w')\n"
                f"while rank == 1 and not os.path.exists('{ended}'): time.sleep(0.01)\n"
                f"os.write(1, b'\\n')\nrank or open('{ended}', 'w')")
        self.assertEqual(run("-n", 2, *python(dots)).out, b"00000\n11111\n")


class Places(unittest.TestCase):
    def test_a_rank_that_is_alone_writes_to_mpiexecs_own_output(self):
        link = "import os; print(os.readlink('/proc/self/fd/1'), os.readlink('/proc/self/fd/2'))"
        reader, writer = os.pipe()
        with open(reader, "rb") as pipe:
            run("-n", 1, *python(link), stdout=writer, stderr=writer)
            own = os.readlink(f"/proc/self/fd/{writer}")
            os.close(writer)
            self.assertEqual(pipe.read().decode().split(), [own, own])

    def test_a_device_is_the_ranks_own_output(self):
        with open("/dev/null", "w") as null:
            job = run("-n", 2, *python("import os; os.write(2, os.readlink('/proc/self/fd/1').encode() + b'\\n')"), stdout=null)
        self.assertEqual(job.err.split(), [b"/dev/null"] * 2)

    def test_where_the_reader_goes_away_ranks_learn_it_as_from_any_pipe(self):
        job = subprocess.run(["bash", "-c", f"'{MPIEXEC}' --timeout 30 -n 2 yes | head -1; exit ${{PIPESTATUS[0]}}"],
                             capture_output=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual((job.returncode, job.stdout), (128 + signal.SIGPIPE, b"y\n"), job.stderr)

    def test_where_no_more_pipes_can_be_had_ranks_write_by_themselves(self):
        job = subprocess.run(["bash", "-c", f"ulimit -n 20; '{MPIEXEC}' --timeout 30 -n 16 echo word"],
                             capture_output=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual((job.returncode, job.stdout), (0, b"word\n" * 16), job.stderr)


if __name__ == "__main__":
    unittest.main()
