#!/usr/bin/env python3
"""A host that dies, or whose processes do, and a way that is barred: each rank that waits has an error that names rank and
host, within the stated time; a rank that computes is not taken for dead. With the system's libfabric and the peers' newer
one.
Usage: loss_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from forwarder import Trouble  # noqa: E402
from hosts import run  # noqa: E402
from jobs import World, begin, kill, libfabrics, library_of, run_tests, wait_until  # noqa: E402

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "loss_program")
PATIENCE = 3
SOON_SECONDS = PATIENCE + 5
LONG_PATIENCE = 60
BARRED_SECONDS = 150  # ten from the first message on, and the launcher's own
LAUNCHER_PORTS = (20000, 20999)  # the launcher's own, which nothing bars
EACH_PORTS = 20
WAYS = ("recv", "any", "probe", "barrier", "send", "stream", "put", "get")


class Job:
    """A job whose ranks write their errors where no launcher can lose them."""
    ports = LAUNCHER_PORTS[0]

    def __init__(self, world, ranks, words, libfabric=(), patience=PATIENCE):
        self.world, self.ranks, self.words = world, ranks, [*words, *libfabric]
        self.folder = tempfile.mkdtemp(dir=world.hosts.folder)
        os.environ["MPIEXEC_PORT_RANGE"] = f"{Job.ports}:{Job.ports + EACH_PORTS - 1}"
        Job.ports += EACH_PORTS
        self.process = world.start("mpich", ranks, "env", library_of(BIN), *libfabric, "BATON_SPIN_COUNT=0",
                                   f"BATON_NETWORK_PATIENCE_SECONDS={patience}", "sh", "-c",
                                   f'exec {PROGRAM} "$@" 2>{self.folder}/$(hostname).$$', "sh", *words)

    def said_on(self, *names):
        """By each rank on these hosts: its lines on standard error."""
        files = sorted(name for name in os.listdir(self.folder) if name.rsplit(".", 1)[0] in names)
        texts = []
        for name in files:
            with open(os.path.join(self.folder, name)) as file:
                texts.append(file.read())
        return texts


class Lossy:
    COUNT = 0

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls.COUNT, PROGRAM, Trouble()).__enter__()
        cls.addClassCleanup(cls.world.__exit__)

    def tearDown(self):
        self.world.check_nothing_left()

    def start(self, ranks, *words, **more):
        return Job(self.world, ranks, list(map(str, words)), **more)

    def lose(self, jobs, take_away, seconds=SOON_SECONDS, begins=True, over=None):
        """What each rank that is left has said, by job, after the last host was taken away, and no rank runs on (or it is
        `over`)."""
        *left, lost = self.world.hosts.names
        try:
            if begins:
                for job in jobs:
                    begin(self.world, job.process)
                time.sleep(0.3)  # they wait now
            take_away(lost)
            begun = time.monotonic()
            wait_until(over or (lambda: not self.world.ranks(*left)), f"after {seconds} s ranks still wait", seconds)
            print(f"all have ended after {time.monotonic() - begun:.1f} s", file=sys.stderr)
        finally:
            self.world.hosts.restore(lost)
            kill(self.world.left())
            for job in jobs:
                job.out, job.err = job.process.communicate()
        return {job: job.said_on(*left) for job in jobs}

    def check_named(self, texts, job, ranks, words="(any more|Connection refused)"):
        """Whoever says something says it of a rank of the lost host."""
        lines = [line for text in texts for line in text.splitlines() if line.startswith("baton: ")]
        self.assertTrue(lines, (job.words, job.out, job.err))
        for line in lines:
            self.assertRegex(line, rf"rank [{ranks}] on host {self.world.hosts.names[-1]} cannot be reached over the "
                                   f"network.*{words}", job.words)

    def kill_all(self, name):
        """All of the host, its launcher's processes, too; the launcher elsewhere is not to notice before the ranks do."""
        others = [pid for pid in self.world.left() if pid not in self.world.ranks()]
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        here = self.world.inhabitants(name)
        kill([pid for pid in self.world.left() if pid in here])


