// How long collectives are divided into rounds of a room: segments that some ranks read, and
// chains of ranks.
#include "collective/room/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collective/room/chains.hpp"

namespace baton::collective {
namespace {

std::int64_t block_of(int ranks) {
  return static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
}

constexpr int rank_counts[] = {1, 2, 3, 7, 8, 9, 16, 25, 32, 33, 100, 1000, 4096};
constexpr std::int64_t lengths[] = {1, 63, 64, 1000, 8191, 8192, 8193, 65536, 99999, 1 << 24};
constexpr std::int64_t type_sizes[] = {1, 8, 12, 1000};

template <class Do>
void each_division(Do&& act) {
  for (int ranks : rank_counts)
    for (std::int64_t longest : lengths)
      for (std::int64_t size : type_sizes)
        for (bool all_read : {false, true}) {
          SCOPED_TRACE(testing::Message() << ranks << " ranks, " << longest << " elements of "
                                          << size << " bytes" << (all_read ? ", all read" : ""));
          act(ranks, longest, size, all_read, divide_into_segments(ranks, longest, size, all_read));
        }
}

TEST(segments, bring_every_rank_everything_once_and_in_order) {
  each_division([](int ranks, std::int64_t longest, std::int64_t, bool, const Segments& segments) {
    if (segments.count == 0 || longest / segments.step > 100000) return;  // that would take minutes
    const auto turns = static_cast<std::uint64_t>(segments.turns);
    for (int rank : {0, ranks / 2, ranks - 1}) {
      std::int64_t next = 0;
      std::uint64_t first = 0;
      while (!segments.is_read_by(rank, first)) ++first;
      for (std::uint64_t i = 0; i < std::min(segments.count, turns); ++i)
        ASSERT_EQ(segments.is_read_by(rank, i), i == first);
      for (std::uint64_t i = first; i < segments.count; i += turns) {
        ASSERT_TRUE(segments.is_read_by(rank, i));
        ASSERT_EQ(segments.begin(i), next);
        next += segments.step;
      }
      EXPECT_GE(next, longest);
      EXPECT_LT(next - segments.step, longest);
    }
  });
}

TEST(segments, hold_a_slice_for_each_reader_in_a_block) {
  each_division([](int ranks, std::int64_t, std::int64_t size, bool, const Segments& segments) {
    const auto two_turns = 2 * static_cast<std::uint64_t>(segments.turns);
    for (std::uint64_t i = 0; i < std::min(segments.count, two_turns); ++i)
      for (int writer : {0, ranks / 2, ranks - 1}) {
        ASSERT_LT(segments.first_reader(i), segments.readers_end(i, ranks))
            << "a segment for nobody";
        std::set<std::int64_t> slices;
        for (int r = segments.first_reader(i); r < segments.readers_end(i, ranks); ++r) {
          EXPECT_TRUE(segments.is_read_by(r, i));
          const std::int64_t slice = segments.slice(writer, r, i);
          EXPECT_EQ(slice % segments.step, 0);
          EXPECT_TRUE(slices.insert(slice).second) << "two readers have a slice together";
          EXPECT_LE((slice + segments.step) * size, block_of(ranks));
        }
      }
  });
}

TEST(segments, have_slices_no_longer_than_asked_for) {
  for (std::int64_t size : type_sizes)
    for (int lines : {1, 64, 500}) {
      const std::int64_t most = lines * static_cast<std::int64_t>(cache_line_bytes);
      const Segments segments = divide_into_segments(2, 100000, size, true, most);
      EXPECT_EQ(segments.count > 0, size <= most) << size << " " << most;
      EXPECT_LE(segments.step * size, most) << size << " " << most;
      EXPECT_GT((segments.step + 1) * size, most) << size << " " << most;
    }
  EXPECT_EQ(divide_into_segments(2, 1024, 8, true, 4096).count, 2u);
}

TEST(segments, of_two_ranks_lie_where_the_other_one_s_have_been) {
  const Segments segments = divide_into_segments(2, 100000, 8, false);
  EXPECT_EQ(segments.slice(0, 1, 0), segments.slice(1, 0, 0));
}

TEST(segments, that_all_read_are_whole_blocks) {
  EXPECT_EQ(same_for_all(2, 0).count, 0u);
  EXPECT_EQ(same_for_all(2, 65536).count, 1u);
  EXPECT_EQ(same_for_all(2, 65537).count, 2u);
  EXPECT_EQ(same_for_all(2, 65537).begin(1), 65536);
}

TEST(segments, are_for_all_where_all_must_read) {
  each_division([](int ranks, std::int64_t, std::int64_t, bool all_read, const Segments& segments) {
    if (all_read) {
      EXPECT_EQ(segments.readers, ranks);
    }
  });
}

TEST(segments, of_many_ranks_have_few_readers) {
  EXPECT_EQ(divide_into_segments(32, 65536, 1, false).readers, 8);
  EXPECT_EQ(divide_into_segments(32, 2048, 1, false).readers, 32);
  EXPECT_EQ(divide_into_segments(9, 65536, 1, false).readers, 5);
  EXPECT_EQ(divide_into_segments(8, 65536, 1, false).readers, 8);
}

TEST(segments, of_short_blocks_have_more_readers_than_lines) {
  EXPECT_EQ(lockfree::room_block_bytes(1000), 4096u);
  EXPECT_EQ(divide_into_segments(1000, 8, 1, false).readers, 500);
  EXPECT_EQ(divide_into_segments(1000, 8, 1, false).count, 2u);
  EXPECT_EQ(divide_into_segments(1000, 1, 8, false).step, 1);
  EXPECT_EQ(divide_into_segments(1000, 64, 1, false).readers, 63);
}

TEST(segments, need_elements_that_fit_and_ranks_that_have_a_line_each) {
  EXPECT_EQ(divide_into_segments(4, 10, 65536, false).count, 0u);
  EXPECT_EQ(divide_into_segments(257, 10, 8, true).count, 0u);
  EXPECT_GT(divide_into_segments(256, 10, 8, true).count, 0u);
}

template <class Do>
void each_chains(Do&& act) {
  for (int ranks : rank_counts)
    for (int cpus : {1, 2, 4, 5, 16, 128, 8192})
      for (std::int64_t elements : lengths)
        for (std::int64_t size : type_sizes) {
          SCOPED_TRACE(testing::Message() << ranks << " ranks on " << cpus << " CPUs, " << elements
                                          << " elements of " << size << " bytes");
          act(ranks, elements, size, divide_into_chains(ranks, cpus, elements, size));
        }
}

TEST(chains, divide_the_ranks_into_ranges) {
  each_chains([](int ranks, std::int64_t, std::int64_t, const Chains& chains) {
    EXPECT_EQ(chains.begin(0, ranks), 0);
    EXPECT_EQ(chains.begin(chains.count, ranks), ranks);
    for (int i = 0; i < chains.count; ++i) {
      ASSERT_LT(chains.begin(i, ranks), chains.begin(i + 1, ranks));
      EXPECT_EQ(chains.of(chains.begin(i, ranks), ranks), i);
      EXPECT_EQ(chains.of(chains.begin(i + 1, ranks) - 1, ranks), i);
    }
  });
}

TEST(chains, divide_the_vector_into_segments_whose_sums_fit_into_a_room) {
  each_chains([](int ranks, std::int64_t elements, std::int64_t size, const Chains& chains) {
    ASSERT_GT(chains.step, 0);
    EXPECT_GE(static_cast<std::int64_t>(chains.segments) * chains.step, elements);
    EXPECT_LT(static_cast<std::int64_t>(chains.segments - 1) * chains.step, elements);
    EXPECT_LE(chains.step * size, chains.blocks * block_of(ranks));
    EXPECT_GE(chains.blocks, 1);
    EXPECT_LE(chains.count * chains.blocks, ranks);
  });
}

TEST(chains, are_as_many_as_keep_the_cpus_busy) {
  EXPECT_EQ(divide_into_chains(32, 2, 1 << 20, 8).count, 1);
  EXPECT_EQ(divide_into_chains(32, 4, 1 << 20, 8).count, 1);
  EXPECT_EQ(divide_into_chains(32, 16, 1 << 20, 8).count, 4);
  EXPECT_EQ(divide_into_chains(3, 64, 1 << 20, 8).count, 3);
}

TEST(chains, need_elements_that_fit) {
  EXPECT_EQ(divide_into_chains(2, 2, 10, 200000).segments, 0u);
}

}  // namespace
}  // namespace baton::collective
