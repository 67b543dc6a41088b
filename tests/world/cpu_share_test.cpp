#include "world/cpu_share.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using baton::world::CpuUser;

cpu_set_t cpus(int first, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = first; cpu < first + count; ++cpu) CPU_SET(cpu, &set);
  return set;
}

struct Rank {
  std::uint32_t node;
  std::uint64_t machine;
  cpu_set_t set;
};

std::uint32_t share(const std::vector<Rank>& ranks, std::uint32_t self) {
  return baton::world::share_of_cpus(
      static_cast<std::uint32_t>(ranks.size()), self, [&](std::uint32_t rank) {
        return CpuUser{ranks[rank].node, ranks[rank].machine, &ranks[rank].set};
      });
}

TEST(cpu_share, is_all_that_a_node_s_ranks_may_run_on) {
  const cpu_set_t all = cpus(0, 8);
  EXPECT_EQ(share({{0, 5, all}, {0, 5, all}}, 0), 8u);
  EXPECT_EQ(share({{0, 5, cpus(0, 2)}, {0, 5, cpus(4, 2)}}, 1), 4u);
  // Another machine's CPUs have the same numbers.
  EXPECT_EQ(share({{0, 5, all}, {0, 5, all}, {1, 6, all}}, 0), 8u);
  EXPECT_EQ(share({{0, 5, all}, {0, 5, all}, {1, 6, all}}, 2), 8u);
}

TEST(cpu_share, is_divided_among_the_containers_of_one_machine) {
  const cpu_set_t all = cpus(0, 8);
  const std::vector<Rank> two = {{0, 5, all}, {0, 5, all}, {1, 5, all}, {1, 5, all}};
  for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(share(two, rank), 4u);
  const std::vector<Rank> unequal = {{0, 5, all}, {0, 5, all}, {0, 5, all}, {1, 5, all}};
  EXPECT_EQ(share(unequal, 0), 6u);
  EXPECT_EQ(share(unequal, 3), 2u);
}

TEST(cpu_share, is_not_divided_among_containers_of_different_cpus) {
  const std::vector<Rank> apart = {{0, 5, cpus(0, 4)}, {0, 5, cpus(0, 4)}, {1, 5, cpus(4, 4)}};
  EXPECT_EQ(share(apart, 0), 4u);
  EXPECT_EQ(share(apart, 2), 4u);
}

TEST(cpu_share, is_one_at_least) {
  const cpu_set_t one = cpus(0, 1), none = cpus(0, 0);
  EXPECT_EQ(share({{0, 5, one}, {1, 5, one}, {2, 5, one}}, 1), 1u);
  EXPECT_EQ(share({{0, 5, none}, {0, 5, none}}, 0), 1u);
}

}  // namespace
