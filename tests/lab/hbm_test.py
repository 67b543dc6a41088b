#!/usr/bin/env python3
"""`baton lab hbm`: its quick form, that it reads nothing of the source, and a build without its model. Usage: hbm_test.py
BIN_FOLDER"""
import html
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

from calls import BIN, LIBEXEC, read, run_quick
from lab.frame.programs import Programs
from lab.frame.run import Context, run_study
from lab.hbm import findings, live, model, source
from lab.studies import find

HAS_MODEL = os.path.exists(os.path.join(LIBEXEC, "baton-machine"))


@unittest.skipUnless(HAS_MODEL, "built without SimGrid")
class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_quick(cls, "hbm")
        cls.base = {row["case"]: row for row in cls.data["rows"] if row["table"] == "model" and row["assumption"] == "base"}

    def test_every_gain_of_the_source_has_one_of_ours(self):
        self.assertEqual(set(source.outputs()["gains"]), set(self.base))

    def test_one_pair_gains_nothing(self):
        self.assertLess(abs(self.base["1 pair, all in MCDRAM"]["gain_percent"]), source.POINTS_OF_NOTHING)

    def test_tendencies_are_the_sources(self):
        gain = {name: row["gain_percent"] for name, row in self.base.items()}
        self.assertLess(gain["1 pair, all in MCDRAM"], gain["17 pairs, all in MCDRAM"])
        self.assertLess(gain["17 pairs, all in MCDRAM"], gain["34 pairs, all in MCDRAM"])
        self.assertLess(gain["34 pairs, segments only"], gain["34 pairs across tiles, segments only"])
        self.assertLess(gain["34 pairs across tiles, segments only"], gain["34 pairs across tiles, all in MCDRAM"])

    def test_what_is_missed_is_said_with_its_size(self):
        for name, row in source.outputs()["gains"].items():
            ours, paper = round(self.base[name]["gain_percent"], 3) + 0.0, row["percent"]  # never minus nothing
            missed = f"{name} +{ours:.0f} instead of +{paper} %" in self.data["verdict"][0]
            self.assertEqual(missed, not findings.holds(paper, ours), name)

    def test_long_collectives_of_few_ranks_lose_and_of_many_gain_what_the_memory_has_more(self):
        gain = {row["case"]: row["gain_percent"] for row in self.data["rows"]
                if row["table"] == "collectives" and row["assumption"] == "middle"}
        self.assertAlmostEqual(gain["2 ranks"], 100 * (147 / 176 - 1), delta=1)     # latencies of DDR4 and MCDRAM
        self.assertAlmostEqual(gain["68 ranks"], 100 * (421.7 / 88.4 - 1), delta=4)  # bandwidths
        self.assertLess(gain["17 ranks"], gain["34 ranks"])

    def test_a_xeon_max_has_bands(self):
        rows = [row for row in self.data["rows"] if row["table"] == "xeon-max"]
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertLessEqual(row["least"], row["gain_percent"])
            self.assertLessEqual(row["gain_percent"], row["most"])

    def test_the_page_has_every_finding_parameter_and_figure(self):
        for finding in self.data["findings"]:
            for words in (finding["what"], finding["note"]):
                self.assertIn(html.escape(words), self.page)
        for words in [*(f"figure {number}" for number in range(1, 9)), "MCDRAM.bandwidth", "pair.bandwidth", "not found"]:
            self.assertIn(words, self.page)


class Model(unittest.TestCase):
    def test_no_step_reads_the_source(self):
        opened = []
        sys.addaudithook(lambda event, words: opened.append(str(words[0])) if event == "open" else None)
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(source, "outputs", side_effect=AssertionError("a step reads outputs.json")):
            step = model.steps(Context(folder, True, True, Programs(BIN, LIBEXEC)))[0]
            if HAS_MODEL:
                step.work(lambda said: None)
        self.assertFalse([name for name in opened if name.endswith("outputs.json")])

    def test_without_simgrid_the_remedy_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run_study(find("hbm"), Context(folder, True, False, Programs(folder))), 1)
            self.assertIn("libsimgrid-dev", read(folder, "index.html"))


class Fast(Programs):
    """A machine that seems to have fast memory, with jobs that only tell numbers."""
    RATES = {"BATON_CMA": 1000, "queues=hbm": 1.1, "queues=hbm,heap=hbm": 3, "all=hbm": 2.9}

    def answer(self, name, words):
        return {"cpus": [{"core": core} for core in range(8)], "memory": [{"tier": "dram"}, {"tier": "hbm"}]}

    def job(self, ranks, name, words, seconds, heard, launch=()):
        rate = (1000 if "BATON_CMA" in launch else 2000) * next((self.RATES[word] for word in launch if "hbm" in word), 1)
        return {"cells": [{"operation": operation, "bytes": 32 << 10, "mbs": rate * ranks} for operation in ("pairs", "broadcast")]}


class Live(unittest.TestCase):
    @unittest.skipUnless(HAS_MODEL, "built without SimGrid")
    def test_with_fast_memory_all_ways_of_using_it_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run_study(find("hbm"), Context(folder, True, True, Fast(BIN, LIBEXEC))), 0)
            data = json.loads(read(folder, "data.json"))
        rows = {(row["ranks"], row["operation"], row["memory"], row["protocol"]): row["mbs"] for row in data["rows"] if row["table"] == "live"}
        self.assertEqual(len(rows), 3 * 2 * 4 * 2)
        self.assertEqual({ranks for ranks, *_ in rows}, {2, 4, 8})
        self.assertEqual(rows[8, "pairs", "segments and buffers", live.TWO_COPIES], 24000)
        self.assertIn("segments and buffers gain the most for pairs: 3.00", data["verdict"][-1])

    def test_the_program_counts_what_arrives(self):
        cells = Programs(BIN, LIBEXEC).job(2, live.PROGRAM, ["0.002", "4", "1024", "65536"], 60, lambda said: None)["cells"]
        self.assertEqual([(cell["operation"], cell["bytes"]) for cell in cells],
                         [(operation, size) for size in (1024, 65536) for operation in ("pairs", "broadcast", "allreduce", "alltoall")])
        self.assertTrue(all(cell["mbs"] > 0 for cell in cells))

    def test_wrong_words_of_the_program_are_refused(self):
        for ranks, words in ((2, ["0.01", "1", "1048576"]), (1, ["0.01", "4", "1024"]), (2, ["0.01"])):
            with self.assertRaisesRegex(Exception, "usage: mpiexec -n RANKS baton-hbm-live"):
                Programs(BIN, LIBEXEC).job(ranks, live.PROGRAM, words, 20, lambda said: None)


if __name__ == "__main__":
    unittest.main()
