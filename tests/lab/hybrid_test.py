#!/usr/bin/env python3
"""`baton lab hybrid`: its layouts, what is made of the runs, reading a file, its quick form, a user's command, and wrong calls.
Usage: hybrid_test.py BIN_FOLDER"""
import json
import os
import stat
import tempfile
import unittest

from calls import BIN, lab, read, run_quick
from lab.frame.steps import Done
from lab.hybrid import apps, live, reading, reading_section, verdict
from lab.hybrid.layouts import Layout, layouts_on

CPUS = len(os.sched_getaffinity(0))


def run(seconds, mpi=0.0, waiting=0.0):
    return {"seconds": seconds, "mpi": mpi, "waiting": waiting, "kinds": {}}


def measured(runs, app=apps.APPS[0], cpus=2):
    return live.Measured(app, {"cpus": cpus, "command": [], "runs": runs})


class Layouts(unittest.TestCase):
    def test_those_that_fill_the_cpus_come_in_all_divisions(self):
        names = [layout.name for layout in layouts_on(8, True) if layout.cpus == 8]
        self.assertEqual(names, ["1x8", "1+1x8", "2x4", "1+2x4", "4x2", "1+4x2", "8x1", "1+8x1"])
        self.assertEqual({layout.cpus for layout in layouts_on(8, False)}, {8, 4, 2, 1})

    def test_cpus_that_are_no_power_of_two_are_divided_as_far_as_they_can_be(self):
        self.assertEqual([layout.name for layout in layouts_on(6, False)], ["1x6", "3x2", "6x1", "1x3", "3x1", "1x1"])
        self.assertEqual([layout.name for layout in layouts_on(1, True)], ["1x1", "1+1x1"])

    def test_many_cpus_have_few_layouts(self):
        self.assertLess(len(layouts_on(128, True)), 80)
        self.assertTrue(all(layout.cpus <= 128 for layout in layouts_on(128, True)))

    def test_the_seismic_code_runs_in_no_hybrid_mode(self):
        seismic = next(app for app in apps.APPS if not app.threads)
        self.assertFalse([layout for layout, _ in live.runs_of(seismic, 16) if layout.ranks > 1 and layout.threads > 1])

    def test_a_pattern_of_arguments_is_filled_in(self):
        self.assertEqual(apps.filled_in(["a", "-n{ranks}", "{threads}"], Layout(4, 2, True)), ["a", "-n5", "2"])

    def test_a_programs_own_time_counts(self):
        self.assertEqual(apps.seconds_in("energy: 1\ntime: 2.500 s\n"), 2.5)
        self.assertIsNone(apps.seconds_in("time: now\n"))


class Findings(unittest.TestCase):
    def test_the_best_layout_is_named_with_what_costs_the_slowest_more(self):
        one = measured({"1x1 serial": [run(10)], "2x1 bound": [run(10, .5, .45)], "1x2 bound": [run(5)]})
        self.assertEqual(one.best(), ("1x2", "bound"))
        self.assertIn("2x1 bound takes 100 % longer, mostly by waiting in MPI (imbalance)", verdict.of_one(one))
        costs = live.costs(one, "2x1", "bound")
        self.assertAlmostEqual(sum(costs.values()), 2)
        self.assertAlmostEqual(costs[live.WAITING], .9)
        slow = measured({"1x1 serial": [run(10)], "2x1 bound": [run(5, .02, .01)], "1x2 bound": [run(8)]})
        self.assertIn("mostly by computing", verdict.of_one(slow))
        much = measured({"1x1 serial": [run(10)], "2x1 bound": [run(8, .4, .1)], "1x2 bound": [run(5)]})
        self.assertIn("mostly by moving data in MPI", verdict.of_one(much))

    def test_a_lead_within_the_noise_is_called_so(self):
        runs = {"1x1 serial": [run(10)] * 3, "2x1 bound": [run(5), run(5.4), run(5.8)], "1x2 bound": [run(5.5)] * 3}
        self.assertIn("within the noise", verdict.of_one(measured(runs)))
        runs["2x1 bound"] = [run(4), run(4.1), run(4.2)]
        self.assertNotIn("within the noise", verdict.of_one(measured(runs)))

    def test_an_extra_master_and_binding_are_compared_like_for_like(self):
        one = measured({"1x1 serial": [run(10)], "2x1 bound": [run(10)], "2x1 unbound": [run(8)], "1+2x1 bound": [run(5)]})
        self.assertEqual(verdict.of_master([one]), ["An extra master: 1+2x1 2.00 times as fast as 2x1."])
        two = measured({"1x1 serial": [run(10)], "2x1 bound": [run(10)], "2x1 unbound": [run(8)]})
        self.assertIn("0.80 to 0.80 times", verdict.of_binding([two])[0])

    def test_shares_are_those_of_ranks_that_have_a_cpu(self):
        call = {"name": "MPI_Reduce", "sizes": [{"seconds": 1.0}, {"seconds": 1.0}]}
        rank = {"run_seconds": 10.0, "mpi_seconds": 2.0, "waiting_seconds": 1.0, "calls": [call]}
        shares = live.shares_of([rank, {**rank, "calls": []}])
        self.assertEqual((shares["mpi"], shares["waiting"], shares["kinds"]), (.2, .1, {"reduce": .1}))


