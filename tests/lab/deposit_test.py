#!/usr/bin/env python3
"""`baton lab deposit`: its quick form, that no step reads what the source found, and the model of its network against times
worked out by hand. Usage: deposit_test.py BIN_FOLDER"""
import html
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

from calls import BIN, LIBEXEC, read, run_quick
from lab.deposit import findings, live, model, network, network_live, source
from lab.deposit.network import PUSHED, READS, Costs, Host, Protocol, Queue, bandwidth, post, transfer
from lab.frame.errors import LabError
from lab.frame.live import ABSENT
from lab.frame.medians import spread
from lab.frame.programs import Programs
from lab.frame.run import Context, run_study
from lab.studies import find

COSTS = Costs(raw=100, copy=200, send_us=30, latency_us=10, redirect_us=9, page_us=0)
KIB, MIB = 1 << 10, 1 << 20


class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run_quick(cls, "deposit")

    def test_every_tendency_of_the_source_has_one_of_ours(self):
        found = {finding["what"]: finding for finding in self.data["findings"]}
        for row in source.outputs()["tendencies"].values():
            self.assertEqual(found[row["what"]]["paper"], row["paper"])
            self.assertTrue(found[row["what"]]["ours"])

    def test_what_comes_out_is_what_the_bounds_say(self):
        data = json.loads(read(self.folder, "raw", "model.json"))["data"]
        self.assertEqual({pattern: len(findings.held(data, "base", pattern)) for pattern in network.PATTERNS},
                         {"stream": 3, "ping-pong": 5, "ping-pong, receives posted first": 5})

    def test_delayed_sends_undo_the_fall(self):
        rates = {(row["mode"], row["bytes"]): row["mbs"] for row in self.data["rows"]
                 if row["table"] == "model" and row["assumption"] == "base" and row["pattern"] == "ping-pong"}
        for size in (2 * MIB, 3 * MIB):
            self.assertLess(rates["5", size], 0.95 * rates["5 delayed", size])
            self.assertGreater(rates["5 delayed", size], 0.99 * rates["5 delayed", MIB])

    def test_every_mode_was_measured_in_every_case(self):
        rows = [row for row in self.data["rows"] if row["table"] == "live"]
        self.assertEqual(len(rows), 4 * len(live.MODES) * len(live.QUICK["sizes"]))
        self.assertTrue(all(row["kind"] == "measured" and row["mbs_low"] <= row["mbs"] <= row["mbs_high"] for row in rows))

    def test_mpi_the_models_and_both_raw_ways_were_measured_over_the_network(self):
        cells = {(row["case"], row["mode"], row["bytes"]) for row in self.data["rows"] if row["table"] == "network"}
        alone = ("MPI", "messages", "writes")
        with_models = (*alone, "(1)", "(2)", "(3)", "(4)", "(5)", "gathered")
        self.assertEqual(cells, {(case, mode, size) for size in network_live.QUICK["sizes"] for case, modes in
                                 (("ping-pong", with_models), ("window", with_models), ("both ways", alone)) for mode in modes})
        for words in ("figure 11, both ways", "figure 12, ping-pong", "figure 12, window", "gathered, as MPI-FM"):
            self.assertIn(words, self.page)

    def test_the_page_has_every_finding_parameter_figure_and_table(self):
        for finding in self.data["findings"]:
            self.assertIn(html.escape(finding["what"]), self.page)
        for words in [*(f"figure {number}" for number in range(1, 13)), "table 1", "table 2", *source.parameters()]:
            self.assertIn(html.escape(words), self.page)


