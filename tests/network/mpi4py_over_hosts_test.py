#!/usr/bin/env python3
"""mpi4py's own tests over several hosts, under other launchers: what passes on one host passes there.
Usage: mpi4py_over_hosts_test.py BUILD_FOLDER short|files|all [--launcher NAME] [MODULE ...]"""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "mpi4py")]
import launchers  # noqa: E402
from jobs import SKIPPED, World, why_no_hosts  # noqa: E402
from mpi4py_test import ONE_RANK, TIMEOUT_CODE, Installation, Tests  # noqa: E402

# What sends most, in most ways; and files. Else all.
MODULES = {"short": ["test_cco_buf", "test_cco_nb_buf", "test_cco_obj", "test_comm", "test_p2p_buf", "test_p2p_obj",
                     "test_request"],
           "files": ["test_file", "test_io"]}
# Hosts, ranks, launcher.
JOBS = {"short": ((2, 4, "mpich"), (2, 2, "srun-pmi2"), (3, 5, "srun-pmix"), (3, 3, "prterun")),
        "files": ((2, 2, "mpich"), (2, 4, "mpich")),
        "all": tuple((hosts, ranks, name) for hosts, sizes in ((2, (2, 4, 5)), (3, (3, 5))) for ranks in sizes
                     for name in ("mpich", "intel", "prterun", "srun-pmi2", "srun-pmix"))}
WHERE = """import os
from mpi4py import MPI
os.write(1, f"on {MPI.Get_processor_name()}: {MPI.Get_library_version()}\\n".encode())"""
# These hosts share a machine's CPUs, and each takes them for its own.
SETTINGS = ("BATON_SPIN_COUNT=0", "OMP_NUM_THREADS=1")


class TestsOverHosts(Tests):
    def __init__(self, installation, world, launcher):
        super().__init__(installation)
        self.world, self.launcher = world, launcher

    def run_job(self, ranks, words, seconds):
        library = f"LD_LIBRARY_PATH={self.installation.environment['LD_LIBRARY_PATH']}"
        try:
            job = self.world.run(self.launcher, ranks, "env", library, *SETTINGS, *words, seconds=seconds)
        except AssertionError as hang:
            return TIMEOUT_CODE, str(hang)
        self.world.check_nothing_left()
        return job.returncode, job.out + job.err

    def check_library(self, ranks):
        """What ranks find on every host must be Baton."""
        code, output = self.run_job(ranks, [self.installation.python, "-c", WHERE], 60)
        told = re.findall(r"(?m)^on (\S+): Baton ", output)
        if code != 0 or len(told) != ranks or set(told) != set(self.world.hosts.names):
            self.problems.append(f"{ranks} ranks of Baton on all hosts were expected:\n{output}")


def run_over(count, jobs, installation, modules):
    """The problems of all jobs on so many hosts."""
    problems = []
    with World(count) as world:
        for ranks, launcher in jobs:
            print(f"{launcher}, {count} hosts:", flush=True)
            tests = TestsOverHosts(installation, world, launcher)
            tests.ranks = (ranks,)
            try:
                tests.check_library(ranks)
                tests.must_pass(modules)
            except launchers.Absent as why:
                print(f"skipped: {launcher}: {why}")
            problems += [f"{launcher}, {count} hosts: {problem}" for problem in tests.problems]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="the build folder")
    parser.add_argument("form", choices=JOBS)
    parser.add_argument("--launcher", help="only this one")
    parser.add_argument("modules", nargs="*", help="only these modules, such as test_comm")
    options = parser.parse_args()
    if why := why_no_hosts():
        print(f"skipped: no hosts here: {why}")
        return SKIPPED
    installation = Installation(os.path.abspath(options.build))
    installation.make()
    listed = set(Tests(installation).listed) | ONE_RANK
    modules = options.modules or MODULES.get(options.form) or \
        [module for module in installation.modules() if module not in listed]
    problems = []
    for count in (2, 3):
        jobs = [(ranks, name) for hosts, ranks, name in JOBS[options.form]
                if hosts == count and options.launcher in (None, name)]
        problems += run_over(count, jobs, installation, modules) if jobs else []
    for problem in problems:
        print(f"\n{problem}")
    print(f"{len(modules)} modules, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
