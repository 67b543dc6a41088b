#!/usr/bin/env python3
"""What mpiexec --stats and --trace tell of calls that are known. Usage: stats_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpiexec_test as launch  # noqa: E402

PROGRAM, THREADS, TOOL = (os.path.join(launch.PROGRAMS, name) for name in ("stats_program", "stats_threads_program", "libpmpi_tool.so"))
MS = 1e-3


def run(*words, **more):
    return launch.run("--timeout", 600, *words, **more)


def told(*words, code=0):
    """The JSON of a run."""
    job = run("--stats=json", *words)
    assert job.code == code, job.err
    lines = [line for line in job.err.splitlines() if line.startswith("{")]
    assert len(lines) == 1, job.err
    return json.loads(lines[0])


def call(told, name):
    rows = [row for row in told["calls"] if row["name"] == name]
    assert len(rows) == 1, [row["name"] for row in told["calls"]]
    return rows[0]


def calls_of(rank):
    return {row["name"]: sum(size["calls"] for size in row["sizes"]) for row in rank["calls"]}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def trace(self, *words, code=0):
        """The events of a run's trace, checked for what viewers want of them; and the job."""
        name = self.path("trace.json")
        job = run("--trace", name, *words)
        self.assertEqual(job.code, code, job.err)
        with open(name) as file:
            events = json.load(file)["traceEvents"]
        slices = [event for event in events if event["ph"] == "X"]
        for event in events:
            self.assertIn(event["ph"], "XsfM")
            if event["ph"] in "sf":  # an end of an arrow hangs on the call around it
                around = [one for one in slices if one["tid"] == event["tid"] and
                          one["ts"] - .002 <= event["ts"] <= one["ts"] + one["dur"] + .002]
                self.assertTrue(around, event)
        return events, job


