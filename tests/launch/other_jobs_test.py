#!/usr/bin/env python3
"""Where ranks go beside other jobs of the machine. Usage: other_jobs_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import unittest
import uuid

import mpiexec_test as launch


class OtherJobs(unittest.TestCase):
    """Without the variable by which jobs of tests that run at the same time do not heed each other; nothing else
    of the tests may run meanwhile."""
    ENV = {name: value for name, value in os.environ.items() if name != "BATON_OTHER_JOBS"}

    def start(self, ranks):
        token = uuid.uuid4().hex
        job = launch.Job("-n", ranks, "--bind-to", "core", launch.RANK, "sleep", "1000", token, env=self.ENV)
        self.addCleanup(job.end)
        self.addCleanup(job.process.terminate)
        launch.wait_until(lambda: len(launch.processes_with(token)) == ranks + 2, "the ranks did not start")
        return job

    def plan(self, *words):
        job = launch.run("--dry-run", "--report-binding", *words, env=self.ENV)
        self.assertEqual(job.code, 0, job.err)
        return job.out

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one CPU only")
    def test_a_second_job_leaves_the_firsts_cpus_alone(self):
        before = self.plan("-n", 1)
        if "not bound" in before or "other jobs" in before:
            self.skipTest("others use this machine's CPUs now")
        first = re.search(r"CPU (\d+)", before)[1]
        job = self.start(1)
        self.assertIn(f"other jobs have CPUs {first}", self.plan("-n", 1))
        self.assertNotRegex(self.plan("-n", 1), rf"rank 0: CPU {first}\n")
        job.process.terminate()
        job.end()
        self.assertNotIn("other jobs", self.plan("-n", 1))

    def test_where_none_is_left_nobody_is_bound_unless_asked(self):
        self.start(len(os.sched_getaffinity(0)))
        self.assertRegex(self.plan("-n", 1), "not bound: other jobs have CPUs")
        self.assertNotIn("not bound", self.plan("-n", 1, "--bind-to", "core"))
        job = launch.run("--dry-run", "--report-binding", "-n", 1, env={**self.ENV, "BATON_OTHER_JOBS": "ignore"})
        self.assertNotIn("other jobs", job.out)


if __name__ == "__main__":
    unittest.main(verbosity=1)
