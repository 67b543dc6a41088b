#!/usr/bin/env python3
"""The live part of the scatter study measures what it is asked for, checks its data and prints JSON.
Usage: scatter_live_test.py MPIEXEC PROGRAM"""
import json
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]
WATCHDOG_SECONDS = 900


def run(ranks, *words):
    return subprocess.run([MPIEXEC, "--timeout", str(WATCHDOG_SECONDS), "-n", str(ranks), PROGRAM, *words],
                          capture_output=True, text=True, timeout=2 * WATCHDOG_SECONDS)


def measured(ranks, *words):
    done = run(ranks, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


class ScatterLive(unittest.TestCase):
    def test_every_cell_has_every_order_with_its_times(self):
        told = measured(7, "rounds=2", "blocks=0,5,70000", "root=3", "busy=50", "earlier=65536-262144", "samples=1",
                        "orders=rank,status,blocking,direct,again")
        self.assertEqual((told["ranks"], told["root"], told["rounds"]), (7, 3, 2))
        self.assertEqual([(cell["operation"], cell["block_bytes"]) for cell in told["cells"]],
                         [(operation, block) for operation in ("scatter", "gather") for block in (0, 5, 70000)])
        for cell in told["cells"]:
            self.assertEqual([order["order"] for order in cell["orders"]], ["rank", "status", "blocking", "direct", "again"])
            for order in cell["orders"]:
                for time in ("idle", "root", "all"):
                    self.assertEqual(len(order[f"{time}_us_samples"]), 2)
                    self.assertGreater(order[f"{time}_us"], 0)
                self.assertEqual("idle_gain_over_rank" in order, order["order"] != "rank")
                if "idle_gain_over_rank" in order:
                    least, most = order["idle_gain_over_rank_interval"]
                    self.assertTrue(least <= order["idle_gain_over_rank"] <= most)

    def test_two_ranks_and_nobody_busy(self):
        told = measured(2, "rounds=1", "blocks=1000", "operation=gather", "orders=auto", "place=first")
        self.assertEqual(len(told["cells"]), 1)

    def test_words_that_mean_nothing_are_refused(self):
        for word in ("rounds=0", "blocks=x", "root=2", "ordres=rank", "earlier=5-1", "operation=bcast", "blocks=1,", "orders=rank,state",
                     "orders="):
            with self.subTest(word):
                done = run(2, word)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("means nothing", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