def read_in(seconds, memory, counted=True):
    return {"seconds": seconds, "memory": memory, **({"asked": 100.0, "stored": 0.0} if counted else {})}


def reading_done(runs_of_way, problem=""):
    """Of a machine of two CPUs; runs_of_way: way -> the runs of each layout and place."""
    runs = {f"{layout.name} {way} {place}": runs_of_way[way] for layout in reading.layouts(2) for way in reading.WAYS
            for place in reading.PLACES} if runs_of_way else {}
    return {reading.NAME: Done(None, runs and {"cpus": 2, "megabytes": 100.0, "runs": runs}, problem=problem)}


class Reading(unittest.TestCase):
    def test_ranks_alone_threads_alone_and_both_read_also_on_few_cpus(self):
        for cpus in (1, 2, 4, 16):
            self.assertEqual({reading.form_of(layout) for layout in reading.layouts(cpus)}, {"ranks only", "hybrid", "threads only"})

    def test_read_together_nodes_share_the_file_and_read_by_each_every_rank_has_it(self):
        self.assertEqual(reading.of_node("each", 8, 64), {"asked": 64, "messages": 0, "memory": 64})
        self.assertEqual(reading.of_node("one", 1, 64), {"asked": 1, "messages": 0, "memory": 64})
        self.assertEqual(reading.of_node("one", 8, 1), {"asked": 1, "messages": 1, "memory": 1})
        self.assertEqual(reading.of_node("collective", 8, 64), {"asked": 1 / 8, "messages": 0, "memory": 1 / 8})

    def test_the_verdict_compares_round_by_round(self):
        done = reading_done({"collective": [read_in(1, 100), read_in(2, 100), read_in(3, 100)],
                             "one": [read_in(2, 400), read_in(4, 400), read_in(3, 400)],
                             "each": [read_in(3, 400), read_in(5, 400), read_in(9, 400)]})
        words, = reading.verdict(done)
        self.assertIn("4 ranks that read together take 100 MB of memory; 400 MB if each reads", words)
        self.assertIn("3.0 and 2.0 times as long", words)

    def test_what_the_kernel_does_not_count_is_missing_and_all_else_is_there(self):
        done = reading_done({way: [read_in(1, 100, counted=False)] for way in reading.WAYS})
        self.assertNotIn("asked_megabytes", reading.rows(done)[0])
        self.assertIn("<td", reading_section.sections(done)[0])

    def test_the_page_says_where_nothing_came_from_storage_and_that_ranks_share_cpus(self):
        page = reading_section.sections(reading_done({way: [read_in(1, 100)] for way in reading.WAYS}))[0]
        self.assertIn("nothing came from storage", page)
        self.assertIn("This machine has 2 CPUs, which the ranks share", page)

    def test_a_step_that_failed_is_said(self):
        done = reading_done(None, "no space")
        self.assertEqual(reading.verdict(done), ["How the seismic program reads was not measured: no space."])
        self.assertIn("no space", reading_section.sections(done)[0])
        self.assertTrue(all(row["kind"] == "modelled" for row in reading.rows(done)))
        self.assertEqual((reading.verdict({}), reading.rows({}), reading_section.sections({})), ([], [], []))


