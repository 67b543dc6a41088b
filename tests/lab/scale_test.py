#!/usr/bin/env python3
"""`baton lab scale`: a quick run, what is told of it, and live measurements beside it. Usage: scale_test.py BIN_FOLDER"""
import csv
import json
import os
import tempfile
import unittest

from calls import LIBEXEC, lab, read, run_quick
from lab.frame import hosts
from lab.frame.errors import StepFailed
from lab.frame.programs import Programs
from lab.scale import division, fabrics, hosts_live, hosts_section, live, questions
from lab.scale.found import Found, Point

MODEL = os.path.join(LIBEXEC, fabrics.PROGRAM)
POINT = {"operation": "allreduce", "algorithm": "allreduce_doubling", "bytes": 8, "ranks": 32, "ranks_per_node": 8, "seconds": 1e-5}


@unittest.skipUnless(os.path.exists(MODEL), "baton-cluster was not built: no SimGrid")
class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_quick(cls, "scale")

    def test_every_point_says_how_it_was_found(self):
        self.assertTrue(self.data["complete"])
        described = [row for row in self.data["rows"] if row["fabric"] in fabrics.NAMES]
        hows = {(row["kind"], row["by"]) for row in described}
        self.assertEqual(hows, {("simulated", "flows"), ("modelled", "shares"), ("modelled", "closed form")})
        self.assertTrue(all(row["ranks"] <= 1024 for row in self.data["rows"] if row["kind"] == "simulated"))
        self.assertEqual(max(row["ranks"] for row in self.data["rows"]), 100000)
        self.assertEqual({row["fabric"] for row in described}, set(fabrics.NAMES))

    def test_flows_and_shares_agree(self):
        """Where both ran, by rows of the same point."""
        found = {}
        for row in self.data["rows"]:
            if "algorithm" in row and "by" in row:
                key = tuple(row[name] for name in ("fabric", "operation", "algorithm", "bytes", "ranks"))
                found.setdefault(key, {})[row["by"]] = row["seconds"]
        both = {key: each for key, each in found.items() if len(each) == 2}
        self.assertGreater(len(both), 200)
        for key, each in both.items():
            self.assertAlmostEqual(each["shares"] / each["flows"], 1, delta=0.05, msg=key)
        agreed = [finding for finding in self.data["findings"] if "shares against flows" in finding["what"]]
        self.assertEqual([finding["met"] for finding in agreed], [True] * 3)

    def test_page_and_table(self):
        for words in ("Where each algorithm hands over: HDR fat tree", "Memory of a rank", "Flows and shares", "Not yet: there is no", "With and without division by nodes: HDR fat tree",
                      "halving far", hosts_section.TITLE,
                      "a Slingshot dragonfly", "simulated to here, then modelled"):
            self.assertIn(words, self.page)
        with open(os.path.join(self.folder, "points.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(self.data["rows"]))
        self.assertNotIn("", {row["kind"] for row in rows})
        self.assertIn("Baton takes", json.dumps(self.data["findings"]))

    def test_live_runs_over_hosts_stand_beside_predictions(self):
        """Or the page says why there are none."""
        cells = [(row["operation"], row["bytes"], row["ranks"]) for row in self.data["rows"] if row["kind"] == "measured"]
        method = {step["step"]: step["problem"] for step in self.data["method"]}
        if method["hosts"]:
            self.assertEqual(cells, [])
            self.assertIn("not measured", method["hosts"])
            return
        self.assertEqual(cells, [(operation, size, count) for count in hosts_live.COUNTS
                                 for operation, size in hosts_live.asked(hosts_live.QUICK, count) if (operation, size) not in
                                 hosts_live.PAIRS])
        self.assertIn("predicted", self.page)

    def test_live_measurements_stand_beside_the_model(self):
        path = os.path.join(self.folder, live.FILE)
        self.addCleanup(os.remove, path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"about": "4 hosts of a test", "fabric": "hdr-fat-tree", "points": [POINT]}, file)
        done = lab("scale", "--quick", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 hosts of a test", read(self.folder, "index.html"))
        row = json.loads(read(self.folder, "data.json"))["rows"][-1]
        self.assertEqual((row["kind"], row["model_kind"], row["seconds"]), ("measured", "simulated", 1e-5))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"fabric": "hdr-fat-tree", "points": [{**POINT, "algorithm": "allreduce_owl"}]}, file)
        done = lab("scale", "--quick", "--out", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no schedule \"allreduce_owl\"", done.stderr)


