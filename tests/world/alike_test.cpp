#include "world/alike.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

using namespace baton::world;

std::string difference(const Alike& one, const Alike& other) {
  char text[300];
  const bool found = find_difference(one, other, {"host a", "host b"}, text, sizeof text);
  EXPECT_EQ(found, text[0] != 0);
  return text;
}

TEST(alike, finds_nothing_where_all_is_the_same) {
  EXPECT_EQ(difference(own_alike(), own_alike()), "");
}

TEST(alike, names_each_setting_with_both_values) {
  Alike other = own_alike();
  ASSERT_EQ(alike_settings[3], &baton::Settings::rooms);
  ASSERT_EQ(alike_settings[4], &baton::Settings::room_bytes_max);
  other.values[3] = 0;
  EXPECT_EQ(difference(own_alike(), other), "the same BATON_ROOMS (1 on host a, 0 on host b)");
  other.values[4] = 5;
  EXPECT_EQ(difference(own_alike(), other),
            "the same BATON_ROOMS (1 on host a, 0 on host b), and the same BATON_ROOM_BYTES_MAX "
            "(65536 on host a, 5 on host b)");
}

TEST(alike, names_versions_and_builds_before_settings) {
  Alike other = own_alike();
  other.values[3] = 0;
  other.layout_hash += 1;
  EXPECT_NE(difference(own_alike(), other).find("the same build of Baton ("), std::string::npos);
  other.version[0] = '9';
  EXPECT_NE(difference(own_alike(), other).find("the same Baton ("), std::string::npos);
  EXPECT_EQ(difference(own_alike(), other).find("ROOMS"), std::string::npos);
}

TEST(alike, compares_the_algorithms_that_are_chosen_between_nodes_only) {
  const Alike before = own_alike();
  setenv("BATON_PROFILE_COLLECTIVES", "allreduce=allreduce_halving", 1);
  EXPECT_EQ(difference(before, own_alike()), "");  // of a profile: measured on one node
  setenv("BATON_COLLECTIVES", "allreduce:2+:0+:one_node=allreduce_halving,wrong", 1);
  EXPECT_EQ(difference(before, own_alike()), "");
  setenv("BATON_COLLECTIVES", "allreduce=allreduce_halving", 1);
  EXPECT_NE(difference(before, own_alike()).find("BATON_COLLECTIVES"), std::string::npos);
  unsetenv("BATON_COLLECTIVES");
  unsetenv("BATON_PROFILE_COLLECTIVES");
}

TEST(alike, cuts_what_does_not_fit) {
  Alike other = own_alike();
  for (std::int64_t& value : other.values) value += 1;
  char text[20];
  EXPECT_TRUE(find_difference(own_alike(), other, {"host a", "host b"}, text, sizeof text));
  EXPECT_EQ(std::string(text), "the same BATON_CHEC");
}

}  // namespace