class Times(unittest.TestCase):
    def test_a_late_sender_makes_its_receiver_wait(self):
        found = told("-n", 2, PROGRAM, "late_sender")
        receive = call(found, "MPI_Recv")
        self.assertEqual((receive["calls"], receive["bytes"]), (10, 10000))
        self.assertGreater(receive["waiting_seconds"], 150 * MS)
        self.assertGreaterEqual(receive["seconds"], receive["waiting_seconds"])
        self.assertGreater(receive["longest_seconds"], 15 * MS)
        self.assertLess(call(found, "MPI_Send")["waiting_seconds"], 50 * MS)
        peer, = found["ranks"][1]["peers"]
        self.assertEqual((peer["rank"], peer["received_messages"], peer["received_bytes"]), (0, 10, 10000))
        self.assertGreater(peer["waiting_seconds"], 150 * MS)  # found out, though it would take any source
        peer, = found["ranks"][0]["peers"]
        self.assertEqual((peer["rank"], peer["sent_messages"], peer["sent_bytes"]), (1, 10, 10000))
        self.assertEqual([size["size"] for size in receive["sizes"]], ["to 4 KiB"])

    def test_a_late_rank_is_named_with_what_it_costs(self):
        for ranks in (2, 5):
            found = told("-n", ranks, PROGRAM, "late_rank")
            row, = [row for row in found["imbalances"] if row["communicator"] == "the late ones"]
            self.assertEqual((row["call"], row["calls"], row["last_rank"]), ("MPI_Allreduce", 20, ranks - 1))
            self.assertGreater(row["last_share"], .7)
            self.assertGreater(row["spread_mean_seconds"], 8 * MS)
            self.assertGreater(row["lost_rank_seconds"], .8 * 20 * 8 * MS * (ranks - 1))
            waiting = [next(sum(size["waiting_seconds"] for size in row["sizes"]) for row in rank["calls"]
                            if row["name"] == "MPI_Allreduce") for rank in found["ranks"]]
            self.assertGreater(min(waiting[:-1]), 100 * MS)

    def test_every_form_of_messages_is_counted_once(self):
        for ranks in (2, 3):
            found = told("-n", ranks, PROGRAM, "forms")
            for rank, of in enumerate(found["ranks"]):
                peers = {peer["rank"]: peer for peer in of["peers"]}
                right, left = peers[(rank + 1) % ranks], peers[(rank - 1) % ranks]
                self.assertEqual((right["sent_messages"], right["sent_bytes"]), (9, 900))
                self.assertEqual((left["received_messages"], left["received_bytes"]), (9, 900))
                names = calls_of(of)
                self.assertEqual((names["MPI_Send"], names["MPI_Recv"], names["MPI_Waitany"]), (4, 1, 2))
                self.assertNotIn("MPI_Send_c", names)

    def test_a_pause_leaves_calls_and_time_out(self):
        found = told("-n", 2, PROGRAM, "paused")
        self.assertEqual((call(found, "MPI_Send")["calls"], call(found, "MPI_Recv")["calls"]), (5, 5))
        self.assertLess(found["ranks"][0]["run_seconds"], found["wall_seconds"] - 40 * MS)
        self.assertIn("MPI_Pcontrol(0)", " ".join(found["notes"]))

    def test_communicators_that_have_had_the_same_id_are_told_apart(self):
        found = told("-n", 3, PROGRAM, "reused_ids")
        row, = found["imbalances"]
        self.assertEqual((row["communicator"], row["calls"], row["last_rank"]), ("a communicator of 2 ranks", 21, 0))

    def test_many_collective_calls_are_thinned_out_alike_on_all_ranks(self):
        found = told("-n", 2, PROGRAM, "many_barriers", 100000)
        self.assertEqual(call(found, "MPI_Barrier")["calls"], 200000)
        row, = found["imbalances"]
        self.assertGreater(row["calls"], 10000)
        self.assertLess(row["calls"], 32768)
        self.assertIn("one in two, four", " ".join(found["notes"]))

    def test_threads_that_call_at_the_same_time_are_all_counted(self):
        found = told("-n", 2, THREADS)
        self.assertEqual((call(found, "MPI_Send")["calls"], call(found, "MPI_Wait")["calls"]), (4000, 4000))
        for rank in found["ranks"]:
            peer, = rank["peers"]
            self.assertEqual((peer["sent_messages"], peer["received_messages"]), (2000, 2000))
        self.assertIn("several threads", " ".join(found["notes"]))

    def test_a_rank_that_dies_leaves_what_it_had_recorded(self):
        found = told("-n", 2, PROGRAM, "dies", code=137)
        self.assertEqual(calls_of(found["ranks"][1])["MPI_Recv"], 5)
        self.assertFalse(found["ranks"][1]["ended"])
        self.assertIn("did not end MPI", " ".join(found["notes"]))

    def test_calls_that_fail_send_nothing_and_what_is_too_long_has_come(self):
        found = told("-n", 2, PROGRAM, "failing")
        peer, = found["ranks"][0]["peers"]
        self.assertEqual((peer["sent_messages"], peer["sent_bytes"]), (8, 10 + 11 + 12 + 13 + 14 + 20 + 21 + 22))
        peer, = found["ranks"][1]["peers"]
        self.assertEqual(peer["received_messages"], 8)

    def test_a_child_of_a_rank_is_refused_as_ever(self):
        job = run("--stats=json", "-n", 2, PROGRAM, "forks")
        self.assertEqual(job.code, 0, job.err)
        found = json.loads(job.err[job.err.index("{"):])
        self.assertNotIn("MPI_Send", [row["name"] for row in found["calls"]])

    def test_sessions_beside_the_world_end_no_recording_and_no_pause(self):
        found = told("-n", 2, PROGRAM, "sessions")
        self.assertEqual(call(found, "MPI_Barrier")["calls"], 2)

    def test_a_senders_wait_is_not_its_receivers(self):
        found = told("-n", 2, PROGRAM, "late_receiver")
        self.assertGreater(call(found, "MPI_Ssend")["waiting_seconds"], 40 * MS)
        for rank in found["ranks"]:
            for peer in rank["peers"]:
                self.assertLess(peer["waiting_seconds"], 40 * MS)

    def test_counts_between_groups_are_those_of_the_own_group(self):
        found = told("-n", 4, PROGRAM, "between_groups")
        self.assertEqual(call(found, "MPI_Reduce_scatter")["bytes"], 18 + 3 * 18)

    def test_a_tool_that_interposes_calls_sees_them_too(self):
        job = run("--stats=json", "-n", 2, "env", f"LD_PRELOAD={TOOL}", PROGRAM, "many_messages", 7)
        self.assertEqual(job.out.count("the tool saw 7 calls"), 2, job.out)
        found = json.loads(job.err)
        self.assertEqual((call(found, "MPI_Send")["calls"], call(found, "MPI_Recv")["calls"]), (7, 7))


