#!/usr/bin/env python3
"""`baton advise` reasons from a topology, runs commands, says why, and ends when it should.
Usage: advise_test.py BIN_FOLDER"""
import glob
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "machines")
WATCHDOG_SECONDS = 1200
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name == "BATON_OTHER_JOBS" or not name.startswith(("BATON_", "OMP_NUM_THREADS"))}


def advise(*words, **more):
    return subprocess.run([os.path.join(BIN, "baton"), "advise", *words], capture_output=True, text=True,
                          timeout=WATCHDOG_SECONDS, env=ENVIRONMENT, stdin=subprocess.DEVNULL, **more)


CORES = int(subprocess.run([os.path.join(BIN, "baton"), "topo"], capture_output=True, text=True,
                           timeout=WATCHDOG_SECONDS).stdout.splitlines()[0].split(" CPUs, ")[1].split()[0])


class FromTheTopology(unittest.TestCase):
    def test_every_captured_machine_gets_advice_with_reasons(self):
        for file in glob.glob(os.path.join(MACHINES, "*.xml")):
            done = advise("--topology", file, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertTrue(result["situation"] and result["advice"], file)
            for one in result["advice"]:
                self.assertTrue(one["options"] and one["purpose"] and one["reason"], one)
                self.assertIn(one["study"], ("numa", "hbm", "hybrid", None))

    def test_what_it_says_of_this_machine_mpiexec_takes(self):
        for words in ([], ["-n", "1"], ["-n", "64"]):
            for one in json.loads(advise("--json", *words).stdout)["advice"]:
                done = subprocess.run([os.path.join(BIN, "mpiexec"), "--dry-run", *shlex.split(one["options"]), "true"],
                                      capture_output=True, text=True, timeout=WATCHDOG_SECONDS, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 0, (one, done.stderr))

    def test_people_read_options_purpose_and_reason(self):
        shown = advise("--topology", os.path.join(MACHINES, "two-sockets.xml"), "-n", "4").stdout
        for part in ("8 cores on 2 NUMA nodes", "mpiexec -n 4 --config spread-interleave", "1.9 times as fast",
                     "(study numa)"):
            self.assertIn(part, shown)


class Wrong(unittest.TestCase):
    def refused(self, *words):
        done = advise(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_words_that_cannot_be_meant_are_refused_with_the_remedy(self):
        self.assertIn("goes behind --", self.refused("./program"))
        self.assertIn("nothing follows --", self.refused("--"))
        self.assertIn("--topology", self.refused("--topology", os.path.join(MACHINES, "laptop.xml"), "--", "true"))
        self.assertIn("are for a command", self.refused("--figure", "x"))
        self.assertIn("regular expression", self.refused("--figure", "x(", "--", "true"))
        self.assertIn("from 1 to 4096", self.refused("-n", "0", "--", "true"))
        self.assertIn("--seconds takes", self.refused("--seconds", "0", "--", "true"))
        self.assertIn("--run-seconds takes", self.refused("--seconds", "2", "--run-seconds", "3", "--", "true"))
        self.assertIn("--better", self.refused("--better", "lower", "--", "true"))

    def test_help_names_every_option(self):
        shown = advise("--help").stdout
        for word in ("-n", "--topology", "--json", "--seconds", "--run-seconds", "--figure", "--better", "--layouts",
                     "-- ./program"):
            self.assertIn(word, shown)


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def script(self, text):
        """A program that knows whether it is bound (to one CPU of several)."""
        name = os.path.join(self.folder.name, "program")
        with open(name, "w") as file:
            file.write(f"#!{sys.executable}\nimport os\nbound = len(os.sched_getaffinity(0)) < "
                       f"{len(os.sched_getaffinity(0))}\n{text}\n")
        os.chmod(name, 0o755)
        return name

    @unittest.skipIf(CORES < 2, "one core: binding changes nothing")
    def test_a_clear_difference_is_recommended_with_numbers(self):
        program = self.script("print('rate:', 10 if bound else 20)")
        done = advise("-n", "1", "--seconds", "60", "--figure", "rate: (.*)", "--json", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "change", result)
        self.assertEqual(result["recommended"], ["-n", "1", "--bind-to", "none"])
        self.assertIn("100.0 % better", result["reason"])
        best = next(one for one in result["configurations"] if one["options"] == result["recommended"])
        self.assertGreaterEqual(len(best["values"]), 5, result)

    @unittest.skipIf(CORES < 2, "one core: binding changes nothing")
    def test_lower_figures_may_be_better_and_then_it_stays(self):
        program = self.script("print('time:', 10 if bound else 20)")
        done = advise("-n", "1", "--seconds", "60", "--figure", "time: (.*)", "--better", "lower", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"recommended: mpiexec -n 1 \S*program\n")

    @unittest.skipIf(CORES < 2, "one core: binding changes nothing")
    def test_a_configuration_in_which_it_fails_is_reported(self):
        program = self.script("import sys\nprint('rate: 5')\n"
                              "sys.exit(0 if bound else print('cannot live so') or 3)")
        done = advise("-n", "1", "--seconds", "60", "--figure", "rate: (.*)", "--", program)
        self.assertIn("FAILED: code 3: cannot live so", done.stdout)

    def test_a_command_that_always_fails_is_no_answer(self):
        done = advise("-n", "1", "--seconds", "5", "--", "./there-is-no-such-program")
        self.assertEqual(done.returncode, 1)
        self.assertIn("fails in every configuration", done.stdout)
        self.assertIn("there-is-no-such-program", done.stdout)

    def test_a_run_that_does_not_end_is_ended(self):
        done = advise("-n", "1", "--seconds", "4", "--run-seconds", "0.5", "--", "sleep", "100")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not end within 0.5 s", done.stderr)

    def test_too_little_time_is_said_at_once_with_the_time_that_would_do(self):
        done = advise("-n", "1", "--seconds", "4", "--run-seconds", "3", "--", "sleep", "0.6")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--seconds gives more time", done.stderr)

    def test_ctrl_c_ends_it_with_what_is_known_and_leaves_nothing(self):
        mark = "31.4159"  # a sleep that is only ours
        process = subprocess.Popen([os.path.join(BIN, "baton"), "advise", "-n", "1", "--seconds", "600",
                                    "--run-seconds", "300", "--", "sleep", mark], env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        def ranks():
            found = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True).stdout
            return [line for line in found.splitlines() if line.split()[1:] == ["sleep", mark]]
        try:
            end = time.monotonic() + WATCHDOG_SECONDS
            while not ranks() and time.monotonic() < end:
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=WATCHDOG_SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted after", out)
        self.assertEqual(ranks(), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
