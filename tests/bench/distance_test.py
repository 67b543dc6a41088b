#!/usr/bin/env python3
"""The distance of CPUs, by made-up times and a made-up machine, and runs that are repeated while it changes."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import distance  # noqa: E402

NEAR, BETWEEN, FAR = 28.0, 85.0, 130.0


def group(cpu, cores):
    """The CPUs of as many neighboring cores as share something, in the kernel's words: core n has threads n and n + 16."""
    first = cpu % 16 // cores * cores
    return f"{first}-{first + cores - 1},{first + 16}-{first + cores + 15}"


def files_of(cpu):
    """As the kernel shows a machine of two sockets with eight cores each: two cores share an L2, four an L3."""
    core = group(cpu, 1)
    caches = [("1", "Data", core), ("1", "Instruction", "0-31"), ("2", "Unified", group(cpu, 2)),
              ("3", "Unified", group(cpu, 4))]
    found = {"topology/thread_siblings_list": core, "topology/core_siblings_list": group(cpu, 8)}
    for at, (level, kind, cpus) in enumerate(caches):
        found |= {f"cache/index{at}/level": level, f"cache/index{at}/type": kind, f"cache/index{at}/shared_cpu_list": cpus}
    return found


def write_machine(folder):
    for cpu in range(32):
        for name, text in files_of(cpu).items():
            path = os.path.join(folder, f"cpu{cpu}", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text + "\n")


def watch_of(times, cpus=(0, 1), system="/no/such/folder"):
    """Two CPUs of which nothing is known; the probe gives one time after the other."""
    left = iter(times)
    return distance.Watch(lambda *pair: next(left), cpus, system)


class Names(unittest.TestCase):
    def test_a_time_is_near_or_far_or_between_or_no_distance(self):
        self.assertEqual([distance.by_time(ns) for ns in (26, 69.9, 70, 99.9, 100, 499.9, 500, 4e6)],
                         ["near", "near", "between", "between", "far", "far", "busy", "busy"])

    def test_lists_of_the_kernel_have_ranges(self):
        self.assertEqual(distance.numbers("0-2,8\n"), {0, 1, 2, 8})
        self.assertEqual(distance.numbers(""), set())

    def test_two_cpus_are_called_by_the_nearest_that_they_share(self):
        with tempfile.TemporaryDirectory() as folder:
            write_machine(folder)
            self.assertEqual([distance.by_topology(folder, 0, other) for other in (16, 1, 17, 2, 4, 8, 31)],
                             ["same core", "same L2", "same L2", "same L3", "same socket", "other socket", "other socket"])
            self.assertEqual(distance.by_topology("/no/such/folder", 0, 1), "")

    def test_ranks_are_thought_to_be_on_two_cores_where_there_are_two(self):
        with tempfile.TemporaryDirectory() as folder:
            write_machine(folder)
            self.assertEqual(distance.usual_pair(folder, [0, 16, 17]), (0, 17))
            self.assertEqual(distance.usual_pair(folder, [0, 16]), (0, 16))
            self.assertIsNone(distance.usual_pair(folder, [3]))

    def test_the_topology_is_part_of_the_name_where_pairs_differ_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            write_machine(folder)
            self.assertEqual(watch_of([FAR], range(32), folder).look((0, 8)), "other socket, far")
            self.assertEqual(watch_of([NEAR], range(32), folder).look((0, 1)), "same L2, near")
            self.assertEqual(watch_of([FAR], (0, 8), folder).look((0, 8)), "far")

    def test_without_a_second_cpu_or_an_answer_it_is_said(self):
        self.assertEqual(watch_of([], [3]).around("me", lambda: (7, None)), (7, distance.ONE_CPU))
        self.assertEqual(watch_of([None, None]).around("me", lambda: (7, None)), (7, distance.UNKNOWN))

    def test_a_program_that_does_not_run_is_no_probe(self):
        self.assertIsNone(distance.probe_by("/no/such/program")(0, 1))
        self.assertIsNone(distance.probe_by("/bin/false")(0, 1))


class Runs(unittest.TestCase):
    def setUp(self):
        self.count = 0

    def run_once(self):
        self.count += 1
        return self.count, None

    def test_a_run_at_one_distance_is_kept(self):
        watch = watch_of([NEAR, NEAR, FAR, FAR, BETWEEN, BETWEEN])
        self.assertEqual([watch.around("me", self.run_once) for _ in range(3)], [(1, "near"), (2, "far"), (3, "between")])
        self.assertEqual((watch.runs, watch.repeated), (3, 0))

    def test_a_run_during_which_it_changed_is_repeated(self):
        watch = watch_of([NEAR, FAR, FAR, BETWEEN, FAR, FAR])
        self.assertEqual(watch.around("me", self.run_once), (3, "far"))
        self.assertEqual((watch.runs, watch.repeated), (3, 2))

    def test_what_changes_each_time_is_dropped(self):
        watch = watch_of([NEAR, FAR] * distance.TRIES)
        self.assertEqual(watch.around("me", self.run_once), (None, None))
        self.assertEqual(self.count, distance.TRIES)

    def test_what_was_seen_is_told_by_distance_the_nearest_first(self):
        watch = watch_of([FAR, FAR + 20, NEAR, NEAR + 2])
        watch.around("me", self.run_once)
        watch.around("me", self.run_once)
        self.assertEqual(watch.seen(), {"near": (28.0, 29.0, 30.0), "far": (130.0, 140.0, 150.0)})
        self.assertEqual(list(watch.seen()), ["near", "far"])

    def test_a_failure_of_the_run_is_passed_on(self):
        def fails():
            raise ValueError
        with self.assertRaises(ValueError):
            watch_of([NEAR]).around("me", fails)

    def test_the_pair_is_that_of_the_ranks_once_they_have_told(self):
        asked = []

        def probe(*pair):
            asked.append(pair)
            return NEAR
        watch = distance.Watch(probe, range(4), "/no/such/folder")
        watch.around("me", lambda: (1, (3, 1)))
        watch.around("me", lambda: (1, (2, 2)))
        watch.around("me", lambda: (1, (0, 9)))
        watch.around("other", lambda: (1, None))
        self.assertEqual(asked, [(0, 1), (1, 3), (1, 3), (1, 3), (1, 3), (1, 3), (0, 1), (0, 1)])

    def test_without_a_probe_nothing_is_told_apart(self):
        watch = distance.Watch(None, (0, 1), "/no/such/folder")
        self.assertEqual(watch.around("me", self.run_once), (1, distance.ANY))
        self.assertEqual(watch.seen(), {})


if __name__ == "__main__":
    unittest.main()