class Running(unittest.TestCase):
    def test_baton_stat_tells_bytes_and_waiting_of_a_job_that_runs(self):
        job = subprocess.Popen([os.path.join(launch.BIN, "mpiexec"), "--timeout", "600", "--stats", "-n", "2", PROGRAM,
                                "late_sender", "500"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            stat = [os.path.join(launch.BIN, "baton"), "stat", str(job.pid)]
            deadline, found = time.monotonic() + 30, []
            while time.monotonic() < deadline and not (found and found[1]["received_bytes"] > 20000):
                told = subprocess.run([*stat, "--json"], capture_output=True, text=True, timeout=300)
                ranks = json.loads(told.stdout)["ranks"] if told.returncode == 0 else []
                found = [rank["times"] for rank in ranks] if all("times" in rank for rank in ranks) else []
            self.assertGreater(found[1]["received_bytes"], 20000)
            self.assertEqual(found[0]["received_bytes"], 0)
            self.assertGreater(found[1]["waiting_seconds"], .8 * 20 * MS * (found[1]["received_bytes"] // 1000))
            self.assertGreater(found[1]["run_seconds"], found[1]["mpi_seconds"])
            text = subprocess.run(stat, capture_output=True, text=True, timeout=300).stdout
            self.assertRegex(text, r"rank 1: in MPI \d+\.\d % of .* waiting .*; messages sent 0\.0 MiB, received")
        finally:
            job.terminate()
            job.wait(30)


class Traces(InAFolder):
    def test_each_message_is_an_arrow_from_its_send_to_its_receive(self):
        for ranks in (2, 3):
            events, _ = self.trace("-n", ranks, PROGRAM, "forms")
            starts = {event["id"]: event for event in events if event["ph"] == "s"}
            ends = {event["id"]: event for event in events if event["ph"] == "f"}
            self.assertEqual(starts.keys(), ends.keys())
            ways = Counter((starts[number]["tid"], ends[number]["tid"]) for number in starts)
            self.assertEqual(ways, {(rank, (rank + 1) % ranks): 9 for rank in range(ranks)})
            for number, start in starts.items():
                self.assertEqual(start["name"], ends[number]["name"])
                self.assertLess(start["ts"], ends[number]["ts"])

    def test_arrows_of_one_tag_do_not_cross(self):
        events, _ = self.trace("-n", 2, PROGRAM, "many_messages", 100)
        for tag in range(3):
            ends = [[event["id"] for event in sorted(events, key=lambda event: event.get("ts", 0))
                     if event["ph"] == kind and event["name"] == f"8 B, tag {tag}"] for kind in "sf"]
            self.assertEqual(*ends)
            self.assertGreaterEqual(len(ends[0]), 33)

    def test_no_arrow_goes_backward_where_one_side_recorded_less(self):
        for what, arrows in (("paused_alone", 5), ("failing", 8)):
            events, _ = self.trace("-n", 2, PROGRAM, what)
            starts = {event["id"]: event for event in events if event["ph"] == "s"}
            ends = {event["id"]: event for event in events if event["ph"] == "f"}
            self.assertEqual(len(starts), arrows)
            for number, start in starts.items():
                self.assertLess(start["ts"], ends[number]["ts"], what)

    def test_a_file_that_is_full_says_so(self):
        name = self.path("trace.json")
        job = run("--trace-bytes", "1m", "--trace", name, "-n", 2, PROGRAM, "many_messages", 20000)
        self.assertEqual(job.code, 0, job.err)
        self.assertLess(os.path.getsize(name), 1.2 * (1 << 20))
        self.assertGreater(os.path.getsize(name), .3 * (1 << 20))
        self.assertIn("had no space in 1 MiB (--trace-bytes)", job.err)
        with open(name) as file:
            json.load(file)

    def test_threads_have_rows_of_their_own(self):
        events, _ = self.trace("-n", 2, THREADS)
        rows = {event["args"]["name"] for event in events if event.get("name") == "thread_name"}
        self.assertEqual(len(rows), 2 * 4)  # the main threads begin MPI and call no more
        self.assertEqual(sum(event["ph"] == "s" for event in events), 4000)

    def test_a_rank_that_dies_leaves_a_trace(self):
        events, job = self.trace("-n", 2, PROGRAM, "dies", code=137)
        self.assertEqual(sum(event["ph"] == "s" for event in events), 5)
        self.assertIn("rank 1 did not end MPI", job.err)


class Options(InAFolder):
    def test_plain_text_goes_to_standard_error(self):
        job = run("--stats", "-n", 2, PROGRAM, "late_sender")
        self.assertEqual((job.code, job.out), (0, ""), job.err)
        for words in ("where the time went: 2 ranks", "by rank:", "by call:", "by size of the data:", "0 -> 1",
                      "how unevenly ranks come", "rank 1 was last in"):
            self.assertIn(words, job.err)

    def test_a_page_stands_alone_and_says_the_same(self):
        name = self.path("page.html")
        job = run("--stats-file", name, "-n", 3, PROGRAM, "late_rank")
        self.assertEqual((job.code, job.err), (0, ""))
        with open(name) as file:
            page = file.read()
        for words in ("<svg", "the late ones", "MPI_Allreduce", "rank 2 ("):
            self.assertIn(words, page)
        for words in ("http:", "https:", "<script", "src="):
            self.assertNotIn(words, page)

    def test_a_program_without_mpi_says_that_nothing_was_timed(self):
        job = run("--stats", "-n", 2, "true")
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("rank 0-1: did not begin MPI", job.err)

    def test_wrong_words_are_refused(self):
        for words, why in ((["--stats=xml"], "text or json"), (["-trace"], "it takes a file: --trace FILE"), (["--stats-file", "a.txt"], "FILE.html"),
                           (["--trace-bytes", "5"], "from 1M"), (["--trace"], "a file")):
            job = run(*words, "-n", 1, "true") if words != ["--trace"] else run("-n", 1, "--trace")
            self.assertEqual(job.code, 2, (words, job.err))
            self.assertIn(why, job.err)

    def test_a_file_that_cannot_be_made_is_told_before_anything_starts(self):
        for option in ("--stats-file", "--trace"):
            job = run(option, "/proc/no/such.json", launch.RANK, "line", "started")
            self.assertEqual((job.code, job.out), (1, ""))
            self.assertIn(f"{option} /proc/no/such.json:", job.err)

    def test_a_limit_on_file_sizes_is_told(self):
        def under_limit(*words):
            command = [os.path.join(launch.BIN, "mpiexec"), "--timeout", "600", *words, "-n", "2", PROGRAM]
            return subprocess.run(["sh", "-c", 'ulimit -f 8388608; exec "$@"', "sh", *command], capture_output=True, text=True, timeout=900)
        self.assertEqual(under_limit("--trace", self.path("t")).returncode, 0)
        refused = under_limit("--trace", self.path("t"), "--trace-bytes", "64g")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("raise it with ulimit -f", refused.stderr)

    def test_nothing_is_kept_of_a_job_that_is_not_timed(self):
        job = run("-n", 2, PROGRAM, "late_rank")
        self.assertEqual((job.code, job.out, job.err), (0, "", ""))


if __name__ == "__main__":
    unittest.main(verbosity=1)
