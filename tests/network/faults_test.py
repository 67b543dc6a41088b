#!/usr/bin/env python3
"""What goes wrong in jobs over several hosts ends soon and with a line that says why; a job on one host has nothing to
do with the network.
Usage: faults_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import launchers  # noqa: E402
from jobs import WATCHDOG_SECONDS, World, each_launcher, run_tests  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM, STRANGER = (os.path.join(PROGRAMS, name) for name in ("network_program", "stranger_program"))
LIBRARIES = os.path.join(os.path.dirname(BIN), "lib")
LIBRARY = f"LD_LIBRARY_PATH={LIBRARIES}"  # a launcher has its own MPI's folder in there
SOON_SECONDS = 100
LISTENS = "0A"


def sockets_of(pid):
    try:
        names = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return set()  # it ends
    return {name for name in names if name.startswith("socket:")}


def ports_of(rank, others):
    """On which TCP ports a rank listens itself: not those of its launcher, which leaves them open in its children."""
    own = sockets_of(rank)
    for pid in others:
        if pid != rank:
            own -= sockets_of(pid)
    ports = set()
    for table in ("tcp", "tcp6"):
        with open(f"/proc/{rank}/net/{table}") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENS and f"socket:[{fields[9]}]" in own:
                    ports.add(int(fields[1].rsplit(":", 1)[1], 16))
    return sorted(ports)


def on_both_hosts(setting):
    return ["env", LIBRARY, setting, PROGRAM, "library"]


class OverTwoHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(2, PROGRAM).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def end_soon(self, job):
        """It may end by its launcher or by itself, but nothing of it stays."""
        self.world.end(job, SOON_SECONDS)
        self.world.check_nothing_left()
        return job

    def refused(self, launcher, words, *command):
        """A job in which no rank gets through MPI_Init; each that says why says it in one line."""
        job = self.end_soon(self.world.start(launcher, 2, *command))
        told = [line for line in job.err.splitlines() if line.startswith("baton: ")]
        self.assertNotEqual(job.returncode, 0, job.out + job.err)
        self.assertNotIn("hosts: Baton", job.out)
        self.assertIn(len(told), (1, 2), job.err)
        for line in told:
            self.assertRegex(line, r"^baton: MPI_Init: .*\[MPI_ERR_OTHER\]$")
        # Where a launcher lets others on, they say of whom they have heard so.
        reasons = [line for line in told if "has no network" not in line]
        self.assertTrue(reasons, job.err)
        for line in reasons:
            for word in words:
                self.assertIn(word, line)

    def on_second_host(self, setting):
        """The words of a program that has a setting on the second host alone."""
        path = os.path.join(self.world.hosts.folder, f"on_second_{setting.split('=')[0]}.sh")
        with open(path, "w") as file:
            file.write(f"[ $(hostname) = {self.world.hosts.names[1]} ] && export {setting}\nexec {PROGRAM} library\n")
        return ["env", LIBRARY, "sh", path]

    def test_what_is_no_libfabric_is_named(self):
        other = os.path.join(LIBRARIES, "libmpi_abi.so.1")
        for path, words in (("/no/such/libfabric.so", ["/no/such/libfabric.so", "No such file"]),
                            (os.path.abspath(__file__), [os.path.abspath(__file__), "ELF"]),
                            (other, [other, "no libfabric"])):
            with self.subTest(path):
                self.refused("mpich", [*words, "BATON_LIBFABRIC"], *on_both_hosts(f"BATON_LIBFABRIC={path}"))

    def test_interfaces_and_providers_that_are_not_there_are_named(self):
        for setting, word in (("BATON_NETWORK_INTERFACE", "eth7"), ("BATON_NETWORK_PROVIDER", "pigeon")):
            with self.subTest(setting):
                self.refused("mpich", [word, setting, "fi_info"], *on_both_hosts(f"{setting}={word}"))

    def test_settings_that_differ_name_both_ranks_and_hosts(self):
        first, second = self.world.hosts.names
        words = [f"rank 0 on host {first}", f"rank 1 on host {second}", "BATON_ROOMS (", f"1 on host {first}",
                 f"0 on host {second}"]
        each_launcher(self, lambda name: self.refused(name, words, *self.on_second_host("BATON_ROOMS=0")),
                      ("mpich", "srun-pmix"))

    def test_one_rank_that_fails_alone_ends_the_job(self):
        """All others wait for it in MPI_Init."""
        each_launcher(self, lambda name: self.refused(
            name, ["/no/such", "BATON_LIBFABRIC"], *self.on_second_host("BATON_LIBFABRIC=/no/such")))

    def test_a_killed_rank_ends_the_job(self):
        def check(name):
            job = self.world.start(name, 4, "env", LIBRARY, PROGRAM, "die")
            self.assertNotEqual(self.end_soon(job).returncode, 0, job.out + job.err)
        each_launcher(self, check, ("mpich", "mpich-port", "intel"))

    def pester(self, *words):
        """The job goes on, and ends right, while strangers on the other host run this with a rank's address and ports;
        what it says on standard error."""
        stop = os.path.join(self.world.hosts.folder, "stop")
        job = self.world.start("mpich", 2, "env", LIBRARY, PROGRAM, "pingpong", stop)
        strangers = []
        try:
            self.assertEqual(job.stdout.readline(), "begun\n", "the job does not begin")
            first, second = self.world.hosts.names
            for host, other in ((first, second), (second, first)):
                (rank,) = self.world.ranks(host)
                ports = ports_of(rank, self.world.inhabitants(host))
                self.assertTrue(ports, f"the rank on {host} listens nowhere")
                entered = self.world.hosts.enter(other, *words, self.world.hosts.address(host), *ports)
                strangers.append(subprocess.Popen(entered, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for stranger in strangers:
                self.assertEqual(stranger.stdout.readline(), "pestered\n")
            self.assertIsNone(job.poll(), "the job has ended")
        finally:
            with open(stop, "w"):
                pass
            self.world.end(job, SOON_SECONDS)
            os.remove(stop)
            for stranger in strangers:
                stranger.communicate("", SOON_SECONDS)
        self.world.check_nothing_left()
        self.assertEqual(job.returncode, 0, job.out + job.err)
        self.assertRegex(job.out, r"^\d+ messages are right\n$")
        return job.err

    def test_strangers_that_send_any_bytes_do_not_disturb_a_job(self):
        self.pester(sys.executable, os.path.join(HERE, "stranger.py"))

    @unittest.skipUnless(os.path.exists(STRANGER), "libfabric's headers are not installed")
    def test_strangers_that_speak_the_ranks_own_protocol_are_told_of_and_do_not_disturb_a_job(self):
        lines = [line for line in self.pester(STRANGER).splitlines() if line.startswith("baton: ")]
        # Each rank tells of the first three.
        for line in lines:
            self.assertRegex(line, "without this job's key|shorter than its header")


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class OnOneHost(unittest.TestCase):
    def trace(self, launcher, calls):
        """The calls of a job of two ranks, its launcher's too."""
        # A leak checker cannot work below strace.
        environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        with tempfile.NamedTemporaryFile("r", errors="replace") as log:
            done = subprocess.run(["strace", "-f", "-e", f"trace={calls}", "-o", log.name, *launcher, "-n", "2",
                                   "env", LIBRARY, PROGRAM, "library"], capture_output=True, text=True,
                                  timeout=WATCHDOG_SECONDS, env=environment)
            traced = log.read()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 ranks on 1 hosts: Baton ", done.stdout)
        self.assertIn("libmpi_abi.so.1", traced, "strace saw nothing")
        return traced

    def test_mpiexec_s_job_opens_no_libfabric_and_no_socket(self):
        traced = self.trace([os.path.join(BIN, "mpiexec")], "openat,socket")
        self.assertNotIn("libfabric", traced)
        self.assertEqual(re.findall(r".*AF_INET.*", traced), [])

    def test_another_launcher_s_job_opens_no_libfabric(self):
        try:
            _, program = launchers.peer("mpich", "bin", "mpiexec")
        except launchers.Absent as why:
            self.skipTest(str(why))
        self.assertNotIn("libfabric", self.trace([program], "openat"))


if __name__ == "__main__":
    sys.exit(run_tests())
