// The choice of the way of a collective access, from what the ranks have told of their parts.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "file/exchange.hpp"
#include "tests/file/views.hpp"

namespace baton::file {
namespace {

using datatype::Numbers64;

// The ranks' views, and their parts of an access.
struct Ranks {
  std::vector<std::unique_ptr<RunsView>> views;
  std::vector<Share> shares;

  void add(bool writes, MPI_Offset displacement, const Numbers64& lengths, const Numbers64& places,
           std::int64_t extent, std::int64_t position, std::int64_t bytes) {
    views.push_back(std::make_unique<RunsView>(displacement, lengths, places, extent));
    const View& view = views.back()->view;
    Share share{};
    share.flags =
        Share::may_exchange | Share::shares_memory | (writes ? std::uint64_t{Share::writes} : 0);
    share.bytes = bytes;
    share.average = view.average_bytes;
    share.mark = mark_of(view);
    share.extent = view.extent();
    share.tile_bytes = view.tile_bytes();
    share.tile_first = view.displacement + view.span.first;
    share.tile_end = view.displacement + view.span.end;
    if (bytes > 0) {
      share.first = view.address(position);
      share.end = view.address(position + bytes - 1) + 1;
    }
    shares.push_back(share);
  }
  void write(MPI_Offset displacement, const Numbers64& lengths, const Numbers64& places,
             std::int64_t extent, std::int64_t position, std::int64_t bytes) {
    add(true, displacement, lengths, places, extent, position, bytes);
  }
  void read(MPI_Offset displacement, const Numbers64& lengths, const Numbers64& places,
            std::int64_t extent, std::int64_t position, std::int64_t bytes) {
    add(false, displacement, lengths, places, extent, position, bytes);
  }
  Plan choose() const { return plan(shares.data(), static_cast<int>(shares.size())); }
};

void expect_alone(const Ranks& ranks, FileReason why) {
  const Plan chosen = ranks.choose();
  EXPECT_EQ(chosen.way, Way::alone);
  EXPECT_EQ(chosen.why, why);
}
void expect_exchange(const Ranks& ranks, std::int64_t first, std::int64_t end) {
  const Plan chosen = ranks.choose();
  EXPECT_EQ(chosen.way, Way::exchange);
  EXPECT_EQ(chosen.why, FileReason::chosen);
  EXPECT_EQ(chosen.first, first);
  EXPECT_EQ(chosen.end, end);
}

TEST(exchange_plan, writes_of_tiles_that_fit_around_are_exchanged) {
  Ranks ranks;
  for (int r = 0; r < 4; ++r) ranks.write(100, {10}, {10 * r}, 40, 0, 50);
  expect_exchange(ranks, 100, 300);
}

TEST(exchange_plan, tiles_may_fit_around_by_their_displacements) {
  Ranks ranks;
  for (int r = 0; r < 3; ++r) ranks.write(7 + 20 * r, {20}, {0}, 60, 0, 200);
  expect_exchange(ranks, 7, 607);
}

TEST(exchange_plan, a_part_of_the_tiles_is_exchanged_if_it_has_no_holes) {
  Ranks ranks;
  // From 125 to 170: of the tile from 100 the third and fourth rank's bytes, of the next the
  // first's and half of the second's ...
  ranks.write(100, {10}, {0}, 40, 10, 10);
  ranks.write(100, {10}, {10}, 40, 10, 10);
  ranks.write(100, {10}, {20}, 40, 5, 15);
  ranks.write(100, {10}, {30}, 40, 0, 10);
  expect_exchange(ranks, 125, 170);
  ranks.shares[3].bytes = 9;
  ranks.shares[3].end -= 1;
  expect_alone(ranks, FileReason::holes);
}

TEST(exchange_plan, tiles_that_fit_together_once_are_exchanged) {
  Ranks ranks;
  ranks.write(0, {30, 10}, {0, 50}, 60, 0, 40);
  ranks.write(0, {20}, {30}, 999, 0, 20);
  expect_exchange(ranks, 0, 60);
}

TEST(exchange_plan, tiles_that_fit_once_do_not_fit_twice) {
  Ranks ranks;
  ranks.write(0, {30, 10}, {0, 50}, 60, 0, 80);
  ranks.write(0, {20}, {30}, 61, 0, 40);
  expect_alone(ranks, FileReason::holes);
}

TEST(exchange_plan, tiles_that_leave_a_hole_are_not_exchanged) {
  Ranks ranks;
  ranks.write(0, {10}, {0}, 40, 0, 20);
  ranks.write(0, {10}, {10}, 40, 0, 20);
  ranks.write(0, {19}, {20}, 40, 0, 38);
  expect_alone(ranks, FileReason::holes);
}

TEST(exchange_plan, a_byte_that_is_written_twice_does_not_make_up_for_a_hole) {
  Ranks around;
  around.write(0, {10}, {0}, 40, 0, 20);
  around.write(0, {10}, {9}, 40, 0, 20);
  around.write(0, {20}, {20}, 40, 0, 40);
  expect_alone(around, FileReason::holes);
  Ranks once;
  once.write(0, {10}, {0}, 100, 0, 10);
  once.write(0, {10}, {9}, 100, 0, 10);
  once.write(0, {20}, {20}, 100, 0, 20);
  expect_alone(once, FileReason::holes);
}

TEST(exchange_plan, ranks_without_bytes_are_no_hindrance) {
  Ranks ranks;
  ranks.write(0, {8}, {0}, 16, 0, 8);
  ranks.write(5, {3}, {1}, 77, 0, 0);
  ranks.write(0, {8}, {8}, 16, 0, 8);
  expect_exchange(ranks, 0, 16);
}

TEST(exchange_plan, nobody_exchanges_nothing) {
  Ranks ranks;
  for (int r = 0; r < 3; ++r) ranks.write(0, {8}, {8 * r}, 24, 0, 0);
  expect_alone(ranks, FileReason::no_bytes);
}

TEST(exchange_plan, a_rank_that_may_not_keeps_all_from_it) {
  Ranks ranks;
  for (int r = 0; r < 3; ++r) ranks.write(0, {8}, {8 * r}, 24, 0, r == 1 ? 0 : 8);
  ranks.shares[1].flags &= ~std::uint32_t{Share::may_exchange};
  expect_alone(ranks, FileReason::not_possible);
}

TEST(exchange_plan, ranks_of_which_one_does_not_share_memory_exchange_by_messages) {
  Ranks ranks;
  for (int r = 0; r < 3; ++r) ranks.write(0, {10}, {10 * r}, 30, 0, 50);
  ranks.shares[1].flags &= ~std::uint64_t{Share::shares_memory};
  EXPECT_EQ(ranks.choose().way, Way::by_messages);
}

TEST(exchange_plan, reads_and_writes_are_not_exchanged_together) {
  Ranks ranks;
  ranks.write(0, {8}, {0}, 16, 0, 8);
  ranks.read(0, {8}, {8}, 16, 0, 8);
  expect_alone(ranks, FileReason::mixed);
}

TEST(exchange_plan, long_runs_are_moved_by_calls_of_their_own) {
  for (std::int64_t run : {16384, 16385}) {
    Ranks writes;
    for (int r = 0; r < 2; ++r) writes.write(0, {run}, {run * r}, 2 * run, 0, 4 * run);
    if (run == 16384)
      expect_exchange(writes, 0, 8 * run);
    else
      expect_alone(writes, FileReason::long_runs);
  }
  for (std::int64_t run : {4095, 4096}) {
    Ranks reads;
    for (int r = 0; r < 2; ++r) reads.read(0, {run}, {run * r}, 2 * run, 0, 4 * run);
    if (run == 4095)
      expect_exchange(reads, 0, 8 * run);
    else
      expect_alone(reads, FileReason::long_runs);
  }
}

TEST(exchange_plan, reads_may_have_holes_and_bytes_twice_but_not_be_sparse) {
  Ranks ranks;
  ranks.read(0, {10}, {0}, 40, 0, 100);
  expect_exchange(ranks, 0, 370);
  ranks.read(0, {10}, {5}, 40, 0, 100);
  expect_exchange(ranks, 0, 375);
  Ranks sparse;
  sparse.read(0, {10}, {0}, 50, 0, 100);
  expect_alone(sparse, FileReason::sparse);
}

// Every way to give the bytes of a tile to ranks fits; with one byte moved, or left out, none does.
TEST(exchange_plan, any_division_of_a_tile_fits_and_no_other) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::size_t size = 1 + random() % 60, ranks = 1 + random() % 5;
    std::vector<std::size_t> owners(size);
    for (std::size_t k = 0; k < size; ++k)
      owners[k] = k > 0 && random() % 2 ? owners[k - 1] : random() % ranks;
    const auto extent = static_cast<std::int64_t>(size);
    // 0: as divided; 1: a byte of one rank is of nobody; 2: also, and another one is of two.
    for (int wrong = 0; wrong < 3; ++wrong) {
      const std::size_t lost = random() % size, twice = random() % size;
      const std::size_t also = random() % ranks;
      if (wrong == 2 && (lost == twice || owners[twice] == also)) continue;
      Ranks all;
      for (std::size_t r = 0; r < ranks; ++r) {
        Numbers64 lengths, places;
        for (std::size_t k = 0; k < size; ++k) {
          const bool is_lost = wrong > 0 && k == lost, is_twice = wrong == 2 && k == twice;
          if ((owners[k] != r || is_lost) && !(is_twice && r == also)) continue;
          lengths.push_back(1);
          places.push_back(static_cast<std::int64_t>(k));
        }
        const auto bytes = static_cast<std::int64_t>(lengths.size());
        all.write(30, lengths, places, extent, 0, 2 * bytes);
      }
      const Plan chosen = all.choose();
      // Without the first or the last byte of the tiles the range is shorter, but not whole either.
      if (wrong == 0)
        ASSERT_EQ(chosen.why, FileReason::chosen) << "division " << i;
      else
        ASSERT_TRUE(chosen.way == Way::alone) << "division " << i << ", wrong " << wrong;
    }
  }
}

TEST(exchange_plan, a_mark_says_where_runs_begin_and_end_not_how_they_are_divided) {
  const RunsView whole(10, {20}, {5}, 50), parts(10, {7, 13}, {5, 12}, 50);
  const RunsView moved(60, {20}, {5}, 50), other(11, {20}, {5}, 50);
  const TileMark mark = mark_of(whole.view);
  EXPECT_EQ(mark.once, mark_of(parts.view).once);
  EXPECT_EQ(mark.around, mark_of(parts.view).around);
  EXPECT_NE(mark.once, mark_of(moved.view).once);
  EXPECT_EQ(mark.around, mark_of(moved.view).around)
      << "a whole extent away, around it is the same";
  EXPECT_NE(mark.around, mark_of(other.view).around);
}

}  // namespace
}  // namespace baton::file
