#!/usr/bin/env python3
"""Which sizes are measured, and the page that draws them, without running anything of MPI."""
import os
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import columns   # noqa: E402
import distance  # noqa: E402
import page      # noqa: E402
import report    # noqa: E402
import sizes     # noqa: E402

MACHINE = {"cpu": "<a processor>", "cpus": 2, "kernel": "6.1", "date": "2026-11-28"}


def column(times, limits=None, name="near"):
    """times: {cell: {library: µs}}, the same in each of three rounds."""
    libraries = [types.SimpleNamespace(name=name, title=title) for name, title in
                 (("baton", "Baton"), ("mpich", "MPICH"), ("intel", "Intel <MPI>"))]
    found = columns.Column(name, libraries)
    found.values = {cell: {name: [value] * 3 for name, value in its.items()} for cell, its in times.items()}
    found.limit_values = limits or {}
    return found


def comparison(*its_columns):
    return types.SimpleNamespace(in_order=lambda: its_columns, libraries=its_columns[0].libraries, rounds=3, dropped={},
                                 watch=distance.Watch(lambda *pair: 28.0, (0, 1), "/no/such/folder"))


class Sizes(unittest.TestCase):
    def test_all_powers_of_two_and_three_around_each_threshold(self):
        self.assertEqual(sizes.powers_of_two(16), [1, 2, 4, 8, 16])
        self.assertEqual(sizes.around([48, 1024], 1024), [47, 48, 49, 1023, 1024])
        self.assertEqual(sizes.around([1], 9), [1, 2])

    def test_without_a_build_there_are_no_thresholds(self):
        self.assertEqual(sizes.thresholds("/no/such/build"), {})
        self.assertEqual(sizes.all_sizes("/no/such/build", False)[-1], 4 << 20)
        self.assertEqual(sizes.all_sizes("/no/such/build", True)[-1], 64 << 20)

    def test_a_metric_says_its_window_and_where_buffers_lie(self):
        for metric, base in (("bw8-odd", "bw"), ("bibw1", "bibw"), ("lat-huge", "lat"), ("bw", "bw"), ("barrier", "barrier")):
            self.assertEqual(sizes.base_of(metric), base)
        for metric in ("bw65", "bw0", "lat8", "lat-large", "allreduce-odd"):
            self.assertEqual(sizes.base_of(metric), metric, "no such metric")


class Valleys(unittest.TestCase):
    def test_a_size_slower_than_a_longer_one_is_one(self):
        times = {f"bibw/warm/{size}": {"baton": took, "mpich": 1.0} for size, took in ((8, 1.0), (64, 5.0), (512, 2.0), (4096, 4.9))}
        self.assertEqual(report.valleys(column(times), "baton"), [("bibw/warm", 64, 5.0, 512, 2.0)])

    def test_series_are_apart_by_ranks(self):
        self.assertEqual(report.series_of(["bcast/warm/8 np=2", "bcast/warm/8 np=8", "barrier np=2", "hello"]),
                         {"bcast/warm np=2": {8: "bcast/warm/8 np=2"}, "bcast/warm np=8": {8: "bcast/warm/8 np=8"}})


class Page(unittest.TestCase):
    def written(self, found):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            page.write(path, found, {"openmpi": "it is <not> there"}, MACHINE, "/no/such/build")
            with open(path, encoding="utf-8") as file:
                return file.read()

    def test_it_draws_time_and_ratio_of_each_series_and_names_what_is_behind(self):
        times = {f"lat/warm/{size}": {"baton": 1.0 * size, "mpich": 2.0 * size, "intel": 0.5 * size} for size in (64, 128)}
        text = self.written(comparison(column(times, {"copy/warm/64": [32.0], "copy/warm/128": [None, 64.0]})))
        for words in ("lat/warm, near: time", "lat/warm, near: ratio", "2026-11-28", "between CPUs 0 and 1", "near, 3 rounds", "Baton / Intel &lt;MPI&gt;", "bare loop: copy", "2.00",
                      "Geometric mean of all cells: 2.000", "Valleys", "&lt;a processor&gt;"):
            self.assertIn(words, text)
        self.assertNotIn("Intel <MPI>", text)
        self.assertNotIn("<not>", text)

    def test_a_library_without_a_value_does_not_stop_it(self):
        text = self.written(comparison(column({"bw/cold/8": {"baton": 1.0}, "bw/cold/64": {"mpich": 1.0}})))
        self.assertIn("bw/cold, near: time", text)

    def test_each_distance_has_its_own_curves_in_the_section_of_a_series(self):
        times = {f"lat/warm/{size}": {"baton": 1.0, "mpich": 2.0} for size in (64, 128)}
        text = self.written(comparison(column(times), column(times | {"bw/warm/8": {"baton": 1.0}}, None, "far")))
        self.assertEqual(text.count("<h2>lat/warm</h2>"), 1)
        for words in ("lat/warm, near: time", "lat/warm, far: time", "near, 3 rounds", "far, 3 rounds"):
            self.assertIn(words, text)
        self.assertNotIn("<h2>bw/warm</h2>", text, "one size is no curve")


if __name__ == "__main__":
    unittest.main()
