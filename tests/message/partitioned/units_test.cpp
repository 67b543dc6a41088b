#include "message/partitioned/units.hpp"

#include <gtest/gtest.h>

namespace baton::message::partitioned {
namespace {

constexpr Way ways[] = {Way::nothing, Way::staged, Way::direct, Way::messages};

// Each byte is in one unit, each partition in one unit or in several that have nothing else.
void expect_divided(std::int32_t partitions, std::int64_t bytes, Way way) {
  const Units units(partitions, bytes, way);
  std::int64_t end = 0;
  for (std::uint32_t unit = 0; unit < units.count(); ++unit) {
    ASSERT_EQ(units.begin(unit), end);
    end = units.end(unit);
    ASSERT_LE(units.bytes(unit), units.unit_bytes());
    if (bytes == 0) continue;
    ASSERT_GT(units.bytes(unit), 0);
    ASSERT_EQ(units.unit_of(units.begin(unit)), unit);
    ASSERT_EQ(units.unit_of(end - 1), unit);
  }
  EXPECT_EQ(end, units.total_bytes());
  std::int64_t counted = 0;
  for (std::uint32_t unit = 0; units.units_each() == 1 && unit < units.count(); ++unit) {
    EXPECT_EQ(units.first_unit(units.first_partition(unit)), unit);
    counted += units.partitions_of(unit);
  }
  if (units.units_each() == 1) EXPECT_EQ(counted, partitions);
  for (std::int32_t partition = 0; partition < partitions; ++partition) {
    const std::uint32_t first = units.first_unit(partition);
    ASSERT_LT(first, units.count());
    if (units.partitions_each() > 1) {
      ASSERT_LE(units.first_partition(first), partition);
      ASSERT_LT(partition, units.first_partition(first) + units.partitions_of(first));
    } else {
      ASSERT_EQ(units.begin(first), partition * bytes);
      ASSERT_EQ(units.end(first + units.units_each() - 1), (partition + 1) * bytes);
    }
  }
}

TEST(units, have_each_byte_once) {
  for (Way way : ways)
    for (std::int32_t partitions : {0, 1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 5000})
      for (std::int64_t bytes : {0, 1, 8, 100, 4096, 16384, 262144, 262145, 1000000})
        expect_divided(partitions, bytes, way);
}

TEST(units, of_short_partitions_have_several_through_staging) {
  EXPECT_EQ(Units(16, 64, Way::staged).partitions_each(), 4);    // 256 bytes
  EXPECT_EQ(Units(16, 256, Way::staged).partitions_each(), 1);   // no more where there are few
  EXPECT_EQ(Units(256, 128, Way::staged).partitions_each(), 8);  // 1 KiB where there are many
  EXPECT_EQ(Units(256, 512, Way::staged).partitions_each(), 2);
  EXPECT_EQ(Units(64, 256, Way::staged).partitions_each(), 2);  // and 32 units all the same
  EXPECT_EQ(Units(256, 1024, Way::staged).partitions_each(), 1);
}

TEST(units, are_few_where_each_is_a_message) {
  EXPECT_LE(Units(1 << 20, 1 << 20, Way::messages).count(), std::uint32_t{message_units_max});
  EXPECT_EQ(Units(64, 64, Way::messages).count(), 1u);
  EXPECT_EQ(Units(64, 1 << 20, Way::messages).count(), 64u);
}

TEST(units, of_long_partitions_are_pieces_of_them) {
  EXPECT_EQ(Units(2, 1 << 20, Way::direct).count(), 8u);
  const Units longest(1, std::int64_t{1} << 50, Way::direct);
  EXPECT_LE(longest.count(), 8192u);
  EXPECT_EQ(longest.end(longest.count() - 1), std::int64_t{1} << 50);
}

constexpr std::int64_t kib = 1 << 10;
constexpr Facts short_ones{.partitions = 16,
                           .partition_bytes = 64,
                           .board = true,
                           .staged_bytes_max = 8 * kib,
                           .staging_bytes_max = 1024 * kib};

TEST(units, go_as_messages_where_sides_share_no_memory_or_must_not_touch_it) {
  Facts facts = short_ones;
  facts.board = false;
  EXPECT_EQ(choose_way(facts), Way::messages);
  facts.board = facts.foreign = true;
  EXPECT_EQ(choose_way(facts), Way::messages);
}

TEST(units, are_staged_where_they_cannot_be_copied_at_once) {
  Facts facts = short_ones;
  EXPECT_EQ(choose_way(facts), Way::staged);
  facts.partition_bytes = 64 * kib;
  EXPECT_EQ(choose_way(facts), Way::staged);
  facts.partition_bytes = 65 * kib;
  EXPECT_EQ(choose_way(facts), Way::messages);
}

TEST(units, are_staged_up_to_a_length_where_they_could_be_copied_at_once) {
  Facts facts = short_ones;
  facts.runs = facts.reached = true;
  facts.partition_bytes = 8 * kib;
  EXPECT_EQ(choose_way(facts), Way::staged);
  facts.partition_bytes = 8 * kib + 1;
  EXPECT_EQ(choose_way(facts), Way::direct);
  facts.partition_bytes = 8 * kib;
  facts.partitions = 129;
  EXPECT_EQ(choose_way(facts), Way::direct);
}

TEST(units, are_staged_up_to_less_where_a_copy_needs_no_system_call) {
  Facts facts = short_ones;
  facts.runs = facts.reached = facts.mapped = true;
  EXPECT_EQ(choose_way(facts), Way::staged);
  facts.partition_bytes = kib;
  EXPECT_EQ(choose_way(facts), Way::direct);
  facts.staged_bytes_max = 0;
  facts.partition_bytes = 64;
  EXPECT_EQ(choose_way(facts), Way::direct);
}

}  // namespace
}  // namespace baton::message::partitioned
