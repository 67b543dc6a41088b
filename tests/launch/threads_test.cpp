// What ranks with threads are told, and warned of. How many CPUs they get is the placement's
// matter.
#include "launch/run/threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace baton;
using namespace baton::launch;

namespace {

// So many cores of two hardware threads, numbered as Linux does.
machine::Machine built(int cores) {
  machine::Machine machine;
  for (int core = 0; core < cores; ++core)
    for (int thread = 0; thread < 2; ++thread)
      machine.cpus.push_back({.os = core + thread * cores, .core = core, .numa_node = 0});
  return machine;
}

Options with_layout(int ranks, int threads, bool master) {
  ::unsetenv("OMP_NUM_THREADS");
  Options options;
  options.layout = Layout{ranks, threads, master};
  options.programs.resize(1);
  options.programs[0].ranks = options.layout->all_ranks();
  return options;
}

// Of `options` on the machine; bound if `is_bound`.
machine::Placement placed(const Options& options, const machine::Machine& machine, bool is_bound) {
  machine::PlacementPolicy policy{.ranks = options.programs[0].ranks, .width = rank_width(options)};
  policy.master = options.layout && options.layout->master;
  if (!is_bound) policy.bind_to = machine::Level::machine;
  auto placement = machine::place(machine, policy);
  EXPECT_TRUE(placement.has_value());
  return placement.value_or(machine::Placement{});
}

std::vector<std::string> warnings(const Options& options, int cores, bool is_bound) {
  return thread_warnings(options, placed(options, built(cores), is_bound));
}

using Words = std::vector<std::string>;

}  // namespace

TEST(threads, a_layout_says_how_wide_a_rank_is_then_pe_then_the_environment) {
  Options options = with_layout(2, 3, false);
  options.width = 5;
  EXPECT_EQ(rank_width(options), 3);
  options.layout.reset();
  EXPECT_EQ(rank_width(options), 5);
  options.width = 0;
  EXPECT_EQ(rank_width(options), 1);
  options.programs.resize(2);
  options.variables = {{"OMP_NUM_THREADS", "2"}};
  options.programs[1].variables = {{"OMP_NUM_THREADS", "4"}};
  EXPECT_EQ(rank_width(options), 4) << "of the widest program";
}

TEST(threads, openmp_gets_a_place_a_core) {
  const machine::Machine machine = built(4);
  EXPECT_EQ(places_text(machine, {2, {1, 2, 5, 6}, {}}), "{1,5},{2,6}");
  EXPECT_EQ(places_text(machine, {1, {3}, {}}), "{3}");
}

TEST(threads, openmp_is_told_of_a_rank_what_the_user_has_not_said) {
  Options options = with_layout(1, 2, true);
  options.variables = {{"OMP_PROC_BIND", "spread"}};
  const machine::Machine machine = built(4);
  const machine::Placement placement = placed(options, machine, true);
  Words environment = {"OMP_NUM_THREADS=9", "OMP_PROC_BIND=spread"};
  set_thread_variables({options, machine, placement}, options.programs[0], 0, environment);
  std::ranges::sort(environment);
  EXPECT_EQ(environment, (Words{"OMP_NUM_THREADS=1", "OMP_PLACES={2,6}", "OMP_PROC_BIND=spread"}));
  options.layout.reset();
  environment = {"OMP_NUM_THREADS=9"};
  set_thread_variables({options, machine, placement}, options.programs[0], 0, environment);
  EXPECT_EQ(environment, (Words{"OMP_NUM_THREADS=9"}));
}

TEST(threads, more_of_them_than_cpus_are_warned_of_where_nobody_is_bound) {
  EXPECT_EQ(warnings(with_layout(2, 4, false), 4, false), Words{});
  EXPECT_EQ(warnings(with_layout(2, 5, false), 4, false),
            (Words{"2 ranks with 10 threads in all share 8 usable CPUs; fewer ranks or threads "
                   "would be faster"}));
}

TEST(threads, a_master_counts_with_its_one_thread) {
  EXPECT_EQ(warnings(with_layout(1, 7, true), 4, false), Words{});
  EXPECT_EQ(warnings(with_layout(1, 8, true), 4, false).size(), 1u);
}

TEST(threads, more_of_a_rank_than_its_cpus_are_warned_of_with_the_remedy) {
  Options options = with_layout(2, 2, false);
  EXPECT_EQ(warnings(options, 4, true), Words{});
  options.variables = {{"OMP_NUM_THREADS", "5"}};
  EXPECT_EQ(warnings(options, 4, true),
            (Words{"5 threads of a rank (OMP_NUM_THREADS) share 4 CPUs; give each rank as many: "
                   "--layout 2x5"}));
}
