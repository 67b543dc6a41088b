// Placement as people of other MPIs ask for it: so many ranks on each object, in which order they
// are numbered, sharing allowed or forbidden, hardware threads as cores; on captured machines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/discover.hpp"
#include "machine/placement.hpp"

using namespace baton::machine;

namespace {

Machine captured(const std::string& name) {
  auto machine = read_captured_machine(MACHINES_FOLDER "/" + name + ".xml");
  EXPECT_TRUE(machine.has_value()) << (machine ? "" : machine.error());
  return machine.value_or(Machine{});
}

Placement placed(const Machine& machine, const PlacementPolicy& policy) {
  auto placement = place(machine, policy);
  EXPECT_TRUE(placement.has_value()) << (placement ? "" : placement.error());
  return placement.value_or(Placement{});
}

// The object of every rank.
std::vector<int> objects(const Placement& plan, Level level) {
  std::vector<int> found;
  for (const PlannedRank& rank : plan.ranks) found.push_back(object_of(rank.common, level));
  return found;
}

std::string error_of(const Machine& machine, const PlacementPolicy& policy) {
  auto placement = place(machine, policy);
  return placement ? "" : placement.error();
}

using Kind = Ranking::Kind;

}  // namespace

// two-sockets: 2 packages of 4 cores.
TEST(ranks_on_each_object, come_without_a_number_of_ranks) {
  const Placement plan =
      placed(captured("two-sockets"), {.map_by = Level::package, .per_object = 2});
  EXPECT_EQ(objects(plan, Level::package), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(plan.bound_to, Level::core);
}

TEST(ranks_on_each_object, fill_the_first_objects_where_there_are_fewer) {
  const Placement plan =
      placed(captured("two-sockets"), {.ranks = 3, .map_by = Level::package, .per_object = 2});
  EXPECT_EQ(objects(plan, Level::package), (std::vector{0, 0, 1}));
}

TEST(ranks_on_each_object, of_every_l3_of_a_large_machine) {
  const Machine epyc = captured("epyc-nps4");
  const Placement plan = placed(epyc, {.map_by = Level::l3, .per_object = 1});
  EXPECT_EQ(plan.ranks.size(), 16u);
  const Placement wide = placed(epyc, {.width = 4, .map_by = Level::numa, .per_object = 2});
  EXPECT_EQ(wide.ranks.size(), 16u);
  for (const PlannedRank& rank : wide.ranks) EXPECT_GE(rank.cpus.size(), 4u);
  EXPECT_EQ(objects(wide, Level::numa)[1], objects(wide, Level::numa)[0]);
}

TEST(ranks_on_each_object, are_refused_beyond_what_they_make) {
  const Machine machine = captured("two-sockets");
  EXPECT_NE(error_of(machine, {.ranks = 5, .map_by = Level::package, .per_object = 2})
                .find("ppr:2 makes 4 ranks here, -n says 5; leave out one"),
            std::string::npos);
  EXPECT_NE(error_of(machine, {.ranks = 5, .map_by = Level::package, .per_object = 5})
                .find("ppr:5: 5 ranks of 1 CPU on each package, and one has 4 CPUs"),
            std::string::npos);
  EXPECT_EQ(
      placed(machine, {.map_by = Level::package, .per_object = 5, .may_share = true}).bound_to,
      Level::machine);
}

TEST(ranking, fills_one_object_before_the_next) {
  const Machine machine = captured("two-sockets");
  EXPECT_EQ(objects(placed(machine, {.ranks = 4, .map_by = Level::package}), Level::package),
            (std::vector{0, 1, 0, 1}));
  EXPECT_EQ(
      objects(placed(machine, {.ranks = 4, .map_by = Level::package, .ranking = {Kind::fill}}),
              Level::package),
      (std::vector{0, 0, 1, 1}));
}

TEST(ranking, takes_one_of_each_object_in_turn) {
  const Machine machine = captured("two-sockets");
  const Placement plan =
      placed(machine, {.ranks = 8, .ranking = {.kind = Kind::span, .level = Level::package}});
  EXPECT_EQ(objects(plan, Level::package), (std::vector{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(objects(plan, Level::core), (std::vector{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(sharing, binds_more_ranks_than_cores_where_it_is_allowed) {
  const Machine machine = captured("two-sockets");
  const Placement plan = placed(machine, {.ranks = 10, .bind_to = Level::core, .may_share = true});
  EXPECT_EQ(plan.bound_to, Level::core);
  EXPECT_EQ(objects(plan, Level::core), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 0, 1}));
  EXPECT_NE(error_of(machine, {.ranks = 10, .bind_to = Level::core}).find("overload-allowed"),
            std::string::npos);
}

TEST(sharing, is_an_error_where_it_is_forbidden) {
  const Machine machine = captured("two-sockets");
  EXPECT_EQ(placed(machine, {.ranks = 8, .may_not_share = true}).bound_to, Level::core);
  EXPECT_NE(
      error_of(machine, {.ranks = 9, .may_not_share = true}).find("leave out nooversubscribe"),
      std::string::npos);
}

TEST(hardware_threads, count_as_cores_where_that_is_asked_for) {
  const Machine epyc = captured("epyc-nps4");
  EXPECT_EQ(placed(epyc, {}).ranks.size(), 128u);
  const Placement plan = placed(epyc, {.hwthreads = true});
  EXPECT_EQ(plan.ranks.size(), 256u);
  EXPECT_EQ(plan.bound_to, Level::hwthread);
  for (const PlannedRank& rank : plan.ranks) EXPECT_EQ(rank.cpus.size(), 1u);
  EXPECT_EQ(plan.ranks[0].common.core, plan.ranks[1].common.core);
}

TEST(acceptable_numbers, the_largest_that_fits_is_taken) {
  const Machine machine = captured("two-sockets");
  EXPECT_EQ(placed(machine, {.acceptable = {2, 4, 6, 16}}).ranks.size(), 6u);
  EXPECT_NE(error_of(machine, {.acceptable = {16}}).find("-soft"), std::string::npos);
}
