"""Jobs over the hosts of hosts.py under any launcher, each with a watchdog, and what is left of them. For tests."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import hosts as several
import launchers
from slurm import Slurm

WATCHDOG_SECONDS = 600
PATIENCE_SECONDS = 150  # a bound for a busy machine; the library's own is 10
SKIPPED = 77  # what CTest takes for skipped


class World:
    """Hosts, and Slurm on them once it is wanted. `program` is what the ranks of its jobs are."""

    def __init__(self, count, program=None, trouble=None, interfaces=1):
        self.hosts, self.program = several.Hosts(count, trouble, interfaces), program
        self.daemons = self.problem = None

    def __enter__(self):
        self.hosts.__enter__()
        self.settle()
        return self

    def __exit__(self, *_):
        if self.daemons:
            self.daemons.__exit__()
        self.hosts.__exit__()

    def settle(self):
        """What runs in the hosts now is of no job."""
        self.settled = set(self.inhabitants())

    def slurm(self):
        if not self.daemons and not self.problem:
            try:
                self.daemons = Slurm(self.hosts).__enter__()
                self.settle()
            except several.Unusable as why:
                self.problem = str(why)
        if self.problem:
            raise launchers.Absent(self.problem)
        return self.daemons

    def start(self, name, ranks, *words):
        """A program under a launcher."""
        return launchers.start(name, self.hosts, ranks, words, self.slurm)

    def run(self, name, ranks, *words, seconds=WATCHDOG_SECONDS):
        return self.end(self.start(name, ranks, *words), seconds)

    def end(self, job, seconds=WATCHDOG_SECONDS):
        try:
            job.out, job.err = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            kill(self.left())
            out, err = job.communicate()
            raise AssertionError(f"watchdog: {job.args} still ran after {seconds} s\n{out}\n{err}")
        return job

    def inhabitants(self, *names):
        return several.inhabitants({several.space_of(self.hosts.pids[name]) for name in names or self.hosts.names})

    def left(self):
        """What jobs have left running."""
        return [pid for pid in self.inhabitants() if pid not in self.settled]

    def check_nothing_left(self):
        try:
            wait_until(lambda: not self.left(), "a job has ended, and processes of it still run")
        finally:
            kill(self.left())

    def ranks(self, *names):
        """The processes of the program on these hosts (all)."""
        return [pid for pid in self.inhabitants(*names) if program_of(pid) == self.program]

    def kill_ranks(self):
        kill(self.ranks())


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def wait_until(condition, what, seconds=PATIENCE_SECONDS):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError(what)
        time.sleep(0.02)


def each_launcher(test, check, names=tuple(launchers.LAUNCHERS)):
    """Those that are there."""
    for name in names:
        with test.subTest(name):
            try:
                check(name)
            except launchers.Absent as why:
                print(f"skipped: {name}: {why}", file=sys.stderr)


def why_no_hosts(trouble=None):
    """In words; None: there can be hosts."""
    try:
        with several.Hosts(1, trouble):
            return None
    except several.Unusable as why:
        return str(why)


def run_tests(trouble=None):
    """The tests of the program that was started; where there can be no hosts, what CTest takes for skipped."""
    if why := why_no_hosts(trouble):
        print(f"skipped: no hosts here: {why}")
        return SKIPPED
    try:
        launchers.peer("mpich", "bin", "mpiexec")  # most of them use it
    except launchers.Absent as why:
        print(f"skipped: {why}")
        return SKIPPED
    return 0 if unittest.main(verbosity=1, exit=False).result.wasSuccessful() else 1


def library_of(bin_folder):
    """A launcher has its own MPI's folder in there."""
    return f"LD_LIBRARY_PATH={os.path.join(os.path.dirname(bin_folder), 'lib')}"


def libfabrics():
    """Settings of jobs: the system's libfabric, and the newer one of a peer, if it is there."""
    newer = os.path.join(launchers.peers.default_cache(), "mpich", "lib", "mpich", "libfabric.so.1")
    return [[], [f"BATON_LIBFABRIC={newer}"]] if os.path.exists(newer) else [[]]


def begin(world, job):
    """Waits until the job says that it has begun."""
    watchdog = threading.Timer(WATCHDOG_SECONDS, lambda: kill(world.left()))
    watchdog.start()
    try:
        said = job.stdout.readline()
    finally:
        watchdog.cancel()
    if said != "begun\n":
        kill(world.left())
        raise AssertionError(f"the job does not begin: {said}{job.communicate()}")
