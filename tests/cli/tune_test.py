#!/usr/bin/env python3
"""`baton tune` measures with real jobs, can be interrupted, and says why when it cannot.
Usage: tune_test.py BIN_FOLDER"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
WATCHDOG_SECONDS = 1200
TUNED = {"eager_bytes_max", "cma_bytes_min", "unseen_pull_bytes_min", "push_bytes_min", "shared_bytes_min",
         "early_bytes_max", "pipeline_publish_bytes"}


def load(name):
    with open(name) as file:
        return json.load(file)


def measured_values(profile):
    return sum(len(cell["medians_us"]) for cell in profile["measured"])


def ranks_of_this_build():
    found = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True).stdout
    return [line for line in found.splitlines() if "baton-measure" in line and BIN in line]


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "tuning needs two CPUs")
class Tune(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "config", "baton", "profile.json")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_") or name == "BATON_OTHER_JOBS"}
        self.environment["XDG_CONFIG_HOME"] = os.path.join(self.folder.name, "config")

    def tearDown(self):
        self.folder.cleanup()

    def baton(self, *words, **more):
        return subprocess.run([os.path.join(BIN, "baton"), *words], capture_output=True, text=True,
                              timeout=WATCHDOG_SECONDS, env=self.environment, stdin=subprocess.DEVNULL, **more)

    def refused(self, *words, **more):
        done = self.baton("tune", "--seconds", "1", *words, **more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("baton tune: "), done.stderr)
        return done.stderr

    def test_quick_writes_a_profile_that_can_be_used(self):
        done = self.baton("tune", "--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"written: {self.file}", done.stdout)
        self.assertRegex(done.stderr, r"baton tune: \d+ of 20 s, ")  # plain lines: no terminal here
        profile = load(self.file)
        self.assertTrue(profile["complete"])
        self.assertEqual({one["setting"] for one in profile["chosen"]}, TUNED)
        self.assertTrue(all(one["reason"] for one in profile["chosen"]))
        for key in ("cpu_model", "topology", "kernel", "cpus_usable", "cma_permitted"):
            self.assertIn(key, profile["machine"])
        self.assertEqual({cell["data"] for cell in profile["measured"]}, {"warm", "cold"})
        rounds = {}
        for cell in profile["measured"]:
            self.assertGreater(min(cell["medians_us"]), 0)
            rounds.setdefault((cell["question"], cell["peers"], cell["distance"]), set()).add(len(cell["medians_us"]))
        self.assertTrue(all(len(each) == 1 for each in rounds.values()), rounds)
        self.assertEqual(os.listdir(os.path.dirname(self.file)), ["profile.json"])  # no partial one
        shown = self.baton("tune", "--show")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for word in ("chosen", "eager_bytes_max", "ring or staging", profile["machine"]["topology"]):
            self.assertIn(word, shown.stdout)
        self.assertIn(f"tuned profile: {self.file}", self.baton("settings").stdout)

    def interrupted(self):
        """A run with SIGINT after some answers; what it said, and the partial profile."""
        process = subprocess.Popen([os.path.join(BIN, "baton"), "tune", "--seconds", "60"], env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            end = time.monotonic() + WATCHDOG_SECONDS
            while not os.path.exists(self.file + ".partial") or not load(self.file + ".partial")["measured"]:
                self.assertLess(time.monotonic(), end, "watchdog: nothing was measured")
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            time.sleep(0.2)  # into the middle of a job
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=WATCHDOG_SECONDS)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130, err)
        return err, load(self.file + ".partial")

    def test_what_was_measured_before_ctrl_c_is_kept_and_gone_on_with(self):
        said, partial = self.interrupted()
        self.assertIn("the same command continues", said)
        self.assertFalse(partial["complete"])
        self.assertFalse(os.path.exists(self.file))
        seconds = f"{partial['seconds'] + 0.1:.1f}"
        done = self.baton("tune", "--seconds", str(max(1, float(seconds))))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("continuing after", done.stderr)
        profile = load(self.file)
        self.assertGreaterEqual(profile["seconds"], partial["seconds"])
        first = partial["measured"][0]
        same = [cell for cell in profile["measured"]
                if all(cell[key] == first[key] for key in first if key != "medians_us")]
        self.assertEqual(same[0]["medians_us"][:len(first["medians_us"])], first["medians_us"])
        self.assertFalse(os.path.exists(self.file + ".partial"))

    def test_after_ctrl_c_no_rank_is_left(self):
        self.interrupted()
        end = time.monotonic() + WATCHDOG_SECONDS
        while ranks := ranks_of_this_build():
            self.assertLess(time.monotonic(), end, ranks)
            time.sleep(0.05)

    def test_what_an_interrupted_run_left_is_not_used_when_it_does_not_fit(self):
        _, partial = self.interrupted()
        for text, word in (("{ half", "corrupt"),
                           (json.dumps({**partial, "machine": {**partial["machine"], "cpu_model": "x"}}), "another")):
            with open(self.file + ".partial", "w") as file:
                file.write(text)
            done = self.baton("tune", "--seconds", "1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertIn("starts over", done.stderr)
        with open(self.file + ".partial", "w") as file:
            json.dump(partial, file)
        done = self.baton("tune", "--seconds", "1", "--anew")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("continuing", done.stderr)

    def test_one_cpu_is_too_few(self):
        cpu = min(os.sched_getaffinity(0))
        said = self.refused(preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertIn("two CPUs are needed", said)

    def test_a_target_that_cannot_be_written_is_refused_before_measuring(self):
        blocked = os.path.join(self.folder.name, "a file")
        with open(blocked, "w"):
            pass
        self.assertIn("--output", self.refused("--output", os.path.join(blocked, "profile.json")))
        self.assertIn("is a folder", self.refused("--output", self.folder.name))
        self.environment.pop("XDG_CONFIG_HOME")
        self.environment.pop("HOME", None)
        self.assertIn("HOME", self.refused())

    def test_show_says_what_is_wrong(self):
        done = self.baton("tune", "--show")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no profile", done.stderr)
        done = self.baton("tune", "--show", __file__)
        self.assertEqual(done.returncode, 1)
        self.assertIn("corrupt", done.stderr)

    def test_seconds_beyond_two_minutes_are_refused(self):
        self.assertNotEqual(self.baton("tune", "--seconds", "121").returncode, 0)

    def test_settings_of_the_environment_do_not_disturb_measuring(self):
        self.environment["BATON_NONSENSE"] = "1"  # ranks would complain
        self.environment["BATON_CMA"] = "0"
        done = self.baton("tune", "--seconds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("NONSENSE", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
