#!/usr/bin/env python3
"""The simulated half of `baton lab hybrid`: closed forms worked by hand, what the step reads, and the findings recomputed. Usage:
hybrid_model_test.py BIN_FOLDER"""
import copy
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

from calls import BIN, LIBEXEC, ROOT, read
from lab.frame.errors import LabError, StepFailed
from lab.frame.programs import Programs
from lab.frame.run import Context
from lab.frame.steps import Done
from lab.hybrid import cells, findings_model, model, shapes, source
from lab.hybrid.layouts import Layout

HAS_MODEL = os.path.exists(os.path.join(LIBEXEC, "baton-machine"))
SYSTEMS = {number: about["machine"] for number, about in source.inputs()["systems"].items()}


def context(folder, bin_folder=BIN, libexec=LIBEXEC):
    return Context(folder, True, True, Programs(bin_folder, libexec))


class Shapes(unittest.TestCase):
    def test_a_master_hands_out_half_of_a_workers_share_and_one_more(self):
        # Of 8 iterations for 2 workers: 3 (cost 6), 2 (9), then one each: 6 to the first, 7 to the second, 8 to the first.
        longest, asked = shapes.handed_out(8, 2)
        self.assertAlmostEqual(longest, 20 / 18)
        self.assertEqual(asked, 4)
        self.assertEqual(shapes.handed_out(5, 1)[0], 1)

    def test_more_iterations_are_shared_more_evenly(self):
        longest = [shapes.handed_out(count, 31)[0] for count in (62, 200, 1000, 10000)]
        self.assertEqual(longest, sorted(longest, reverse=True))
        self.assertAlmostEqual(shapes.handed_out(shapes.iterations_for(1.2, 31), 31)[0], 1.2, delta=0.02)

    def test_a_tree_reaches_everyone_once_in_as_few_rounds_as_can_be(self):
        self.assertEqual(shapes.tree(1), [])
        self.assertEqual(shapes.tree(5), [[(0, 1)], [(0, 2), (1, 3)], [(0, 4)]])
        for count in range(2, 70):
            self.assertEqual(sorted(to for pairs in shapes.tree(count) for _, to in pairs), list(range(1, count)))

    def test_blocks_are_no_wider_than_high_and_have_neighbors_both_ways(self):
        self.assertEqual([shapes.grid(count) for count in (1, 2, 8, 16, 20)], [(1, 1), (1, 2), (2, 4), (4, 4), (4, 5)])
        self.assertEqual(sorted(shapes.neighbors(2, 2)), [(0, 1, True), (0, 2, False), (1, 0, True), (1, 3, False), (2, 0, False),
                                                          (2, 3, True), (3, 1, False), (3, 2, True)])

    def test_processes_go_to_as_few_hosts_as_hold_them(self):
        self.assertEqual(cells.dealt(Layout(16, 4), 3, 24), (6, 5, 5))
        self.assertEqual(cells.dealt(Layout(16, 4, True), 3, 24), (5, 6, 5))
        self.assertEqual(cells.dealt(Layout(8, 4), 8, 8), (2, 2, 2, 2))
        self.assertIsNone(cells.dealt(Layout(16, 4, True), 8, 8))

    def by_hand(self, shape, slow, **values):
        known = {name: parameter["middle"] for name, parameter in source.inputs()["parameters"].items()}
        return shape({**known, "run_seconds": 1000, **values}, None, slow, (1e-6, 1e9))

    def cell(self, application, layout, processes=(1,)):
        return cells.Cell(application, "1", layout, True, processes, "by hand")

    def test_weather_by_hand(self):
        shape = self.by_hand(shapes.Weather, 1, **{"weather.serial": 0.1, "weather.points_y": 60, "weather.loop_overhead": 1000,
                                                  "weather.loops": 100, "weather.steps": 500, "weather.exchanges": 20})
        # 2 blocks of 30 rows; 3 of 4 threads lose half a row each; 500 x 100 loops cost 1 us for each of them.
        parts = shape.seconds(self.cell("weather", Layout(2, 4)), {"all": 2, "first": 1}, {"exchange": 1e-3, "start": 5}, 0)
        self.assertAlmostEqual(parts["computing"], 500 * (0.1 + 0.9 * 2 / 4 * (1 + 3 / 60)) + 0.15)
        self.assertAlmostEqual(parts["messages"], 10000 * 1e-3 + 5)
        self.assertEqual(parts["waiting"], 0)

    def test_hartree_fock_by_hand(self):
        shape = self.by_hand(shapes.HartreeFock, 1, **{"hartree_fock.serial": 0.1, "hartree_fock.loop_iterations": 1000,
                                                      "hartree_fock.iterations": 8, "hartree_fock.rounds": 10})
        # Of 3 processes 2 work; 20 of 1000 iterations: 1 % for each thread but one.
        cell = self.cell("hartree_fock", Layout(3, 2))
        parts = shape.seconds(cell, {"all": 1, "first": 1}, {"reduce": 2, "broadcast": 3}, 0.5)
        self.assertAlmostEqual(parts["computing"], 500 * (0.1 + 0.45 * 1.01))
        self.assertAlmostEqual(parts["waiting"], parts["computing"] / 9)
        self.assertAlmostEqual(parts["messages"], 10 * (2 * 0.5 * 4 + 5))
        self.assertEqual((cell.workers, cell.resting), (2, 1))
        on_top = self.cell("hartree_fock", Layout(3, 2, True))
        self.assertEqual((on_top.workers, on_top.resting, on_top.ranks_on_hosts), (3, 0, [2]))


