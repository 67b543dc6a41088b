#!/usr/bin/env python3
"""Schedules of the library's algorithms have as many messages and bytes as the library really sends (mpiexec --explain).
Usage: library_test.py BATON_CLUSTER FABRIC MPIEXEC CALLS_PROGRAM"""
import json
import os
import re
import subprocess
import sys
import unittest

CLUSTER, FABRIC, MPIEXEC, PROGRAM = (sys.argv.pop(1) for _ in range(4))
PATIENCE = 60
# Eager whatever the processor's profile says, also what Bruck's alltoall and halving collect.
BYTES = {"barrier": 0, "alltoall": 480}
USUAL_BYTES = 640


def shown():
    done = subprocess.run([CLUSTER, "show", "--fabric", FABRIC], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


def counted(operation, algorithm, size, ranks):
    done = subprocess.run([CLUSTER, "ask", "--fabric", FABRIC, "--operation", operation, "--algorithm", algorithm, "--by", "count",
                           "--bytes", str(size), "--ranks", str(ranks)], capture_output=True, text=True, timeout=PATIENCE, check=True)
    answer = json.loads(done.stdout)["answers"][0]
    return answer["messages"], answer["bytes_sent"]


def sent(operation, algorithm, size, ranks, calls):
    """Messages and their bytes of a whole job."""
    environment = {**os.environ, "BATON_ROOMS": "0", "BATON_CMA": "0", "BATON_COLLECTIVES": f"{operation}={algorithm}"}
    done = subprocess.run([MPIEXEC, "--timeout", str(PATIENCE), "-n", str(ranks), "--explain", PROGRAM, operation, str(size), str(calls)],
                          capture_output=True, text=True, timeout=2 * PATIENCE, env=environment)
    assert done.returncode == 0, done.stderr
    told = done.stdout + done.stderr
    assert algorithm in told, told
    part = told.split("which protocols the messages used")[1].split("by peer and by size")[0]
    scale = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
    lines = re.findall(r"^  (\w+) +(\d+) +([\d.]+) (B|KiB|MiB)", part, re.M)
    return sum(int(line[1]) for line in lines), sum(float(line[2]) * scale[line[3]] for line in lines)


class Library(unittest.TestCase):
    def test_as_many_messages_and_bytes_are_sent(self):
        for known in (each for each in shown()["algorithms"] if each["in_library"]):
            operation, algorithm = known["of"], known["name"]
            size = BYTES.get(operation, USUAL_BYTES)
            for ranks in (5, 8):
                with self.subTest(algorithm=algorithm, ranks=ranks):
                    calls = 3
                    # The first call may also make something.
                    without, whole = (sent(operation, algorithm, size, ranks, each) for each in (1, 1 + calls))
                    messages, of_bytes = counted(operation, algorithm, size, ranks)
                    self.assertEqual(whole[0] - without[0], calls * messages)
                    # Longer amounts are printed rounded.
                    self.assertAlmostEqual(whole[1] - without[1], calls * of_bytes, delta=0.01 * whole[1])


if __name__ == "__main__":
    unittest.main()
