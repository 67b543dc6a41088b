#!/usr/bin/env python3
"""Ratios, their intervals and their means, on numbers made up."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import ratios  # noqa: E402


class Pairs(unittest.TestCase):
    def test_only_rounds_in_which_both_gave_a_value_are_pairs(self):
        self.assertEqual(ratios.paired([1.0, None, 3.0, 4.0], [2.0, 2.0, None, 2.0]), [0.5, 2.0])

    def test_rounds_that_one_library_did_not_reach_are_no_pairs(self):
        self.assertEqual(ratios.paired([1.0, 2.0], [2.0]), [0.5])

    def test_the_best_library_has_the_lowest_median(self):
        values = {"a": [3.0, 3.0, 0.1], "b": [2.0, 2.0, 9.0], "c": [None, None]}
        self.assertEqual(ratios.best(values, ["a", "b", "c", "d"]), "b")

    def test_without_a_value_there_is_no_best(self):
        self.assertIsNone(ratios.best({"a": [None]}, ["a"]))


class Intervals(unittest.TestCase):
    def test_it_lies_within_the_values_round_their_median(self):
        values = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 9.0]
        low, high = ratios.interval(values)
        self.assertLessEqual(1.0, low)
        self.assertLess(low, 1.3)
        self.assertLess(1.3, high)
        self.assertLessEqual(high, 9.0)

    def test_the_same_values_give_the_same_interval(self):
        values = [1.0, 1.4, 1.2, 2.0, 0.7]
        self.assertEqual(ratios.interval(values), ratios.interval(values))

    def test_two_values_are_their_own_interval(self):
        self.assertEqual(ratios.interval([1.2, 1.0]), (1.0, 1.2))


class Means(unittest.TestCase):
    def test_half_and_double_cancel(self):
        self.assertAlmostEqual(ratios.geometric_mean([0.5, 2.0]), 1.0)

    def test_a_group_is_a_cell_without_sizes_and_ranks(self):
        for cell, group in (("lat/cold/4096", "lat/cold"), ("barrier np=8", "barrier"), ("allreduce/8 np=32", "allreduce"),
                            ("types/vector512/cold/2048", "types/vector512/cold"), ("finding/time np=2", "finding/time")):
            self.assertEqual(ratios.group_of(cell), group)

    def test_every_group_has_the_mean_of_its_own_cells(self):
        means = ratios.grouped_means({"lat/cold/8": 4.0, "lat/cold/64": 1.0, "lat/warm/8": 0.5})
        self.assertEqual(list(means), ["lat/cold", "lat/warm"])
        self.assertAlmostEqual(means["lat/cold"][0], 2.0)
        self.assertEqual([count for _, count in means.values()], [2, 1])


if __name__ == "__main__":
    unittest.main()
