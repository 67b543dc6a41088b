#!/usr/bin/env python3
"""baton-cluster as the lab calls it: the fabrics that are shipped, questions from a file, and errors in one line."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FABRICS = sys.argv.pop(1), sys.argv.pop(1)
PATIENCE = 1200


def call(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=PATIENCE)


def fabric(name):
    return os.path.join(FABRICS, name)


FAT_TREE = "hdr-fat-tree.json"


class Questions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="questions.json"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def answers(self, name, questions):
        done = call("run", "--fabric", fabric(name), "--questions", self.file(questions))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["answers"]

    def refusal(self, *words):
        done = call(*words)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def agree(self, name, questions, within=0.05):
        """By flows and otherwise."""
        both = self.answers(name, [{**question, "by": by} for question in questions for by in ("flows", "shares")])
        for flows, shares in zip(both[::2], both[1::2]):
            self.assertEqual((flows["kind"], shares["kind"]), ("simulated", "modelled"))
            self.assertAlmostEqual(shares["seconds"] / flows["seconds"], 1, delta=within, msg=f"{name} {shares}")
        return both

    def test_shipped_fabrics_have_a_reference_for_each_number(self):
        names = sorted(os.listdir(FABRICS))
        self.assertIn(FAT_TREE, names)
        for name in names:
            done = call("show", "--fabric", fabric(name))
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = json.loads(done.stdout)
            for parameter in shown["parameters"].values():
                self.assertGreater(len(parameter["source"]), 20)
            self.assertIn({"name": "allreduce_ring", "of": "allreduce", "words": "parts go round twice", "in_library": False},
                          shown["algorithms"])

    def test_shipped_fabrics_agree_by_flows_and_by_shares(self):
        for name in sorted(os.listdir(FABRICS)):
            shown = json.loads(call("show", "--fabric", fabric(name)).stdout)
            ranks = 8 * shown["ranks_per_node"]
            self.agree(name, [{"operation": each["of"], "algorithm": each["name"], "ranks": ranks,
                               "bytes": 0 if each["of"] == "barrier" else size * (ranks // 4 if each["of"] == "alltoall" else 1)}
                              for each in shown["algorithms"] for size in (8, 65536)])

    def test_samples_agree_with_all_steps(self):
        """A ring of 1024 ranks, and an alltoall of 4096 nodes' worth, are sampled; the same is simulated whole in parts."""
        whole, sampled = self.answers("myrinet.json", [
            {"operation": "allreduce", "algorithm": "allreduce_ring", "bytes": 1 << 20, "ranks": ranks, "by": "shares"}
            for ranks in (950, 1050)])
        self.assertEqual((whole["by"], sampled["by"]), ("shares", "sampled shares"))
        # Of so long a vector each rank sends all of it twice, and a latency for each step.
        self.assertAlmostEqual(sampled["seconds"] / whole["seconds"], 1, delta=0.1)

    def test_scatters_in_three_orders(self):
        questions = [{"operation": "scatter", "order": order, "bytes": 65536, "ranks": 128, "busy": 0.5, "busy_bytes": 4000000}
                     for order in ("rank", "status", "blocking")]
        for name in sorted(os.listdir(FABRICS)):
            by_rank, _, by_status, _, blocking, _ = self.agree(name, questions)
            self.assertLess(by_status["mean_idle"], by_rank["mean_idle"])
            self.assertGreater(blocking["seconds"], 1.02 * by_status["seconds"])

    def test_start_and_memory(self):
        self.agree(FAT_TREE, [{"operation": "startup", "ranks": ranks} for ranks in (16, 1600, 8000)])
        small, large = self.answers(FAT_TREE, [{"operation": "memory", "ranks": ranks, "near": 15, "far": 32}
                                               for ranks in (160, 100000)])
        self.assertGreater(large["bytes_of_rank"], small["bytes_of_rank"])
        self.assertTrue(large["parts"]["addresses of all processes"]["assumed"])

    def test_the_librarys_choice_is_told_with_its_reason(self):
        chosen, rows = self.answers(FAT_TREE, [{"operation": "allreduce", "bytes": 8, "ranks": 64},
                                               {"operation": "selection", "of": "allreduce", "ranks": 64}])
        self.assertEqual(chosen["chosen"], rows["rows"][0]["algorithm"])
        self.assertTrue(chosen["reason"])
        self.assertEqual(rows["rows"][0]["bytes_from"], 0)

    def test_a_hundred_thousand_ranks(self):
        for answer in self.answers(FAT_TREE, [{"operation": "allreduce", "bytes": 8, "ranks": 100000},
                                              {"operation": "barrier", "ranks": 100000}]):
            self.assertEqual((answer["kind"], answer["by"]), ("modelled", "shares"))

    def on_one_machine(self, cores, *questions, **parameters):
        """Seconds on a machine of four hosts, without what costs nothing there."""
        with open(fabric(FAT_TREE), encoding="utf-8") as file:
            made = json.load(file)
        made["topology"] = {"kind": "one machine", "nodes": 4, "cores": cores}
        for name, value in {"network.latency": 1e-6, "network.overhead": 1e-6, "message.header": 1e-6, "network.message_bandwidth": 1,
                            **parameters}.items():
            unit = made["parameters"].get(name, {"unit": "GB/s"})["unit"]
            made["parameters"][name] = {"value": value, "unit": unit, "source": "made for a test"}
        done = call("run", "--fabric", self.file(made, "machine.json"), "--questions", self.file(
            [{"ranks_per_node": 1, "by": "flows", **question} for question in questions]))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [answer["seconds"] for answer in json.loads(done.stdout)["answers"]]

    def test_hosts_of_one_machine_share_its_cores(self):
        """A barrier of two ranks is a send and a receive of each, a microsecond of a core each; of four ranks twice that."""
        asked = [{"operation": "barrier", "algorithm": "barrier_dissemination", "ranks": ranks} for ranks in (2, 4)]
        for cores, times in ((4, (2e-6, 4e-6)), (2, (2e-6, 8e-6)), (1, (4e-6, 16e-6))):
            for seconds, expected in zip(self.on_one_machine(cores, *asked, **{"network.overhead": 1000}), times):
                self.assertAlmostEqual(seconds / expected, 1, delta=0.01, msg=f"{cores} cores")

    def test_hosts_of_one_machine_share_one_link(self):
        """12 blocks of 10 kB at 1 GB/s."""
        [seconds] = self.on_one_machine(4, {"operation": "alltoall", "algorithm": "alltoall_pairwise", "ranks": 4, "bytes": 40000},
                                        **{"network.bandwidth": 1, "message.eager_max": 1e9})
        self.assertAlmostEqual(seconds / 120e-6, 1, delta=0.01)
        [alone] = self.on_one_machine(4, {"operation": "broadcast", "algorithm": "broadcast_binomial", "ranks": 2, "bytes": 10000},
                                      **{"network.bandwidth": 2, "network.message_bandwidth": 1, "message.eager_max": 1e9})
        self.assertAlmostEqual(alone / 10e-6, 1, delta=0.01)

    def test_a_barrier_may_follow(self):
        call_of = {"operation": "broadcast", "algorithm": "broadcast_binomial", "ranks": 4, "bytes": 8}
        alone, barrier, both = self.on_one_machine(4, call_of, {"operation": "barrier", "ranks": 4}, {**call_of, "then_barrier": True},
                                                   **{"network.overhead": 1000})
        self.assertLess(max(alone, barrier), both)
        self.assertLessEqual(both, 1.01 * (alone + barrier))

    def test_division_by_nodes_wants_equal_ones_where_the_library_does(self):
        bad = self.file([{"operation": "allgather", "algorithm": "allgather_by_nodes", "bytes": 8, "ranks": 63}])
        self.assertIn("needs nodes of equally many", self.refusal("run", "--fabric", fabric(FAT_TREE), "--questions", bad))
        for name in ("allreduce_by_nodes", "broadcast_by_nodes", "reduce_by_nodes"):
            self.agree(FAT_TREE, [{"operation": name.split("_")[0], "algorithm": name, "bytes": size, "ranks": 250}
                                  for size in (8, 1 << 20)])

    def test_one_question_on_the_command_line(self):
        done = call("ask", "--fabric", fabric(FAT_TREE), "--operation", "broadcast", "--ranks", "64", "--bytes", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["answers"][0]["seconds"], 0)

    def test_errors_name_what_is_wrong(self):
        tree = fabric(FAT_TREE)
        self.assertIn("nowhere.json: no such file of a fabric", self.refusal("show", "--fabric", "nowhere.json"))
        self.assertIn("none.json: no such file", self.refusal("run", "--fabric", tree, "--questions", "none.json"))
        self.assertIn("is no list of questions", self.refusal("run", "--fabric", tree, "--questions", self.file({})))
        self.assertIn("bad.json: ", self.refusal("show", "--fabric", self.file("{", "bad.json")))
        asked = {"operation": "broadcast", "bytes": 8, "ranks": 64}
        for change, words in (({"ranks": 0}, "\"ranks\" must be a whole number, at least 1"),
                              ({"ranks": 1 << 40}, "the fabric has 8008"),
                              ({"ranks_per_node": 0}, "\"ranks_per_node\" must be"),
                              ({"bytes": -1}, "\"bytes\" must be"),
                              ({"algorithm": "broadcast_owl"}, "there is no schedule \"broadcast_owl\" of a broadcast"),
                              ({"algorithm": "allreduce_ring"}, "there is no schedule \"allreduce_ring\" of a broadcast"),
                              ({"operation": "sing"}, "there is no operation \"sing\""),
                              ({"by": "heart"}, "\"by\" is flows, shares, auto or count"),
                              ({"by": "shares", "then_barrier": True}, "are by flows only"),
                              ({"by": "flows", "ranks": 2048}, "too much by flows"),
                              ({"speed": 3}, "\"speed\" is unknown; there are operation"),
                              ({"ranks": "many"}, "\"ranks\" must be"),
                              ({"operation": "scatter", "order": "odd"}, "\"order\" is rank, status or blocking")):
            bad = self.file([{**asked, **change}], "bad.json")
            told = self.refusal("run", "--fabric", tree, "--questions", bad)
            self.assertIn("question 1: ", told)
            self.assertIn(words, told)

    def test_a_fabric_that_does_not_fit_is_refused(self):
        with open(fabric("slingshot-dragonfly.json"), encoding="utf-8") as file:
            good = json.load(file)
        for topology, words in (({"kind": "torus"}, "is crossbar, one machine, fat tree or dragonfly"),
                                ({"kind": "one machine", "nodes": 65, "cores": 2}, "has at most 64 hosts"),
                                ({"kind": "one machine", "nodes": 4}, "has no \"cores\""),
                                ({"kind": "crossbar", "nodes": 0}, "\"nodes\" must be a whole number"),
                                ({"kind": "fat tree", "down": [4, 4], "up": [1], "links": [1, 1]}, "must have as many levels"),
                                ({"kind": "fat tree", "down": [4000, 4000], "up": [1, 1], "links": [1, 1]}, "has more than"),
                                ({**good["topology"], "groups": 33}, "a group has a switch for each group")):
            self.assertIn(words, self.refusal("show", "--fabric", self.file({**good, "topology": topology}, "fabric.json")))
        for name in ("network.latency", "record.bytes"):
            parameters = {key: value for key, value in good["parameters"].items() if key != name}
            self.assertIn(f"there is no parameter {name}",
                          self.refusal("show", "--fabric", self.file({**good, "parameters": parameters}, "fabric.json")))
        untitled = {key: value for key, value in good.items() if key != "title"}
        self.assertIn("has no \"title\"", self.refusal("show", "--fabric", self.file(untitled, "fabric.json")))

    def test_a_report_that_cannot_be_written_is_an_error(self):
        self.assertIn("cannot be written", self.refusal("show", "--fabric", fabric(FAT_TREE), "--out", "/nowhere/x"))


if __name__ == "__main__":
    unittest.main()
