#include "base/memory_place.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace baton;

namespace {

MemoryPlace place_of(const char* text) {
  MemoryPlace place;
  MemoryWordError error{};
  EXPECT_TRUE(parse_memory_place(text, &place, &error)) << text << ": " << error.text;
  return place;
}

MemoryPolicy policy_of(const char* text) {
  MemoryPolicy policy;
  MemoryWordError error{};
  EXPECT_TRUE(parse_memory_policy(text, &policy, &error)) << text << ": " << error.text;
  return policy;
}

std::string place_error(const char* text) {
  MemoryPlace place;
  MemoryWordError error{};
  EXPECT_FALSE(parse_memory_place(text, &place, &error)) << text;
  return error.text;
}

std::string policy_error(const char* text) {
  MemoryPolicy policy;
  MemoryWordError error{};
  EXPECT_FALSE(parse_memory_policy(text, &policy, &error)) << text;
  return error.text;
}

std::string written(const MemoryPlace& place) {
  return place_text(place).words;
}

}  // namespace

TEST(memory_place, every_word_is_read_as_it_is_written) {
  for (const char* text : {"near", "fast!", "large", "interleave", "remote!", "node:3", "node:2+0!",
                           "fast,huge", "huge", "node:63", "node:56+57+58+59+60+61+62+63!,huge"})
    EXPECT_EQ(written(place_of(text)), text);
}

TEST(memory_place, nodes_keep_the_order_in_which_they_are_named) {
  MemoryPlace place = place_of("node:5+1+3");
  ASSERT_EQ(place.listed, 3);
  EXPECT_EQ(place.nodes[0], 5);
  EXPECT_EQ(place.nodes[1], 1);
  EXPECT_EQ(place.nodes[2], 3);
  EXPECT_FALSE(place.strict);
}

TEST(memory_place, a_wrong_word_is_named_with_the_nearest_and_the_valid_ones) {
  std::string error = place_error("fats");
  EXPECT_NE(error.find("\"fats\""), error.npos) << error;
  EXPECT_NE(error.find("did you mean \"fast\"?"), error.npos) << error;
  EXPECT_NE(error.find("interleave, remote, node:N"), error.npos) << error;
  EXPECT_EQ(place_error("elsewhere").find("did you mean"), std::string::npos);
}

TEST(memory_place, wrong_nodes_are_refused) {
  for (const char* text : {"node:", "node:x", "node:64", "node:1+", "node:-1", "node:1+1", "node",
                           "node:99999999999999999999", "node:0+1+2+3+4+5+6+7+8"})
    EXPECT_FALSE(place_error(text).empty());
  EXPECT_NE(place_error("node:1+1").find("twice"), std::string::npos);
}

TEST(memory_place, a_second_place_or_none_is_refused) {
  EXPECT_NE(place_error("fast,near").find("second place"), std::string::npos);
  EXPECT_NE(place_error("").find("empty"), std::string::npos);
  place_error("fast,");
  place_error("!");
}

TEST(memory_policy, each_kind_of_memory_has_its_own_place) {
  MemoryPolicy policy = policy_of("queues=fast,heap=node:1!,huge");
  EXPECT_EQ(written(policy.queues), "fast");
  EXPECT_EQ(written(policy.heap), "node:1!,huge");
  EXPECT_FALSE(policy.all.asks());
}

TEST(memory_policy, all_stands_for_what_is_not_said) {
  MemoryPolicy policy = policy_of("huge,all=interleave,queues=near");
  EXPECT_EQ(written(policy.queues), "near");
  EXPECT_EQ(written(policy.heap), "interleave,huge");
  EXPECT_EQ(written(policy.all), "interleave");
}

TEST(memory_policy, mistakes_are_named) {
  EXPECT_NE(policy_error("queue=fast").find("did you mean \"queues\"?"), std::string::npos);
  EXPECT_NE(policy_error("fast").find("of what?"), std::string::npos);
  EXPECT_NE(policy_error("heap=fast,heap=near").find("heap is said twice"), std::string::npos);
  EXPECT_NE(policy_error("heap=fsat").find("did you mean \"fast\"?"), std::string::npos);
  EXPECT_NE(policy_error("heap=huge").find("stands by itself"), std::string::npos);
  policy_error("");
  policy_error("queues=");
  policy_error("queues=fast,");
}
