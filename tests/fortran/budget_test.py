#!/usr/bin/env python3
"""What a short message costs more from Fortran than from C, in instructions: at most 5 % and 40 for a send and a receive,
and in mpi_f08 what a descriptor costs, which the compiler writes for each buffer.
Usage: budget_test.py BIN_FOLDER PROJECT_ROOT [unittest's]"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, ROOT = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(ROOT, "tests", "message", "budget_program.c")
SECONDS, MESSAGES = 900, 3200
SHARE_MAX, MORE_MAX, DESCRIPTORS_MAX = 1.05, 40, 26


def run(*words, folder, **more):
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words[:4]))}: code {done.returncode}\n{done.stdout}\n{done.stderr}")


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
@unittest.skipUnless(shutil.which("gfortran"), "there is no gfortran")
@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two ranks on one CPU have to yield")
class Budget(unittest.TestCase):
    def instructions(self, folder, program, function):
        out = os.path.join(folder, f"{program}.{function}")
        run(os.path.join(BIN, "mpiexec"), "--timeout", SECONDS, "-n", 2, "valgrind", "--quiet", "--tool=callgrind",
            "--collect-atstart=no", f"--toggle-collect={function}", f"--callgrind-out-file={out}.%p", "./" + program, "pair",
            MESSAGES, out + ".turn", folder=folder, env={**os.environ, "BATON_SPIN_COUNT": str(10**10)})
        totals = []
        for name in glob.glob(out + ".[0-9]*"):
            with open(name) as file:
                totals += [int(total) for total in re.findall(r"(?m)^(?:totals|summary): (\d+)", file.read())]
        return max(totals) / MESSAGES

    def both(self, folder, program):
        return sum(self.instructions(folder, program, function) for function in ("send_burst", "receive_burst"))

    def test_a_send_and_a_receive_of_8_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            run(os.path.join(BIN, "mpicc"), "-O2", PROGRAM, "-o", "in_c", folder=folder)
            run(os.path.join(BIN, "mpicc"), "-O2", "-c", "-DBURSTS_IN_FORTRAN", PROGRAM, "-o", "main.o", folder=folder)
            in_c = self.both(folder, "in_c")
            self.assertGreater(in_c, 100, "callgrind counted nothing")
            for form in ("f08", "module", "include"):
                run(os.path.join(BIN, "mpifort"), "-O2", os.path.join(HERE, f"bursts_{form}.f90"), "main.o", "-o", form,
                    folder=folder)
                taken = self.both(folder, form)
                print(f"{form}: {taken:.1f} instructions for a send and a receive; in C {in_c:.1f}")
                with self.subTest(form):
                    self.assertLess(taken, SHARE_MAX * in_c + MORE_MAX + (DESCRIPTORS_MAX if form == "f08" else 0))


if __name__ == "__main__":
    unittest.main(verbosity=1)
