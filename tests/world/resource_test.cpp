#include "world/resource.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using baton::lockfree::RankPlace;
using baton::world::find_dividing_resource;
using baton::world::find_resource;
using baton::world::instance_of;
using baton::world::Resource;
using baton::world::resource_uri;
using baton::world::resources;

// {cpu, cpu_count, numa_node, package, l2, l3, core}
RankPlace bound_to_core(int core) {
  return {core, 1, core / 4, core / 8, core, core / 4, core};
}

bool dividing(const std::vector<RankPlace>& places, Resource* found) {
  auto instance = [&](std::int32_t i, Resource resource) {
    return instance_of(places[static_cast<std::size_t>(i)], resource);
  };
  return find_dividing_resource(static_cast<std::int32_t>(places.size()), instance, found);
}

TEST(resource, is_found_by_uri_and_by_bare_name_and_by_nothing_else) {
  for (Resource resource : resources) {
    Resource found{};
    ASSERT_TRUE(find_resource(resource_uri(resource), &found));
    EXPECT_EQ(found, resource);
    ASSERT_TRUE(find_resource(resource_uri(resource) + 8, &found));
    EXPECT_EQ(found, resource);
  }
  Resource found{};
  for (const char* name :
       {"", "hwloc://", "numanode", "hwloc://numanode", "other://NUMANode", "L9Cache"})
    EXPECT_FALSE(find_resource(name, &found)) << name;
}

TEST(resource, of_a_bound_rank_is_what_the_launcher_wrote) {
  RankPlace place = bound_to_core(13);
  EXPECT_EQ(instance_of(place, Resource::machine), 0);
  EXPECT_EQ(instance_of(place, Resource::package), 1);
  EXPECT_EQ(instance_of(place, Resource::numa_node), 3);
  EXPECT_EQ(instance_of(place, Resource::core), 13);
  EXPECT_EQ(instance_of(place, Resource::pu), 13);
}

TEST(resource, of_ranks_on_two_nodes_the_machine_divides_first_and_no_number_is_shared) {
  std::vector<RankPlace> places = {bound_to_core(0), bound_to_core(8), bound_to_core(0)};
  places[2].node = 1;
  Resource found{};
  ASSERT_TRUE(dividing(places, &found));
  EXPECT_EQ(found, Resource::machine);
  EXPECT_NE(instance_of(places[0], Resource::pu), instance_of(places[2], Resource::pu));
}

TEST(resource, of_a_rank_on_two_cpus_is_no_single_pu) {
  RankPlace place = bound_to_core(2);
  place.cpu_count = 2;
  EXPECT_LT(instance_of(place, Resource::pu), 0);
  EXPECT_EQ(instance_of(place, Resource::core), 2);
}

TEST(resource, of_a_rank_that_nobody_placed_is_only_the_machine) {
  RankPlace place{};
  for (Resource resource : resources)
    EXPECT_EQ(instance_of(place, resource) >= 0, resource == Resource::machine);
}

TEST(dividing_resource, is_the_largest_that_divides) {
  Resource found{};
  ASSERT_TRUE(dividing({bound_to_core(0), bound_to_core(9)}, &found));
  EXPECT_EQ(found, Resource::package);
  ASSERT_TRUE(dividing({bound_to_core(0), bound_to_core(5), bound_to_core(1)}, &found));
  EXPECT_EQ(found, Resource::numa_node);
  ASSERT_TRUE(dividing({bound_to_core(0), bound_to_core(1)}, &found));
  EXPECT_EQ(found, Resource::l2_cache);
}

TEST(dividing_resource, is_none_for_one_rank_or_ranks_that_share_all) {
  Resource found{};
  EXPECT_FALSE(dividing({bound_to_core(3)}, &found));
  EXPECT_FALSE(dividing({bound_to_core(3), bound_to_core(3)}, &found));
  RankPlace everywhere{0, 16, -1, -1, -1, -1, -1};
  EXPECT_FALSE(dividing({everywhere, everywhere}, &found));
}

TEST(dividing_resource, may_leave_out_a_rank_that_uses_several_instances) {
  Resource found{};
  RankPlace wide{0, 16, -1, -1, -1, -1, -1};
  ASSERT_TRUE(dividing({bound_to_core(0), bound_to_core(0), wide}, &found));
  EXPECT_EQ(found, Resource::package);
}

}  // namespace
