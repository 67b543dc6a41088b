#include "base/numa_policy.hpp"

#include <gtest/gtest.h>

#include <string>

using namespace baton;

namespace {

NumaPolicy policy_of(const char* text) {
  NumaPolicy policy;
  MemoryWordError error{};
  EXPECT_TRUE(parse_numa_policy(text, &policy, &error)) << text << ": " << error.text;
  return policy;
}

NumaPolicies policies_of(const char* text) {
  NumaPolicies policies;
  MemoryWordError error{};
  EXPECT_TRUE(parse_numa_policies(text, &policies, &error)) << text << ": " << error.text;
  return policies;
}

std::string policy_error(const char* text) {
  NumaPolicy policy;
  MemoryWordError error{};
  EXPECT_FALSE(parse_numa_policy(text, &policy, &error)) << text;
  return error.text;
}

std::string policies_error(const char* text) {
  NumaPolicies policies;
  MemoryWordError error{};
  EXPECT_FALSE(parse_numa_policies(text, &policies, &error)) << text;
  return error.text;
}

std::string written(const NumaPolicy& policy) {
  return policy_text(policy).words;
}

}  // namespace

TEST(numa_policy, every_word_is_read_as_it_is_written) {
  for (const char* text : {"near", "hbm!", "large", "interleave", "remote!", "node:3", "node:2+0!",
                           "hbm,huge", "huge", "node:63", "node:56+57+58+59+60+61+62+63!,huge"})
    EXPECT_EQ(written(policy_of(text)), text);
}

TEST(numa_policy, nodes_keep_the_order_in_which_they_are_named) {
  NumaPolicy policy = policy_of("node:5+1+3");
  ASSERT_EQ(policy.listed, 3);
  EXPECT_EQ(policy.nodes[0], 5);
  EXPECT_EQ(policy.nodes[1], 1);
  EXPECT_EQ(policy.nodes[2], 3);
  EXPECT_FALSE(policy.strict);
}

TEST(numa_policy, a_wrong_word_is_named_with_the_nearest_and_the_valid_ones) {
  std::string error = policy_error("hbn");
  EXPECT_NE(error.find("\"hbn\""), error.npos) << error;
  EXPECT_NE(error.find("did you mean \"hbm\"?"), error.npos) << error;
  EXPECT_NE(error.find("interleave, remote, node:N"), error.npos) << error;
  EXPECT_EQ(policy_error("elsewhere").find("did you mean"), std::string::npos);
}

TEST(numa_policy, wrong_nodes_are_refused) {
  for (const char* text : {"node:", "node:x", "node:64", "node:1+", "node:-1", "node:1+1", "node",
                           "node:99999999999999999999", "node:0+1+2+3+4+5+6+7+8"})
    EXPECT_FALSE(policy_error(text).empty());
  EXPECT_NE(policy_error("node:1+1").find("twice"), std::string::npos);
}

TEST(numa_policy, a_second_policy_or_none_is_refused) {
  EXPECT_NE(policy_error("hbm,near").find("second policy"), std::string::npos);
  EXPECT_NE(policy_error("").find("empty"), std::string::npos);
  policy_error("hbm,");
  policy_error("!");
}

TEST(numa_policies, each_kind_of_memory_has_its_own_policy) {
  NumaPolicies policies = policies_of("queues=hbm,heap=node:1!,huge");
  EXPECT_EQ(written(policies.queues), "hbm");
  EXPECT_EQ(written(policies.heap), "node:1!,huge");
  EXPECT_FALSE(policies.all.asks());
}

TEST(numa_policies, all_stands_for_what_is_not_said) {
  NumaPolicies policies = policies_of("huge,all=interleave,queues=near");
  EXPECT_EQ(written(policies.queues), "near");
  EXPECT_EQ(written(policies.heap), "interleave,huge");
  EXPECT_EQ(written(policies.all), "interleave");
}

TEST(numa_policies, the_former_word_for_hbm_is_read_and_said_to_go_once) {
  testing::internal::CaptureStderr();
  NumaPolicies policies = policies_of("queues=fast!,heap=fast,huge");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "baton: memory \"fast\" is called \"hbm\" now; the former word goes with the next "
            "release\n");
  EXPECT_EQ(written(policies.queues), "hbm!");
  EXPECT_EQ(written(policies.heap), "hbm,huge");
}

TEST(numa_policies, mistakes_are_named) {
  EXPECT_NE(policies_error("queue=hbm").find("did you mean \"queues\"?"), std::string::npos);
  EXPECT_NE(policies_error("hbm").find("of what?"), std::string::npos);
  EXPECT_NE(policies_error("heap=hbm,heap=near").find("heap is said twice"), std::string::npos);
  EXPECT_NE(policies_error("heap=hbn").find("did you mean \"hbm\"?"), std::string::npos);
  EXPECT_NE(policies_error("heap=huge").find("stands by itself"), std::string::npos);
  policies_error("");
  policies_error("queues=");
  policies_error("queues=hbm,");
}
