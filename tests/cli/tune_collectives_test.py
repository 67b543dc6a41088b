#!/usr/bin/env python3
"""`baton tune --collectives` measures with real jobs, can be interrupted and gone on with, leaves the settings of a
profile alone, and what it writes is what jobs use. Usage: tune_collectives_test.py BIN_FOLDER PROGRAM_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from interrupted import interrupt

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "asked_for_program")
WATCHDOG_SECONDS = 1200


def load(name):
    with open(name) as file:
        return json.load(file)


def calls(explained, **wanted):
    return sum(row["calls"] for row in explained["collectives"] if all(row[key] == wanted[key] for key in wanted))


class TuneCollectives(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "baton", "profile.json")
        self.partial = self.file + ".collectives.partial"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_") or name == "BATON_OTHER_JOBS"}
        self.environment["XDG_CONFIG_HOME"] = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def run_words(self, *words, **variables):
        return subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS,
                              env={**self.environment, **variables}, stdin=subprocess.DEVNULL)

    def tune(self, *words):
        done = self.run_words(os.path.join(BIN, "baton"), "tune", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def collectives(self, *words):
        return self.tune("--collectives", "--ranks", "2,3", *words)

    def explained(self, **variables):
        """What a job of three ranks tells, and what else mpiexec said."""
        done = self.run_words(os.path.join(BIN, "mpiexec"), "--timeout", "600", "--explain=json", "-n", "3", PROGRAM,
                              **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.splitlines()
        return (json.loads(next(line for line in lines if line.startswith("{"))),
                [line for line in lines if not line.startswith("{")])

    def change(self, **collectives):
        profile = load(self.file)
        profile["collectives"].update(collectives)
        with open(self.file, "w") as file:
            json.dump(profile, file)

    def test_a_profile_is_written_shown_and_used(self):
        done = self.collectives("--seconds", "3")
        self.assertIn(f"written: {self.file}", done.stdout)
        self.assertRegex(done.stderr, r"baton tune: \d+ of 3 s, allreduce among [23] ranks \((near|far)\), round 1")
        profile = load(self.file)
        self.assertTrue(profile["complete"])
        self.assertEqual(profile["collectives"]["ranks"], [2, 3])
        for cell in profile["collectives"]["measured"]:
            self.assertGreater(min(cell["medians_us"]), 0)
            self.assertTrue(cell["algorithm"].startswith(cell["kind"] + "_"))
        self.assertEqual(os.listdir(os.path.dirname(self.file)), ["profile.json"])
        # Where the CPUs are near or far by turns, no round may have counted.
        if profile["collectives"]["measured"]:
            self.assertIn("allreduce_in_room", self.tune("--show").stdout)
        else:
            self.assertIn("nothing was measured", done.stdout)
        # Which rows there are is the machine's to say; that they are used is ours.
        self.change(chosen=[{"row": "allreduce:2+:1+=allreduce_doubling", "reason": "a test"}])
        found, said = self.explained()
        self.assertEqual(said, [])
        self.assertEqual(calls(found, algorithm="allreduce_doubling", reason="tuned"), 6)
        self.assertIn("a test", self.tune("--show").stdout)
        self.change(measured=[])
        self.assertIn("nothing was measured", self.tune("--show").stdout)
        found, _ = self.explained(BATON_COLLECTIVES="allreduce=allreduce_halving")
        self.assertEqual(calls(found, algorithm="allreduce_halving", reason="forced"), 6)
        found, _ = self.explained(BATON_PROFILE="none")
        self.assertEqual(calls(found, reason="tuned"), 0)

    def test_an_unknown_algorithm_or_a_broken_row_is_refused_in_one_line(self):
        self.collectives("--seconds", "1")
        for row, word in (("allreduce:2+:1+=allreduce_halfing", "the nearest is allreduce_halving"),
                          ("allreduces=allreduce_halving", "there is no collective"),
                          ("allreduce:2+", "no =ALGORITHM"), ("", "no row"),
                          ("scan=scan_doubling,scan=scan_in_room", "no row")):
            self.change(chosen=[{"row": row, "reason": ""}])
            found, said = self.explained()
            self.assertEqual(len(said), 1, said)
            self.assertIn(word, said[0])
            self.assertIn("runs with the defaults", said[0])
            self.assertEqual(calls(found, reason="tuned"), 0)
        self.change(chosen=7)
        self.assertIn("corrupt", self.explained()[1][0])

    def test_another_machines_profile_is_refused_in_one_line(self):
        self.collectives("--seconds", "1")
        self.change(chosen=[{"row": "allreduce:2+:1+=allreduce_doubling", "reason": ""}])
        profile = load(self.file)
        profile["machine"]["cpu_model"] = "another"
        with open(self.file, "w") as file:
            json.dump(profile, file)
        found, said = self.explained()
        self.assertEqual(len(said), 1, said)
        self.assertIn("another machine's", said[0])
        self.assertEqual(calls(found, reason="tuned"), 0)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "tuning settings needs two CPUs")
    def test_settings_and_algorithms_leave_each_other_alone(self):
        self.tune("--seconds", "1")
        settings = load(self.file)
        self.collectives("--seconds", "1")
        both = load(self.file)
        self.assertEqual({**both, "collectives": None}, {**settings, "collectives": None})
        self.assertTrue(both["collectives"]["measured"])
        self.tune("--seconds", "1")
        again = load(self.file)
        self.assertEqual(again["collectives"], both["collectives"])
        self.assertNotEqual(again["date"] + str(again["measured"]), settings["date"] + str(settings["measured"]))

    def test_what_was_measured_before_ctrl_c_is_kept_and_gone_on_with(self):
        interrupt(self, [os.path.join(BIN, "baton"), "tune", "--collectives", "--ranks", "2,3", "--seconds", "100"], self.environment,
                  lambda: load(self.partial)["collectives"]["measured"], WATCHDOG_SECONDS)
        partial = load(self.partial)
        self.assertFalse(partial["complete"])
        done = self.collectives("--seconds", str(int(partial["collectives"]["seconds"]) + 2))
        self.assertIn("continuing after", done.stderr)
        measured = load(self.file)["collectives"]["measured"]
        first = partial["collectives"]["measured"][0]
        same = [cell for cell in measured if all(cell[key] == first[key] for key in first if key != "medians_us")]
        self.assertEqual(same[0]["medians_us"][:len(first["medians_us"])], first["medians_us"])
        self.assertFalse(os.path.exists(self.partial))
        # One of other numbers of ranks does not fit.
        with open(self.partial, "w") as file:
            json.dump(partial, file)
        done = self.tune("--collectives", "--ranks", "2", "--seconds", "1")
        self.assertIn("starts over", done.stderr)

    def test_wrong_words_are_refused(self):
        for words in (("--ranks", "1"), ("--ranks", "2,x"), ("--seconds", "901"), ("--seconds", "0.5")):
            done = self.run_words(os.path.join(BIN, "baton"), "tune", "--collectives", *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertTrue(done.stderr, words)


if __name__ == "__main__":
    unittest.main(verbosity=1)