class Network(unittest.TestCase):
    """Times by hand: raw 100 and copies 200 bytes a us, a send 30, latency 10, redirection 9."""

    def one(self, number, size, costs=COSTS, begin=0, delayed=False):
        """When sender and receiver are through with a message to a receive that is posted at 0."""
        sender, receiver, queue = Host(), Host(), Queue(begin, begin)
        protocol = Protocol(number, delayed)
        post(receiver, size, protocol, costs)
        transfer(sender, receiver, queue, size, protocol, costs)
        return sender.time, receiver.time

    def test_each_model_pays_what_its_steps_cost(self):
        # 20 KB: a copy is 100 us, the wire 200 and, with the header, .08 more.
        for number, sent, received in ((1, 30 + 100 + 30 + 200.08 + 30, 30 + 100 + 30 + 200.08 + 10 + 100),
                                       (2, 100 + 30 + 200.08, 100 + 10 + 200.08 + 100), (3, 100 + 30 + 200.08, 100 + 10 + 200.08),
                                       (4, 30 + 200 + 30, 30 + 200 + 10 + 100), (5, 30 + 200 + 30, 30 + 200 + 10)):
            with self.subTest(model=number):
                for ours, by_hand in zip(self.one(number, 20000), (sent, received)):
                    self.assertAlmostEqual(ours, by_hand)

    def test_a_redirection_that_comes_late_leaves_whole_pages_in_the_ring(self):
        # The interface knows the receive at 150, the data begin to arrive at 110: 4000 bytes, so a page is copied.
        sender, receiver, queue = Host(), Host(time=141), Queue()
        post(receiver, 20000, Protocol(3), COSTS)
        transfer(sender, receiver, queue, 20000, Protocol(3), COSTS)
        self.assertAlmostEqual(receiver.time, 310.08 + 4096 / 200)

    def test_a_message_that_meets_the_end_is_split_and_redirected_in_part(self):
        # 1008 bytes are left: 1000 go with a header, 19000 follow with another and are copied.
        sent = 100 + 30 + 10.08 + 30 + 190.08
        begin = network.RING_BYTES - 1008
        self.assertAlmostEqual(self.one(3, 20000, begin=begin)[0], sent)
        self.assertAlmostEqual(self.one(3, 20000, begin=begin)[1], sent - 30 + 10 + 95)

    def test_a_delayed_message_is_not_split(self):
        self.assertAlmostEqual(self.one(5, 20000, begin=network.RING_BYTES - 1008, delayed=True)[1], 240)

    def test_a_full_ring_is_waited_for(self):
        # Two of 3 MiB do not fit: the sender looks (30), waits for the first to be copied, and looks again (30).
        sender, receiver, queue, size = Host(), Host(), Queue(), 3 * MIB
        for _ in range(2):
            post(receiver, size, Protocol(4), COSTS)
            transfer(sender, receiver, queue, size, Protocol(4), COSTS)
        copied = 30 + size / 100 + 10 + size / 200
        second_piece = size - (MIB - 16)  # what is left to the end holds two headers, of both messages
        self.assertAlmostEqual(sender.time, copied + 30 + 30 + second_piece / 100 + 30)

    def test_the_head_is_read_or_sent(self):
        read, pushed = (bandwidth("stream", Protocol(1), 8, Costs(**{**vars(COSTS), "head": head})) for head in (READS, PUSHED))
        self.assertAlmostEqual(read / pushed, 2 / 3, places=2)

    def test_a_sender_that_does_not_wait_hides_its_copy(self):
        waits, overlaps = (bandwidth("stream", Protocol(2), 64 * KIB, Costs(**{**vars(COSTS), "overlap": overlap})) for overlap in (False, True))
        self.assertAlmostEqual(1 / waits - 1 / overlaps, 1 / COSTS.copy, places=3)


class Inputs(unittest.TestCase):
    def test_no_step_reads_what_came_out(self):
        opened = []
        sys.addaudithook(lambda event, words: opened.append(str(words[0])) if event == "open" else None)
        with mock.patch.object(source, "outputs", side_effect=AssertionError("a step reads outputs.json")):
            model.steps()[0].work(lambda said: None)
        self.assertTrue([name for name in opened if name.endswith("inputs.json")])
        self.assertFalse([name for name in opened if name.endswith("outputs.json")])

    def test_a_number_without_reference_is_refused(self):
        given = {"value": 1, "unit": "us", "source": "a book", "words": "1 us"}
        self.assertEqual(source.checked("latency", given)["value"], 1)
        for wrong in ({**given, "source": ""}, {**given, "value": -1}, {**given, "value": "1"}, {"unit": "us", "source": "a book", "words": "1"}):
            with self.assertRaisesRegex(LabError, "inputs.json: 'latency'"):
                source.checked("latency", wrong)

    def test_without_the_live_program_the_rest_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run_study(find("deposit"), Context(folder, True, False, Programs(folder))), 0)
            self.assertIn(ABSENT, read(folder, "index.html"))

    def test_intervals_are_of_the_median(self):
        self.assertEqual(spread([3, 1, 2]), (2, 1, 3))
        self.assertEqual(spread(range(25)), (12, 7, 17))


class Live(unittest.TestCase):
    def test_wrong_words_are_told_how_it_is_called(self):
        with self.assertRaisesRegex(Exception, "usage: mpiexec -n 2 baton-deposit-live"):
            Programs(BIN, LIBEXEC).job(2, live.PROGRAM, ["none"], 20, lambda said: None)


if __name__ == "__main__":
    unittest.main()