class OverTwoHosts(Lossy, unittest.TestCase):
    COUNT = 2

    def each_way(self, take_away, ranks, lost, ways=WAYS):
        jobs = [self.start(ranks, way, libfabric=libfabric) for way in ways for libfabric in libfabrics()]
        for job, texts in self.lose(jobs, take_away).items():
            self.check_named(texts, job, lost)

    def test_who_waits_for_a_host_whose_link_is_dead_ends_with_its_name(self):
        self.each_way(self.world.hosts.cut, 2, "1")

    def test_who_waits_for_a_host_whose_processes_are_all_killed_ends_with_its_name(self):
        self.each_way(self.kill_all, 4, "23", ("recv", "any", "send", "put", "get"))

    def test_who_computes_for_longer_than_that_is_not_taken_for_dead(self):
        jobs = [self.start(4, "compute", PATIENCE, libfabric=libfabric, patience=1) for libfabric in libfabrics()]
        for job in jobs:
            self.world.end(job.process)
            self.assertEqual(job.process.returncode, 0, job.process.err)
            self.assertIn("they have met again", job.process.out)
            self.assertEqual("".join(job.said_on(*self.world.hosts.names)), "")

    def test_a_way_that_refuses_connections_is_told_with_interface_and_remedy(self):
        self.bar("reject with tcp reset")
        self.check_barred(self.start_first("barrier"))

    def test_a_way_that_drops_connections_is_told_with_interface_and_remedy(self):
        """And an interface that leads nowhere."""
        self.bar("drop")
        self.add_second_interface()
        ways = (("barrier", "eth0"), ("stream", "eth0"), ("send", "eth0"), ("barrier", "eth1"))
        self.check_barred([job for way in ways for job in self.start_first(*way)])

    def test_what_a_broken_connection_has_lost_is_told(self):
        """Both ranks live, and what one had sent is gone with the other's socket."""
        low, high = LAUNCHER_PORTS
        ours = " and ".join(f"( {end} lt {low} or {end} gt {high} )" for end in ("sport", "dport"))
        for libfabric in libfabrics():
            for size in (60000, 150000):
                job = self.start(2, "unread", size, libfabric=libfabric, patience=1)
                here, there = self.world.hosts.names
                try:
                    begin(self.world, job.process)
                    run(*self.world.hosts.enter(there, "ss", "-K", "-t", "state", "established", ours))
                    wait_until(lambda: not self.world.ranks(), "ranks still wait", SOON_SECONDS)
                finally:
                    kill(self.world.left())
                    job.out, job.err = job.process.communicate()
                said = "".join(job.said_on(here, there))
                self.assertRegex(said, rf"rank [01] on host ({here}|{there}) cannot be reached over the network", size)

    def bar(self, verdict):
        """From now on hosts take no connections but the launcher's."""
        if not shutil.which("nft"):
            self.skipTest("nft is not installed (Debian: nftables)")
        low, high = LAUNCHER_PORTS
        rules = (f"table inet bar {{ chain in {{ type filter hook input priority 0\ntcp dport {low}-{high} accept\n"
                 f"tcp flags & (syn | ack) == syn {verdict}\n}}\n}}\n")
        on_hosts = [self.world.hosts.enter(name, "nft") for name in self.world.hosts.names]
        for words in on_hosts:
            run(*words, rules)
            self.addCleanup(run, *words, "delete table inet bar")

    def add_second_interface(self):
        """eth1 of each host, in networks that know nothing of each other."""
        for number, pid in enumerate(self.world.hosts.pids.values(), 1):
            on_host = ("nsenter", "-t", pid, "--net", "ip")
            run(*on_host, "link", "add", "eth1", "type", "veth", "peer", "name", "eth1end")
            self.addCleanup(run, *on_host, "link", "del", "eth1")
            run(*on_host, "addr", "add", f"10.9.{number}.1/24", "dev", "eth1")
            for name in ("eth1", "eth1end"):
                run(*on_host, "link", "set", name, "up")

    def start_first(self, way, interface="eth0"):
        """Jobs whose first messages do not get through."""
        jobs = [self.start(2, "first", way, libfabric=[f"BATON_NETWORK_INTERFACE={interface}", *libfabric],
                           patience=LONG_PATIENCE) for libfabric in libfabrics()]
        for job in jobs:
            job.interface = interface
        return jobs

    def check_barred(self, jobs):
        """Who is the first says it; the launcher may end the other before it does."""
        names = self.world.hosts.names
        self.lose(jobs, lambda _: None, BARRED_SECONDS, begins=False, over=lambda: all(
            any(job.said_on(*names)) for job in jobs))
        for job in jobs:
            for rank, host in enumerate(names):
                for text in job.said_on(names[1 - rank]):
                    self.assertLessEqual(text.count("\n"), 1, (job.words, text))
                    if text:
                        self.assertRegex(text, rf"^baton: .*rank {rank} on host {host} cannot be reached .* on interface "
                                               rf"{job.interface}\).*firewall.*BATON_NETWORK_INTERFACE")


class OverThreeHosts(Lossy, unittest.TestCase):
    COUNT = 3

    def test_each_rank_that_is_left_has_the_error_returned(self):
        jobs = [self.start(6, way, "return", libfabric=libfabric) for way in ("barrier", "recv")
                for libfabric in libfabrics()]
        left = self.world.hosts.names[:2]
        # Those in a barrier go no further, so that their launchers leave the others alone.
        last = {"barrier": "MPIX_ERR_PROC_FAILED]\n", "recv": "is through MPI_Finalize\n"}
        said = self.lose(jobs, self.world.hosts.cut, over=lambda: all(
            sum(text.endswith(last[job.words[0]]) for text in job.said_on(*left)) == 4 for job in jobs))
        for job, texts in said.items():
            for text in texts:
                self.assertRegex(text, rf"^rank \d has the error: .*rank [45] on host {self.world.hosts.names[2]} "
                                       "cannot be reached over the network", job.words)


if __name__ == "__main__":
    sys.exit(run_tests(Trouble()))
