#!/usr/bin/env python3
"""Ranks that are killed while others reach their windows: the job ends at once, with the dead rank's code and name, and
nobody says that something was not permitted. Usage: window_kill_test.py BIN_FOLDER PROGRAM_FOLDER KILLS [unittest's]"""
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from faults_test import CLEAN, Faults, launch

PROGRAM = os.path.join(launch.PROGRAMS, "window_program")
KILLS = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 16
WAYS = [("create", "serving", {}), ("create", "computing", {}), ("dynamic", "serving", {}),
        ("dynamic", "computing", {}), ("allocate", "computing", {}), ("create", "serving", {"BATON_CMA": "0"})]


class WindowKills(Faults):
    def test_who_dies_is_named_and_its_code_wins(self):
        chance = random.Random(int(os.environ.get("SEED", time.time())))
        for kill in range(KILLS):
            kind, target, settings = WAYS[kill % len(WAYS)]
            # Mostly the rank whose memory is reached.
            victim = chance.choice((0, 0, 0, 1))
            number = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV))
            with self.subTest(f"{kill}: {kind}, {target}, {settings}, rank {victim}"):
                self.kill_one(kind, target, {**CLEAN, **settings}, victim, number, chance.random() / 20)

    def kill_one(self, kind, target, env, victim, number, after):
        process = subprocess.Popen([launch.MPIEXEC, "--timeout", "300", "-n", "3", PROGRAM, kind, target],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                                   stdin=subprocess.DEVNULL)
        try:
            pids = dict(re.search(r"rank (\d) is process (\d+)", process.stdout.readline()).groups() for _ in range(3))
            time.sleep(after)
            os.kill(int(pids[str(victim)]), number)
            _, err = process.communicate(timeout=400)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 128 + number, err)
        self.assertRegex(err, rf"rank {victim}\b[^\n]*signal {int(number)}")
        self.assertNotIn("permit", err)
        self.assertNotIn("MPI_ERR", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [word for word in sys.argv[1:] if not word.isdigit()])