@unittest.skipIf(CPUS < 2, "one CPU has one layout")
class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_quick(cls, "hybrid")

    def test_every_layout_of_every_application_is_there(self):
        for app in apps.APPS:
            rows = [row for row in self.data["rows"] if row["table"] == "live" and row["application"] == app.name]
            self.assertEqual({(row["layout"], row["binding"]) for row in rows},
                             {(layout.name, binding) for layout, binding in live.runs_of(app, CPUS)})
            self.assertTrue(all(row["speed_up"] > 0 for row in rows))

    def test_the_verdict_names_the_best_of_each(self):
        for app in apps.APPS:
            best = max((row for row in self.data["rows"] if row["table"] == "live" and row["application"] == app.name),
                       key=lambda row: row["speed_up"])
            sentence = next(words for words in self.data["verdict"] if words.startswith(f"{app.name}: "))
            self.assertIn(f"{best['layout']} {best['binding']} is best", sentence)

    def test_the_file_is_read_and_held_once_by_ranks_together_and_by_every_rank_if_each_reads(self):
        rows = [row for row in self.data["rows"] if row["table"] == "reading"]
        self.assertEqual(len(rows), len(reading.layouts(CPUS)) * len(reading.WAYS) * len(reading.PLACES))
        files, many = rows[0]["file_megabytes"], reading.Measured({"cpus": CPUS, "megabytes": 0, "runs": {}}).most_ranks()
        asked = {row["way"]: row["asked_megabytes"] / files for row in rows if row["layout"] == many.name}
        held = {row["way"]: row["memory_megabytes"] for row in rows if row["layout"] == many.name}
        self.assertLess(max(asked["collective"], asked["one"]), 2)
        self.assertGreater(asked["each"], many.ranks - .1)
        self.assertGreater(min(held["one"], held["each"]), 2 * held["collective"])
        self.assertIn("How the seismic program reads on this machine", self.page)
        self.assertIn("What reading takes of nodes", self.page)

    def test_a_master_that_computes_nothing_waits_half_of_two_ranks_time(self):
        row = next(row for row in self.data["rows"] if row.get("application") == "Hartree-Fock" and row["layout"] == "2x1"
                   and row["binding"] == "bound") if CPUS == 2 else None
        if row:
            self.assertGreater(row["waiting_percent"], 30)
            self.assertGreater(row["point-to-point_percent"], 30)


@unittest.skipIf(CPUS < 2, "one CPU has one layout")
class Command(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name

    def test_a_users_command_is_run_in_every_layout_with_its_arguments_filled_in(self):
        program = os.path.join(self.folder, "program.sh")
        with open(program, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\necho \"$@\" $OMP_NUM_THREADS >> {self.folder}/seen\nexec {BIN}/../libexec/baton/baton-weather "
                       "--cells 60 --steps 5\n")
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        done = lab("hybrid", "--quick", "--out", self.folder, "--", program, "{ranks}", "of", "{threads}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 1 1", read(self.folder, "seen"))
        self.assertIn(f"1 of {CPUS} {CPUS}", read(self.folder, "seen"))
        data = json.loads(read(self.folder, "data.json"))
        self.assertIn("command: ", data["verdict"][0])
        self.assertEqual({row["layout"] for row in data["rows"] if row["table"] == "live"},
                         {layout.name for layout, _ in live.runs_of(apps.App("command", "", ""), CPUS)})

    def test_a_command_that_fails_says_so_and_leaves_a_page(self):
        done = lab("hybrid", "--quick", "--out", self.folder, "--", "false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("baton lab hybrid: command: mpiexec ended with", done.stderr)
        self.assertIn("was not measured", read(self.folder, "index.html"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
