#!/usr/bin/env python3
"""mpiexec hands a machine's profile to the ranks, and refuses others with words. Usage: profile_test.py BIN_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
MPIEXEC, BATON = os.path.join(BIN, "mpiexec"), os.path.join(BIN, "baton")
MEASURE = os.path.join(BIN, "..", "libexec", "baton", "baton-measure")
WATCHDOG_SECONDS = 600


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "tuning needs two CPUs")
class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """One that `baton tune` has written of this machine; tests change it."""
        cls.made = tempfile.TemporaryDirectory()
        name = os.path.join(cls.made.name, "profile.json")
        subprocess.run([BATON, "tune", "--seconds", "1", "--output", name], check=True, timeout=WATCHDOG_SECONDS,
                       capture_output=True)
        with open(name) as file:
            cls.good = json.load(file)
        for one in cls.good["chosen"]:
            one["value"] = {"eager_bytes_max": 48, "cma_bytes_min": 40960}.get(one["setting"], one["value"])

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "baton", "profile.json")
        os.mkdir(os.path.dirname(self.file))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_") or name == "BATON_OTHER_JOBS"}
        self.environment["XDG_CONFIG_HOME"] = self.folder.name
        self.write(self.good)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, profile, name=None):
        with open(name or self.file, "w") as file:
            file.write(profile if isinstance(profile, str) else json.dumps(profile))

    def run_words(self, *words, **environment):
        done = subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS,
                              env={**self.environment, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def settings(self, *options, **environment):
        """Value and source of each setting, as a rank has them, and what mpiexec said."""
        done = self.run_words(MPIEXEC, *options, "-n", "1", BATON, "settings", **environment)
        rows = [line.split() for line in done.stdout.splitlines() if line.startswith("BATON_")]
        return {row[0]: (row[1], row[2]) for row in rows}, done.stderr

    def assert_defaults(self, *options, **environment):
        seen, said = self.settings(*options, **environment)
        self.assertLessEqual({source for _, source in seen.values()}, {"default", "shipped"})
        return said

    def test_the_profile_beats_the_default_and_the_environment_beats_the_profile(self):
        seen, said = self.settings()
        self.assertEqual(seen["BATON_EAGER_BYTES_MAX"], ("48", "tuned"))
        self.assertEqual(seen["BATON_CMA_BYTES_MIN"], ("40k", "tuned"))
        self.assertEqual(seen["BATON_ROOMS"], ("1", "default"))
        self.assertEqual(said, "")
        for options, environment in ((["-genv", "BATON_EAGER_BYTES_MAX", "2k"], {}),
                                     ([], {"BATON_EAGER_BYTES_MAX": "2k"}), ([], {"BATON_eager_bytes_max": "2k"})):
            seen, _ = self.settings(*options, **environment)
            self.assertEqual(seen["BATON_EAGER_BYTES_MAX"], ("2k", "environment"))
            self.assertEqual(seen["BATON_CMA_BYTES_MIN"], ("40k", "tuned"))

    def test_messages_take_the_ways_that_the_profile_says(self):
        def ways(*options):
            return self.run_words(MPIEXEC, *options, "--explain", "-n", "2", MEASURE, "1", "pingpong", "256").stderr
        self.assertRegex(ways(), r"to 512 B +pipelined")
        self.assertNotRegex(ways("--profile", "none"), r"to 512 B +pipelined")
        self.assertIn(f"from the profile {self.file}", ways())

    def test_a_file_is_named_by_option_environment_or_place(self):
        other = os.path.join(self.folder.name, "other.json")
        changed = json.loads(json.dumps(self.good))
        changed["chosen"] = [{"setting": "rooms", "value": 0, "reason": "a test"}]
        self.write(changed, other)
        for options, environment in ((["--profile", other], {}), ([f"--profile={other}"], {}),
                                     ([], {"BATON_PROFILE": other}),
                                     (["--profile", other], {"BATON_PROFILE": self.file})):
            seen, said = self.settings(*options, **environment)
            self.assertEqual(seen["BATON_ROOMS"], ("0", "tuned"), said)
            self.assertIn(seen["BATON_EAGER_BYTES_MAX"][1], ("default", "shipped"))
        self.assert_defaults("--profile", "none", BATON_PROFILE=other)
        self.assert_defaults(BATON_PROFILE="none")

    def test_a_family_of_processors_takes_its_shipped_profile_and_no_other(self):
        for options, environment in ((["--profile", "zen2"], {"BATON_PROFILE": self.file}), ([], {"BATON_PROFILE": "zen2"})):
            seen, said = self.settings(*options, **environment)
            self.assertEqual(said, "")
            self.assertEqual(seen["BATON_EAGER_BYTES_MAX"], ("1k", "shipped"))
            self.assertEqual(seen["BATON_ROOMS"], ("1", "default"))
        seen, _ = self.settings("--profile", "skylake_server", BATON_PROFILE="zen4")
        self.assertEqual(seen["BATON_EAGER_BYTES_MAX"], ("4k", "default"))
        seen, _ = self.settings("--profile", "zen4", BATON_EAGER_BYTES_MAX="2k")
        self.assertEqual(seen["BATON_EAGER_BYTES_MAX"], ("2k", "environment"))
        done = self.run_words(BATON, "settings", BATON_PROFILE="zen2")
        self.assertIn("shipped profile: zen2 (AMD Zen 2 (EPYC 7002)), a guess: as zen4", done.stdout)
        self.assertIn("tuned profile: none", done.stdout)

    def test_explain_says_what_the_shipped_profile_is_and_which_algorithms_it_brings(self):
        done = self.run_words(MPIEXEC, "--profile", "zen4", "--dry-run", "-n", "2", "true")
        self.assertRegex(done.stdout, "shipped profile zen4 .*, measured on .*eager_bytes_max=1024,")
        done = self.run_words(MPIEXEC, "--profile", "ice_lake_server", "--dry-run", "-n", "2", "true")
        self.assertRegex(done.stdout, "shipped profile ice_lake_server .*, a guess: as emerald_rapids: no setting differs")
        self.assertIn("algorithms of collectives from it: gather:6+:32768+=gather_direct", done.stdout)

    def test_dry_run_names_the_profile(self):
        self.assertIn(self.file, self.run_words(MPIEXEC, "--dry-run", "-n", "2", "true").stdout)

    def test_without_a_profile_nothing_is_said(self):
        os.unlink(self.file)
        self.assertEqual(self.assert_defaults(), "")

    def refused(self, profile):
        """What is said of a profile, once, by a job that runs with the defaults."""
        self.write(profile)
        said = self.assert_defaults()
        self.assertEqual(said.count("\n"), 1, said)
        for word in (self.file, "`baton tune`", "the job runs with the defaults"):
            self.assertIn(word, said)
        return said

    def test_another_machines_profile_is_refused_and_the_job_runs(self):
        said = self.refused({**self.good, "machine": {**self.good["machine"], "cpu_model": "Other CPU"}})
        self.assertIn("another machine", said)
        self.assertIn("Other CPU", said)
        self.assertIn(self.good["machine"]["cpu_model"], said)
        self.assertIn("9 cores", self.refused({**self.good, "machine": {**self.good["machine"],
                                                                        "topology": "9 cores"}}))

    def test_a_corrupt_unfinished_or_older_profile_is_refused_and_the_job_runs(self):
        self.assertIn("corrupt", self.refused(json.dumps(self.good)[:-40]))
        self.assertIn("corrupt", self.refused(""))
        self.assertIn("interrupted", self.refused({**self.good, "complete": False}))
        self.assertIn("Baton 0.0.1", self.refused({**self.good, "baton": "0.0.1"}))
        self.assertIn("format", self.refused({**self.good, "format": 0}))
        bad = [{"setting": "eager_bytes_max", "value": 1 << 40, "reason": "x"}]
        self.assertIn("eager_bytes_max", self.refused({**self.good, "chosen": bad}))

    def test_a_profile_that_is_named_and_not_there_is_reported(self):
        said = self.assert_defaults("--profile", "/nonexistent/profile.json")
        self.assertIn("/nonexistent/profile.json", said)

    def test_a_profile_that_is_no_file_is_reported_and_never_waited_for(self):
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        for name in (pipe, "/dev/zero", self.folder.name):
            said = self.assert_defaults("--profile", name)
            self.assertIn(f"the profile {name} cannot be used: ", said)
            self.assertIn("the job runs with the defaults", said)

    def test_settings_outside_a_job_are_those_of_a_job(self):
        done = self.run_words(BATON, "settings")
        self.assertRegex(done.stdout, r"BATON_EAGER_BYTES_MAX +48 +tuned")
        self.assertIn(f"tuned profile: {self.file}", done.stdout)
        self.write("{")
        done = self.run_words(BATON, "settings")
        self.assertRegex(done.stdout, r"BATON_EAGER_BYTES_MAX +[124]k +(default|shipped)")
        self.assertIn("corrupt", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
