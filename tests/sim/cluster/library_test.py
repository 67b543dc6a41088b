#!/usr/bin/env python3
"""Schedules of the library's algorithms have as many messages and bytes as the library really sends (mpiexec --explain), of
those divided by nodes between nodes, where this machine has libfabric.
Usage: library_test.py BATON_CLUSTER FABRIC MPIEXEC CALLS_PROGRAM"""
import json
import os
import re
import subprocess
import sys
import unittest

CLUSTER, FABRIC, MPIEXEC, PROGRAM = (sys.argv.pop(1) for _ in range(4))
PATIENCE = 600
# Eager whatever the processor's profile says, also what Bruck's alltoall and halving collect.
BYTES = {"barrier": 0, "alltoall": 480}
USUAL_BYTES = 640
CALLS = 3
ALONE = ((5, 1), (8, 1))
BY_NODES = ((6, 2), (8, 3))  # (ranks, ranks of a node); of the last, the last node has fewer
WITHOUT_ROOMS = {"BATON_ROOMS": "0", "BATON_CMA": "0"}


def shown():
    done = subprocess.run([CLUSTER, "show", "--fabric", FABRIC], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


def counted(operation, algorithm, size, ranks, per_node):
    """(messages, bytes); None where the library cannot take it on such nodes."""
    done = subprocess.run([CLUSTER, "ask", "--fabric", FABRIC, "--operation", operation, "--algorithm", algorithm, "--by", "count",
                           "--bytes", str(size), "--ranks", str(ranks), "--ranks-per-node", str(per_node)],
                          capture_output=True, text=True, timeout=PATIENCE)
    if "needs nodes of equally many" in done.stderr:
        return None
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)["answers"][0]
    return answer["messages"], answer["bytes_sent"]


def run(operation, algorithm, size, ranks, per_node, calls):
    more = WITHOUT_ROOMS if per_node == 1 else {"BATON_RANKS_PER_NODE": str(per_node)}
    environment = {**os.environ, **more, "BATON_COLLECTIVES": f"{operation}={algorithm}"}
    return subprocess.run([MPIEXEC, "--timeout", str(PATIENCE), "-n", str(ranks), "--explain", PROGRAM, operation, str(size), str(calls)],
                          capture_output=True, text=True, timeout=2 * PATIENCE, env=environment)


def sent(*asked):
    """Messages and their bytes of a whole job."""
    done = run(*asked)
    assert done.returncode == 0, done.stderr
    told = done.stdout + done.stderr
    assert asked[1] in told, told
    part = told.split("which protocols the messages used")[1].split("by peer and by size")[0]
    scale = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
    lines = re.findall(r"^  ([\w ]+?) +(\d+) +([\d.]+) (B|KiB|MiB)", part, re.M)
    return sum(int(line[1]) for line in lines), sum(float(line[2]) * scale[line[3]] for line in lines)


class Library(unittest.TestCase):
    def compare(self, known, shapes):
        operation, algorithm = known["of"], known["name"]
        size = BYTES.get(operation, USUAL_BYTES)
        for ranks, per_node in shapes:
            with self.subTest(algorithm=algorithm, ranks=ranks, per_node=per_node):
                expected = counted(operation, algorithm, size, ranks, per_node)
                if expected is None:
                    continue
                # The first call may also make something.
                without, whole = (sent(operation, algorithm, size, ranks, per_node, each) for each in (1, 1 + CALLS))
                self.assertEqual(whole[0] - without[0], CALLS * expected[0])
                # Longer amounts are printed rounded.
                self.assertAlmostEqual(whole[1] - without[1], CALLS * expected[1], delta=0.01 * whole[1])

    def test_as_many_messages_and_bytes_are_sent(self):
        for known in shown()["algorithms"]:
            if known["in_library"] and "_by_nodes" not in known["name"]:
                self.compare(known, ALONE)

    def test_as_many_are_sent_between_nodes(self):
        if run("barrier", "barrier_by_nodes", 0, 4, 2, 1).returncode:
            self.skipTest("no job of several nodes runs here")
        for known in shown()["algorithms"]:
            if known["in_library"] and "_by_nodes" in known["name"]:
                self.compare(known, BY_NODES)


if __name__ == "__main__":
    unittest.main()
