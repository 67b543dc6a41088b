#!/usr/bin/env python3
"""`baton tune --net` between two hosts: another launcher starts its jobs, and jobs there then use what it has written.
Usage: tune_net_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launchers  # noqa: E402
from jobs import World, run_tests  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "network_program")


class BetweenTwoHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(2, PROGRAM).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def setUp(self):
        """A PATH in which there is one launcher, MPICH's."""
        try:
            _, program = launchers.peer("mpich", "bin", "mpiexec")
        except launchers.Absent as why:
            self.skipTest(str(why))
        self.folder = self.world.hosts.folder
        launcher = os.path.join(self.folder, "mpiexec.hydra")
        with open(launcher, "w") as file:
            file.write(f'#!/bin/sh\nexec {program} -launcher ssh -launcher-exec {launchers.RSH} "$@"\n')
        os.chmod(launcher, 0o755)

    def run_words(self, *words):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(launchers.FOREIGN)}
        # The hosts share the CPUs of one machine.
        environment |= {**self.world.hosts.environment(), "PATH": f"{self.folder}:{environment['PATH']}",
                        "XDG_CONFIG_HOME": self.folder, "BATON_SPIN_COUNT": "0"}
        job = subprocess.Popen(self.world.hosts.enter(self.world.hosts.names[0], *words), text=True, errors="replace",
                               start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment)
        self.world.end(job)
        self.assertEqual(job.returncode, 0, (job.args, job.out, job.err))
        self.world.check_nothing_left()
        return job

    def test_a_profile_is_written_and_used(self):
        hosts = self.world.hosts.names
        done = self.run_words(os.path.join(BIN, "baton"), "tune", "--net", "-host", ",".join(hosts), "--seconds", "1")
        self.assertNotIn("loopback", done.out + done.err)
        name = os.path.join(self.folder, "baton", "profile.json")
        with open(name) as file:
            profile = json.load(file)
        found = profile["network"]
        self.assertEqual((found["hosts"], found["interface"]), (hosts, "eth0"))
        self.assertLessEqual({"arrival", "packets"}, {cell["question"] for cell in found["measured"]})
        self.assertTrue(found["offers"])
        found["chosen"] = [{"setting": "network_eager_bytes_max", "value": 32768, "reason": "a test"}]
        with open(name, "w") as file:
            json.dump(profile, file)
        job = self.run_words(os.path.join(BIN, "mpiexec"), "-host", ",".join(hosts), "-ppn", "1", "--explain", PROGRAM,
                             "library")
        self.assertEqual(job.err.count("packets up to 32 KiB: measured by baton tune --net (8 B: message "), 2, job.err)


if __name__ == "__main__":
    sys.exit(run_tests())
