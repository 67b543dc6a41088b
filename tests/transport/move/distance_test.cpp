// When another process counts as near or far.
#include "transport/move/distance.hpp"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

constexpr std::int64_t ticks_per_us = 2600;

void see(DistanceEstimate& distance, std::int64_t ns, int times) {
  for (int i = 0; i < times; ++i) distance.saw(ns * ticks_per_us / 1000, ticks_per_us);
}

TEST(distance, is_far_until_lines_come_quickly) {
  DistanceEstimate distance;
  EXPECT_EQ(distance.now(), Distance::far);
  see(distance, 30, 4);
  EXPECT_EQ(distance.now(), Distance::near);
  see(distance, 160, 20);
  EXPECT_EQ(distance.now(), Distance::far);
}

TEST(distance, stays_what_it_was_between_the_two) {
  DistanceEstimate distance;
  see(distance, 80, 100);
  EXPECT_EQ(distance.now(), Distance::far);
  see(distance, 30, 10);
  see(distance, 80, 100);
  EXPECT_EQ(distance.now(), Distance::near);
}

TEST(distance, is_not_moved_by_one_outlier) {
  DistanceEstimate distance;
  see(distance, 30, 20);
  see(distance, 350, 1);
  EXPECT_EQ(distance.now(), Distance::near);
}

TEST(distance, is_not_known_before_the_clock_is) {
  DistanceEstimate distance;
  for (int i = 0; i < 20; ++i) distance.saw(10, 0);
  EXPECT_EQ(distance.now(), Distance::far);
}

TEST(distance, times_few_lines) {
  DistanceEstimate distance;
  int due = 0;
  for (int i = 0; i < 160; ++i) due += distance.is_due();
  EXPECT_EQ(due, 10);
  const char line = 1;
  distance.time(&line);
}

}  // namespace
}  // namespace baton::transport
