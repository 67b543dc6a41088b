#!/usr/bin/env python3
"""What a debugger finds in mpiexec (the MPIR interface), looked at with gdb: attached to a running job, and started
under it. Usage: debugger_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

import mpiexec_test as launch

PROGRAM = os.path.join(launch.PROGRAMS, "fork_program")
GDB = shutil.which("gdb")
WATCHDOG_SECONDS = 1000
ENTRY = re.compile(r'host_name = 0x\w+(?: <.*?>)? "(.*?)", executable_name = 0x\w+ "(.*?)", pid = (\d+)')


def gdb(*words, commands):
    """One batch run; gdb and all below it are killed should they hang."""
    arguments = [GDB, "-batch", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set pagination off"]
    for command in commands:
        arguments += ["-ex", command]
    process = subprocess.Popen([*arguments, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.communicate(timeout=WATCHDOG_SECONDS)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"watchdog: {process.args} still ran\n{process.communicate()[0]}")


def why_not():
    """gdb is there, and this machine lets it trace."""
    if not GDB:
        return "gdb is not installed"
    text = gdb("true", commands=["starti", "print 6*7"])
    return None if "= 42" in text and "starti" not in text and "not permitted" not in text else \
        f"gdb cannot trace here: {text.strip()[:200]}"


WHY_NOT = why_not()


def print_table(ranks):
    return ["print MPIR_debug_state", "print MPIR_proctable_size", *(f"print MPIR_proctable[{i}]" for i in range(ranks))]


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Debugger(unittest.TestCase):
    def table(self, text, ranks):
        entries = ENTRY.findall(text)
        self.assertEqual(len(entries), ranks, text)
        for host, program, _ in entries:
            self.assertEqual((host, program), (socket.gethostname(), os.path.realpath(PROGRAM)))
        return [int(pid) for _, _, pid in entries]

    def test_a_debugger_that_attaches_later_finds_all_ranks(self):
        job = launch.Job("--timeout", 900, "-n", 3, PROGRAM, "waits")
        try:
            def ranks():
                managers = launch.managers(job.process.pid)
                return sorted(launch.children(managers[0])) if managers else []
            launch.wait_until(lambda: len(ranks()) == 3, "three ranks did not start")
            text = gdb("-p", job.process.pid, commands=[*print_table(3), "detach"])
            pids = self.table(text, 3)
            self.assertRegex(text, r"\$1 = 1\n\$2 = 3\n")
            self.assertEqual(sorted(pids), ranks())
            for rank, pid in enumerate(pids):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    self.assertIn(b"BATON_RANK=%d" % rank, file.read().split(b"\0"))
        finally:
            job.process.send_signal(signal.SIGTERM)
            job.end()

    def started(self, *words, then):
        launcher = [launch.MPIEXEC, "--timeout", "600", *words]
        return gdb("--args", *launcher, commands=[
            "break main", "run", "set var MPIR_being_debugged = 1", "break MPIR_Breakpoint", "continue", *then])

    def test_ranks_wait_in_init_until_the_debugger_has_seen_them(self):
        text = self.started("-n", "2", PROGRAM, "nothing",
                            then=[*print_table(2), "shell sleep 0.5", "echo the ranks are seen\\n", "continue"])
        self.table(text, 2)
        self.assertRegex(text, r"\$1 = 1\n\$2 = 2\n")
        self.assertRegex(text, r"(?s)the ranks are seen.*came to the end.*exited normally")

    def test_the_end_of_a_failed_job_is_told(self):
        text = self.started("-n", "2", PROGRAM, "stays-killed",
                            then=["continue", "print MPIR_debug_state", "print MPIR_debug_abort_string", "continue"])
        self.assertRegex(text, r'\$1 = 2\n\$2 = 0x\w+ "the job ended with code 137"')

    def test_nobody_waits_without_a_debugger(self):
        self.assertEqual(launch.run("--timeout", 300, "-n", 2, PROGRAM, "nothing").code, 0)


class Symbols(unittest.TestCase):
    def test_all_names_of_the_interface_are_there(self):
        names = subprocess.run(["nm", launch.MPIEXEC], capture_output=True, text=True, check=True).stdout
        for name in ("MPIR_proctable", "MPIR_proctable_size", "MPIR_debug_state", "MPIR_debug_abort_string",
                     "MPIR_being_debugged", "MPIR_i_am_starter", "MPIR_partial_attach_ok", "MPIR_Breakpoint"):
            self.assertRegex(names, rf"(?m) [BDTRS] {name}$")


if __name__ == "__main__":
    unittest.main(verbosity=1)
