#!/usr/bin/env python3
"""`baton tune --net` over the loopback: it measures with real jobs, leaves the other parts of a profile alone, what it
writes is what jobs over that network use, and its errors name a remedy. Usage: tune_net_test.py BIN_FOLDER PROGRAM_FOLDER"""
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
SETTINGS = {"network_eager_bytes_max", "network_receiver_initiated"}


def load(name):
    with open(name) as file:
        return json.load(file)


class TuneNet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "baton", "profile.json")
        self.partial = self.file + ".net.partial"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("BATON_") or name == "BATON_OTHER_JOBS"}
        # A busy machine: ranks that wait leave their CPU to the ones that they wait for.
        self.environment |= {"XDG_CONFIG_HOME": self.folder.name, "BATON_SPIN_COUNT": "0"}

    def tearDown(self):
        self.folder.cleanup()

    def run_words(self, *words, **variables):
        return subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG_SECONDS,
                              env={**self.environment, **variables}, stdin=subprocess.DEVNULL)

    def tune(self, *words, code=0, **variables):
        done = self.run_words(os.path.join(BIN, "baton"), "tune", *words, **variables)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def network(self, **variables):
        """What a job over the loopback tells of its network."""
        done = self.run_words(os.path.join(BIN, "mpiexec"), "--timeout", "600", "--explain=json", "-n", "2", PROGRAM,
                              BATON_RANKS_PER_NODE="1", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        (network,) = json.loads(done.stderr[done.stderr.index("{"):])["networks"]
        return network["words"]

    def change(self, **network):
        profile = load(self.file)
        profile["network"].update(network)
        with open(self.file, "w") as file:
            json.dump(profile, file)

    def test_a_profile_is_written_shown_and_used(self):
        done = self.tune("--net", "--seconds", "1")
        self.assertIn("This measures the loopback, not a network", done.stderr)
        self.assertRegex(done.stderr, r"baton tune: 0 of 1 s, this machine's loopback, round 1: ")
        self.assertIn(f"written: {self.file}", done.stdout)
        self.assertIn("This was the loopback", done.stdout)
        profile = load(self.file)
        found = profile["network"]
        self.assertTrue(profile["complete"])
        self.assertEqual((found["hosts"], found["interface"]), ([], "lo"))
        self.assertEqual({one["setting"] for one in found["chosen"]}, SETTINGS)
        arrivals = {(cell["variant"], cell["bytes"]) for cell in found["measured"] if cell["question"] == "arrival"}
        for way in ("message", "write"):
            self.assertLessEqual({(way, 8), (way, 1024), (way, 16384)}, arrivals)
        self.assertEqual({cell["variant"] for cell in found["measured"] if cell["question"] == "packets"},
                         {"packets", "advertised", "answered"})
        for cell in found["measured"]:
            self.assertGreater(min(cell["medians_us"]), 0)
        self.assertEqual(os.listdir(os.path.dirname(self.file)), ["profile.json"])
        # Which values there are is the machine's to say; that they are used is ours.
        self.change(chosen=[{"setting": "network_eager_bytes_max", "value": 32768, "reason": "a test"}],
                    arrival="8 B: message 5.1 us", writes="as quick")
        shown = self.tune("--show").stdout
        for words in ("which is no network", "network_eager_bytes_max", "a test", "8 B: message 5.1 us: as quick", found["offers"]):
            self.assertIn(words, shown)
        self.assertTrue(self.network().endswith("packets up to 32 KiB: measured by baton tune --net (8 B: message 5.1 us; "
                                                "as quick)"), self.network())
        self.assertTrue(self.network(BATON_NETWORK_EAGER_BYTES_MAX="8192").endswith(
            "packets up to 8 KiB: BATON_NETWORK_EAGER_BYTES_MAX"))
        self.assertTrue(self.network(BATON_PROFILE="none").endswith("packets up to 128 KiB: the default"))
        self.change(libfabric="0.1")
        self.assertIn("packets up to 128 KiB: the default, since baton tune --net measured ", self.network())
        self.assertIn(" from it: network_eager_bytes_max=32768", self.run_words(
            os.path.join(BIN, "mpiexec"), "--explain", "-n", "1", PROGRAM).stderr)

    def test_the_other_parts_of_a_profile_stay(self):
        self.tune("--collectives", "--ranks", "2", "--seconds", "1")
        before = load(self.file)
        self.tune("--net", "--seconds", "1")
        both = load(self.file)
        self.assertEqual({**both, "network": None}, {**before, "network": None})
        self.tune("--collectives", "--ranks", "2", "--seconds", "1")
        self.assertEqual(load(self.file)["network"], both["network"])

    def test_what_was_measured_before_ctrl_c_is_kept_and_gone_on_with(self):
        interrupt(self, [os.path.join(BIN, "baton"), "tune", "--net", "--seconds", "100"], self.environment,
                  lambda: load(self.partial)["network"]["measured"], WATCHDOG_SECONDS)
        first = load(self.partial)["network"]["measured"][0]["medians_us"]
        done = self.tune("--net", "--seconds", "1")
        self.assertIn("continuing after", done.stderr)
        self.assertEqual(load(self.file)["network"]["measured"][0]["medians_us"][:len(first)], first)
        self.assertFalse(os.path.exists(self.partial))

    def test_what_cannot_be_measured_is_refused_with_a_remedy(self):
        for words, variables, said in (
                (("--host", "a"), {}, "--host A,B"),
                (("-host", "localhost,127.0.0.1"), {}, "name two different ones"),
                (("--hostfile", "/no/such"), {}, "/no/such"),
                (("-host", "no-such-host-a,no-such-host-b"), {"PATH": "/no/such"}, "none of them is in PATH. Install one"),
                ((), {"BATON_LIBFABRIC": "/no/such"}, "libfabric cannot be opened: /no/such"),
                ((), {"BATON_NETWORK_INTERFACE": "nosuch0"}, "BATON_NETWORK_INTERFACE and")):
            done = self.tune("--net", "--seconds", "1", *words, code=1, **variables)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.file))

    def test_a_host_that_nobody_reaches_is_said_to_be_one(self):
        launcher = os.path.join(self.folder.name, "mpiexec.hydra")
        with open(launcher, "w") as file:
            file.write("#!/bin/sh\necho 'ssh: connect to host b port 22: No route to host' >&2\nexit 255\n")
        os.chmod(launcher, 0o755)
        done = self.tune("--net", "--seconds", "1", "--host", "no-such-host,b", code=1, PATH=self.folder.name)
        self.assertIn("No route to host", done.stderr)
        self.assertIn("`ssh b true`", done.stderr)

    def test_wrong_words_are_refused(self):
        for words in (("--net", "--collectives"), ("--host", "a,b"), ("--net", "--seconds", "301"),
                      ("--net", "--host", "a,b", "--hostfile", "x")):
            self.assertIn("baton tune: ", self.tune(*words, code=2).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
