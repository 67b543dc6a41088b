#!/usr/bin/env python3
"""A rank dies while the job is in a collective: all the others end, and mpiexec says who it was.
Usage: collective_fault_test.py BIN_FOLDER PROGRAM_FOLDER COLLECTIVE[:BYTES] ... [-- unittest's]
Random moments; the seed is printed, and COLLECTIVE_FAULT_SEED repeats it. The time an end took is printed, too."""
import os
import random
import signal
import sys
import time
import unittest
import uuid

WORDS = sys.argv[3:]
if "--" in WORDS:
    WORDS = WORDS[:WORDS.index("--")]
sys.argv = sys.argv[:3] + sys.argv[3 + len(WORDS) + 1:]
COLLECTIVES = [(word.split(":")[0], int((word + ":8").split(":")[1])) for word in WORDS]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "launch"))
import mpiexec_test as launch  # noqa: E402

PROGRAM = os.path.join(launch.PROGRAMS, "collective_fault_program")
RANKS = 4
SEED = int(os.environ.get("COLLECTIVE_FAULT_SEED", time.time_ns() % 10**9))


class Dying(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}", file=sys.stderr)
        self.random = random.Random(SEED)

    def is_gone(self, token):
        deadline = time.monotonic() + launch.GONE_SECONDS
        while launch.processes_with(token) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(launch.processes_with(token), [], "processes are left")

    def ends(self, collective, bytes_, victim, how, where, env=None):
        """The job ends because of the victim, and nobody is left."""
        token = f"dying-{uuid.uuid4().hex}"
        after = self.random.randrange(2000, 60000)
        launch.WATCHDOG_SECONDS = 800
        began = time.monotonic()
        job = launch.run("--timeout", 600, "-n", RANKS, PROGRAM, collective, bytes_, victim, how, after, where, token,
                         env={**os.environ, **(env or {})})
        took = time.monotonic() - began
        self.is_gone(token)
        print(f"{collective} of {bytes_} bytes, rank {victim}, {how}, {where}, after {after} us: the job ended "
              f"{took:.3f} s after its start", file=sys.stderr)
        self.assertNotEqual(job.code, 124, "the job hung: " + job.err)
        self.assertEqual(job.code, 1 if how == "leave" else 128 + signal.SIGKILL, job.err)
        self.assertRegex(job.err, rf"rank {victim}\b")
        self.assertNotIn("not so", job.err)

    def try_all(self, where, env=None):
        for collective, bytes_ in COLLECTIVES:
            for victim, how in ((0, "kill"), (RANKS - 1, "kill"), (1, "leave")):
                with self.subTest(collective, bytes=bytes_, victim=victim, how=how):
                    self.ends(collective, bytes_, victim, how, where, env)

    def test_a_rank_that_does_not_come_to_a_collective_any_more_ends_the_job(self):
        self.try_all("missing")

    def test_a_rank_that_dies_somewhere_inside_a_collective_ends_the_job(self):
        self.try_all("inside")

    def test_the_same_without_rooms_and_cross_memory_attach(self):
        self.try_all("inside", {"BATON_ROOMS": "0", "BATON_CMA": "0"})

    def test_the_same_while_calls_are_compared(self):
        self.try_all("inside", {"BATON_CHECK": "1"})

    def test_the_same_with_sleeping_ranks(self):
        self.try_all("missing", {"BATON_SPIN_COUNT": "0", "BATON_YIELD_COUNT": "0"})


if __name__ == "__main__":
    if not COLLECTIVES:
        sys.exit(__doc__)
    unittest.main(verbosity=1)
