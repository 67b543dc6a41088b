#!/usr/bin/env python3
"""mpiexec --export-heap: the programs' own large blocks in the exported heap. Usage: export_heap_test.py BIN_FOLDER PROGRAM_FOLDER
[unittest's]"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
PROGRAM = os.path.join(PROGRAMS, "export_heap_program")
WATCHDOG_SECONDS = 1200


def mpiexec(*words, ranks=2, program=(PROGRAM,), env=None, **more):
    return subprocess.run([os.path.join(BIN, "mpiexec"), "-n", str(ranks), *words[:-1], *program,
                           *words[-1].split()], capture_output=True, text=True, timeout=WATCHDOG_SECONDS,
                          env={**os.environ, **(env or {})}, **more)


class Heap(unittest.TestCase):
    def works(self, what, *words, ranks=1, **more):
        done = mpiexec("--export-heap", *words, what, ranks=ranks, **more)
        said = [line for line in done.stderr.splitlines() if "one NUMA node" not in line]
        self.assertEqual((done.returncode, said), (0, []), done.stdout)
        self.assertEqual(done.stdout, "done\n" * ranks)
        return done

    def messages_by_way(self, *words):
        with tempfile.NamedTemporaryFile() as file:
            done = mpiexec("--explain-file", file.name, *words, "pass 9000000")
            self.assertEqual(done.returncode, 0, done.stderr)
            ways = [way for part in json.load(file)["traffic"] for way in part["ways"]]
        return {name: sum(way["messages"] for way in ways if way["way"] == name)
                for name in ("cma", "exported", "receiver_initiated", "pipelined")}

    def test_messages_between_blocks_of_malloc_need_no_system_call(self):
        without, exported = self.messages_by_way(), self.messages_by_way("--export-heap")
        self.assertEqual(without["exported"], 0)
        self.assertGreater(exported["exported"], 0)
        self.assertEqual(exported["cma"], 0)

    def test_messages_of_all_sizes_arrive(self):
        for size in (65536, 100_000, 1_000_000, 9_000_000):
            self.works(f"pass {size}", ranks=3)

    def test_a_child_has_a_copy_from_the_moment_of_fork(self):
        self.works("fork", ranks=2)

    def test_a_child_that_passes_by_forks_handlers_dies_before_it_can_do_harm(self):
        self.works("clone")

    def test_fork_needs_no_descriptor_that_is_not_there(self):
        self.works("descriptors")

    def test_freed_memory_goes_back_to_the_system(self):
        self.works("release")

    def test_calloc_realloc_and_alignment_are_right_in_reused_memory(self):
        self.works("zeros")

    def test_threads_allocate_while_messages_travel(self):
        self.works("threads", ranks=2)

    def test_a_program_behind_a_shell_is_exported_and_the_shell_does_no_harm(self):
        self.works("pass", ranks=2, program=("sh", "-c", f'x=$(seq 9); {PROGRAM} "$@"', "sh"))

    def test_a_placed_heap_places_these_blocks(self):
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("Mems_allowed_list"))
        node = line.split()[1].split("-")[0].split(",")[0]
        for place in (f"node:{node}", f"node:{node}!", "interleave"):
            self.works("zeros", "--memory", f"heap={place}")
        self.works("reserve", "--memory", f"heap=node:{node}")

    def test_the_memory_report_counts_them_as_heap(self):
        done = mpiexec("--export-heap", "--memory-report", "pass", ranks=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = next(line.split() for line in done.stderr.splitlines() if " heap " in line)
        self.assertNotEqual(row[2], "-", done.stderr)

    def test_an_own_preload_stays(self):
        done = self.works("pass", ranks=2, env={"LD_PRELOAD": "libm.so.6"})
        self.assertEqual(done.stderr, "")


class Refusals(unittest.TestCase):
    def test_a_program_with_its_own_malloc_runs_and_says_so(self):
        done = mpiexec("--export-heap", "", program=(os.path.join(PROGRAMS, "own_malloc_program"),))
        self.assertEqual((done.returncode, done.stdout), (0, "done\ndone\n"), done.stderr)
        self.assertIn("rank 0 exports no memory of its malloc: the program brings a malloc of its own", done.stderr)

    def test_a_program_that_lost_the_preload_runs_and_says_so(self):
        done = mpiexec("--export-heap", "pass", program=("env", "-u", "LD_PRELOAD", PROGRAM))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without LD_PRELOAD", done.stderr)

    def test_a_limit_on_file_sizes_is_named(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 30, 8 << 30))
        done = mpiexec("--export-heap", "pass", preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ulimit -f", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
