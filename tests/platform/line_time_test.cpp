// The time of a cache line between two CPUs of this machine.
#include "platform/line_time.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <thread>
#include <vector>

#include "platform/thread.hpp"

namespace baton::platform {
namespace {

std::vector<int> cpus() {
  cpu_set_t set;
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  return all;
}

// The kernel counts a thread for a moment after it has been joined.
bool this_is_soon_the_only_thread() {
  for (int left = 5000; left > 0; --left) {
    if (thread_count() == 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(line_time, is_a_time_where_there_are_two_cpus_and_nothing_stays_behind) {
  const std::vector<int> before = cpus();
  if (before.size() < 2) GTEST_SKIP() << "one CPU";
  const double ns = line_time_ns(before[0], before[1]);
  // Other work may have a CPU.
  if (ns >= 0) {
    EXPECT_GT(ns, 1);
    EXPECT_LT(ns, 1e7);
  }
  EXPECT_EQ(cpus(), before);
  EXPECT_TRUE(this_is_soon_the_only_thread());
}

TEST(line_time, is_none_between_a_cpu_and_itself_or_one_that_is_not_ours) {
  const std::vector<int> before = cpus();
  ASSERT_FALSE(before.empty());
  EXPECT_LT(line_time_ns(before[0], before[0]), 0);
  EXPECT_LT(line_time_ns(before[0], -1), 0);
  EXPECT_LT(line_time_ns(before[0], 100000), 0);
  EXPECT_EQ(cpus(), before);
}

}  // namespace
}  // namespace baton::platform