class Live(unittest.TestCase):
    def test_files_that_are_wrong_are_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, live.FILE)
            for content, words in (("{", live.FILE), ("[]", "has no list"), ('{"points": []}', "has no list"),
                                   (json.dumps({"points": [{}]}), "point 1 has no operation, bytes"),
                                   (json.dumps({"points": [{**POINT, "seconds": 0}]}), "must be positive"),
                                   (json.dumps({"points": [POINT], "fabric": "rope"}), "\"fabric\" is one of")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(content)
                with self.assertRaises(StepFailed) as refused:
                    live.read(path)
                self.assertIn(words, str(refused.exception))


class Hosts(unittest.TestCase):
    def test_the_model_is_told_messages_between_two_hosts_alone(self):
        fabric = hosts_live.fabric_of({("exchange", 8): [9, 10, 12], ("window", 1 << 20): [1000, 524.288, 400],
                                       ("exchange", 1 << 20): [700, 699.051, 600]}, 2)
        values = {name: parameter["value"] for name, parameter in fabric["parameters"].items()}
        self.assertAlmostEqual(values["network.overhead"], 5000)
        self.assertAlmostEqual(values["network.bandwidth"], 3, places=4)
        self.assertAlmostEqual(values["network.message_bandwidth"], 2)
        self.assertEqual(fabric["topology"], {"kind": "one machine", "nodes": 8, "cores": 2})

    def test_errors_are_of_the_measured_median(self):
        points = [{"us": [1, 2, 3], "model_us": model} for model in (2, 3, 1)]
        self.assertEqual([hosts_live.error_of(point) for point in points], [0, 0.5, -0.5])
        self.assertEqual(hosts_live.errors(points), 0.5)

    def test_without_sources_nothing_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("take Baton's sources", hosts.why_not(Programs(os.path.join(folder, "bin"))))


class Told(unittest.TestCase):
    def fabric(self, times):
        """{algorithm: {size: seconds}} of 64 ranks."""
        made = Found("hdr-fat-tree", 16, {})
        for name, by_size in times.items():
            for size, seconds in by_size.items():
                made.flows["allreduce", name, size, 64] = Point(seconds, "simulated", "flows")
        made.selections["allreduce", 64] = [{"bytes_from": 0, "algorithm": "allreduce_doubling"},
                                            {"bytes_from": 1024, "algorithm": "allreduce_halving"}]
        return made

    def test_hand_overs_are_where_another_is_quicker(self):
        one = self.fabric({"allreduce_doubling": {8: 1, 512: 2, 4096: 9}, "allreduce_halving": {8: 3, 512: 1.99, 4096: 4}})
        self.assertEqual(one.hand_overs("allreduce", 64), [(8, "allreduce_doubling"), (4096, "allreduce_halving")])
        self.assertEqual(one.chosen("allreduce", 512, 64), "allreduce_doubling")
        self.assertEqual(one.chosen("allreduce", 4096, 64), "allreduce_halving")

    def test_regret_is_of_the_librarys_choice(self):
        one = self.fabric({"allreduce_doubling": {8: 1, 512: 2}, "allreduce_ring": {8: 4, 512: 0.5}})
        self.assertEqual(one.regret("allreduce", 64), (4, 512))

    def test_division_is_compared_with_the_quickest_without(self):
        one = self.fabric({"allreduce_doubling": {8: 1, 512: 4, 4096: 9}, "allreduce_halving": {8: 3, 512: 2, 4096: 4},
                           "allreduce_by_nodes": {8: 2, 512: 1, 4096: 8}, "allreduce_halving_far": {8: .1, 512: .1, 4096: .1}})
        one.described = {"algorithms": [{"name": name, "in_library": name != "allreduce_halving_far"}
                                        for name in questions.ALGORITHMS["allreduce"]]}
        pairs = division.compared(one, "allreduce", 64)
        self.assertEqual(pairs[1], (512, ("allreduce_halving", 2), ("allreduce_by_nodes", 1)))
        self.assertEqual(division.stretches(pairs), "512 B to 512 B")
        self.assertEqual(division.ratio_of(pairs), ((0.5, 8), (2, 512)))

    def test_nothing_is_asked_by_flows_that_is_too_much_for_them(self):
        plan = questions.Plan(16, 100000, False)
        for operation, _, _, ranks in questions.points(plan, questions.FLOWS):
            self.assertLessEqual(ranks, questions.FLOWS_ALLTOALL if operation == "alltoall" else questions.FLOWS_RANKS)


if __name__ == "__main__":
    unittest.main()
