#include "sim/machine/pairs.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machine/one_machine.hpp"

namespace baton::model {
namespace {

constexpr double gigabyte = 1e9;

const Flow* flow_named(const Case& made, const char* name) {
  for (const Flow& flow : made.ranks[0].flows)
    if (flow.name == name) return &flow;
  return nullptr;
}

TEST(pairs, share_a_tile_or_are_dealt_out_over_tiles) {
  const Description description{with_fast_memory()};
  for (bool across : {false, true}) {
    const auto placed = place_pairs(description, {.count = 4, .across_tiles = across});
    ASSERT_EQ(placed.size(), 4u);
    for (const PlacedPair& pair : placed)
      EXPECT_EQ(description.cpu(pair.sender.cpu).l2 != description.cpu(pair.receiver.cpu).l2,
                across);
  }
  // Eight cores hold four pairs; tiles of one core hold none.
  EXPECT_THROW((void)place_pairs(description, {.count = 5}), std::runtime_error);
  EXPECT_THROW((void)place_pairs(Description{two_packages()}, {.count = 1}), std::runtime_error);
}

TEST(pairs, have_their_memory_where_batons_words_put_it) {
  const Description description{with_fast_memory()};
  struct Expected {
    const char* memory;
    int buffers, segment;
  };
  for (const Expected& expected :
       {Expected{"all=near", 0, 0}, Expected{"queues=hbm", 0, 1},
        Expected{"queues=hbm,heap=hbm", 1, 1}, Expected{"all=hbm", 1, 1}}) {
    const auto placed = place_pairs(description, {.count = 1, .memory = expected.memory});
    EXPECT_EQ(placed[0].sender.nodes.front(), expected.buffers) << expected.memory;
    EXPECT_EQ(placed[0].receiver.nodes.front(), expected.buffers) << expected.memory;
    EXPECT_EQ(placed[0].segment, expected.segment) << expected.memory;
  }
}

TEST(pairs, move_three_bytes_of_memory_for_each_and_what_is_written_back) {
  const Description description{with_fast_memory()};
  auto memory_bytes = [&](const Pairs& pairs) {
    const Case made = case_of_pairs(description, "", pairs, place_pairs(description, pairs));
    double bytes = 0;
    for (const Flow& flow : made.ranks[0].flows)
      for (const auto& [resource, weight] : flow.uses)
        if (resource == description.memory_resource(0)) bytes += weight * flow.bytes_per_byte;
    return bytes;
  };
  EXPECT_DOUBLE_EQ(memory_bytes({.count = 1, .bytes = gigabyte}), 3);
  EXPECT_DOUBLE_EQ(
      memory_bytes({.count = 1, .across_tiles = true, .bytes = gigabyte, .written_back = 1}), 4);
  EXPECT_DOUBLE_EQ(memory_bytes({.count = 1,
                                 .across_tiles = true,
                                 .memory = "queues=hbm",
                                 .bytes = gigabyte,
                                 .written_back = 1}),
                   3);
}

TEST(pairs, are_no_quicker_than_a_core_or_a_pair_can_copy) {
  Json json = with_fast_memory();
  auto rate = [&](bool across) {
    const Description description{json};
    const Pairs pairs{.count = 1, .across_tiles = across, .bytes = gigabyte};
    const Case made = case_of_pairs(description, "", pairs, place_pairs(description, pairs));
    return flow_named(made, "read the sender's buffer")->bytes_per_second_max / gigabyte;
  };
  EXPECT_NEAR(rate(false), 40 * 64 / 128.0, 1e-6);
  json["parameters"]["tile.remote_latency"] = number(128, "ns");
  EXPECT_NEAR(rate(false), 40 * 64 / 128.0, 1e-6);
  EXPECT_NEAR(rate(true), 40 * 64 / 256.0, 1e-6);
  json["parameters"]["pair.bandwidth"] = number(5, "GB/s");
  EXPECT_NEAR(rate(true), 5, 1e-6);
}

}  // namespace
}  // namespace baton::model