class Files(unittest.TestCase):
    def test_a_number_without_a_reference_or_value_is_refused(self):
        good = {"value": 3, "unit": "s", "source": "a test", "words": "3"}
        self.assertEqual(source.checked("a", {**good, "unit": "%"})["middle"], 0.03)
        self.assertAlmostEqual(source.checked("a", {**{k: v for k, v in good.items() if k != "value"}, "range": [2, 8]})["middle"], 4)
        for change in ({"source": ""}, {"words": None}, {"unit": ""}, {"value": 0}, {"value": "3"}, {"range": [8, 2]},
                       {"range": [1, 2, 3]}):
            with self.assertRaisesRegex(LabError, "inputs.json: 'a' has n"):
                source.checked("a", {**good, **change})

    def test_every_number_of_the_tables_has_a_cell(self):
        predicted = {(cell.application, cell.system, cell.name) for cell in cells.cells(SYSTEMS)}
        tables = source.outputs()["tables"]
        self.assertEqual(sum(len(row) for table in tables.values() for row in table["speed_up"].values()), 16 + 22 + 14)
        for application, table in tables.items():
            for system, row in table["speed_up"].items():
                for name in row:
                    self.assertIn((application, system, name), predicted)

    def test_inputs_have_nothing_of_the_outputs(self):
        machines = [read(ROOT, "lab", "machines", f"{name}.json") for name in SYSTEMS.values()]
        text = "".join([read(ROOT, "lab", "hybrid", "inputs.json"), *machines])
        for word in ("speed_up", "table 3", "table 4", "table 5", "figure"):
            self.assertNotIn(word, text)


@unittest.skipUnless(HAS_MODEL, "built without SimGrid")
class Predicted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.opened = []
        sys.addaudithook(lambda event, words: cls.opened.append(str(words[0])) if event == "open" else None)
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(source, "outputs", side_effect=AssertionError("a step reads outputs.json")):
            step = model.steps(context(folder))[0]
            cls.data = json.loads(json.dumps(step.work(lambda said: None)))
        cls.read_by_step = list(cls.opened)
        cls.done = {"model": Done(step, cls.data)}

    def test_the_step_reads_inputs_and_no_outputs(self):
        self.assertTrue(any(name.endswith("hybrid/inputs.json") for name in self.read_by_step))
        self.assertFalse([name for name in self.read_by_step if name.endswith("outputs.json")])

    def test_the_prediction_is_the_same_whatever_the_source_found(self):
        other = copy.deepcopy(source.outputs())
        for table in other["tables"].values():
            for row in table["speed_up"].values():
                row.update({name: 1.0 for name in row})
        with mock.patch.object(source, "outputs", return_value=other), tempfile.TemporaryDirectory() as folder:
            step = model.steps(context(folder))[0]
            self.assertEqual(json.loads(json.dumps(step.work(lambda said: None)))["speed_up"], self.data["speed_up"])

    def test_stream_of_one_cpu_and_of_all_is_that_of_table_2(self):
        published = source.inputs()["stream"]["mbs"]
        for system, points in published.items():
            for cpus in (min(points, key=int), max(points, key=int)):
                self.assertAlmostEqual(self.data["stream_mbs"][system][cpus] / points[cpus], 1, delta=0.02)

    def test_the_shares_of_section_3_come_out_of_the_runs_they_were_taken_of(self):
        told = {name: share["middle"] for name, share in source.inputs()["shares"].items()}
        machines = model.Machines(Programs(BIN, LIBEXEC), source.inputs(), lambda said: None)
        one = model.Prediction(machines, source.inputs(), model.BASE, model.variants()[model.BASE])
        machines.run(one.teams())
        exchange, slabs = told["weather.exchange"], told["seismic.messages"]
        collective = told["hartree_fock.reduce"] + told["hartree_fock.broadcast"]
        for name, messages, waiting in (("hartree_fock", collective, told["hartree_fock.barrier"]),
                                        ("weather", exchange / 2 + told["weather.broadcast"], exchange / 2),
                                        ("seismic", slabs / 2, slabs / 2)):
            cell = one.shared_run(shapes.SHAPES[name])
            machines.run([(cell.system, case) for cases in one.rounds(cell).values() for case in cases])
            parts = one.parts(cell)
            for part, share in (("messages", messages), ("waiting", waiting)):
                self.assertAlmostEqual(parts[part] / sum(parts.values()), share, delta=0.01, msg=f"{name}: {part}")

    def test_bound_is_never_behind_in_any_variant(self):
        for label, speed_ups in self.data["speed_up"].items():
            for what, ratio in findings_model.ratios(speed_ups, findings_model.bound_over_unbound):
                self.assertGreater(ratio, 1 - findings_model.HELD, f"{label}: {what}")

    def test_no_layout_is_quicker_than_its_cpus(self):
        fastest = max(about["clock_mhz"] for about in source.inputs()["systems"].values()) / 900
        for speed_ups in self.data["speed_up"].values():
            for application, table in speed_ups.items():
                for row in table.values():
                    for name, speed_up in row.items():
                        self.assertLess(speed_up, 1.1 * fastest * findings_model.cpus_of(application, name))

    def test_the_findings_are_those_of_the_data(self):
        found = {finding.what: finding for finding in findings_model.findings_of(self.done)}
        compared = findings_model.Compared(self.data)
        self.assertEqual(found["rank correlation, tables 3 to 5, all"].ours, round(compared.spearman(), 3))
        self.assertEqual(found["rank correlation, table 3, Gamess"].met, compared.spearman("hartree_fock") >= 0.8)
        for row in compared.rows:
            what = f"speed-up of {findings_model.NAMES[row['application']]}, {row['name']}, system {row['system']}"
            self.assertEqual((found[what].paper, found[what].ours), (row["paper"], round(row["ours"], 1)))
        for name in source.outputs()["statements"]:
            self.assertEqual(found[name].met, "missed" not in " ".join(
                words for words in findings_model.verdict_of(self.done) if words.lower().startswith(name)))

    def test_rows_have_every_prediction_and_assumption(self):
        rows = findings_model.rows_of(self.done)
        self.assertEqual({row["assumption"] for row in rows if row["table"] == "sensitivity"}, set(model.variants(quick=True)))
        self.assertEqual(sum(row["table"] == "model" for row in rows), len(cells.cells(SYSTEMS)) * len(model.variants(quick=True)))


class Statistics(unittest.TestCase):
    def test_spearman_by_hand(self):
        self.assertEqual(findings_model.ranks([30, 10, 10, 20]), [4, 1.5, 1.5, 3])
        self.assertAlmostEqual(findings_model.spearman([1, 2, 3, 4], [10, 30, 20, 40]), 0.8)
        self.assertAlmostEqual(findings_model.spearman([1, 2, 3], [3, 2, 1]), -1)
        self.assertIsNone(findings_model.spearman([1, 2], [5, 5]))

    def test_pairs_count_only_on_equally_many_cpus(self):
        outputs = {"tables": {"weather": {"speed_up": {"1": {"4x2 unbound": 5, "2x4 bound": 4, "4x4 bound": 9}}}}}
        data = {"speed_up": {model.BASE: {"weather": {"1": {"4x2 unbound": 5, "2x4 bound": 6, "4x4 bound": 1}}}}}
        compared = findings_model.Compared(data, outputs=outputs)
        self.assertEqual(compared.equal_cpus(), (0, 1))
        self.assertAlmostEqual(compared.error()[0], 0.5)
        self.assertEqual(compared.error()[1]["name"], "4x4 bound")

    def test_a_step_without_data_is_said(self):
        done = {"model": Done(None, problem="no SimGrid")}
        self.assertEqual(findings_model.findings_of(done)[0].note, "no SimGrid")
        self.assertIn("no SimGrid", findings_model.verdict_of(done)[0])
        self.assertEqual(findings_model.rows_of(done), [])

    def test_without_simgrid_the_remedy_is_named(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(StepFailed, "libsimgrid-dev"):
            model.steps(context(folder, folder, folder))[0].work(lambda said: None)


if __name__ == "__main__":
    unittest.main()
