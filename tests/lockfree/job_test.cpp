#include "lockfree/job.hpp"

#include <gtest/gtest.h>

#include "lockfree/advert.hpp"
#include "lockfree/doorbell.hpp"
#include "lockfree/rendezvous_entry.hpp"
#include "lockfree/ring.hpp"
#include "lockfree/room.hpp"
#include "lockfree/staging.hpp"

namespace baton::lockfree {
namespace {

class job_layout : public testing::TestWithParam<std::uint32_t> {};

TEST_P(job_layout, every_part_starts_on_a_page_after_the_one_before_and_is_large_enough) {
  std::uint64_t ranks = GetParam();
  constexpr std::uint64_t ring = 8192;
  SliceLayout layout = slice_layout(GetParam(), ring);
  struct {
    std::uint64_t start, needed;
  } parts[] = {
      {layout.rendezvous_entries,
       std::uint64_t{rendezvous_entries_per_rank} * sizeof(RendezvousEntry<Hardware>)},
      {layout.heads, ranks * sizeof(ConsumerLines<Hardware>)},
      {layout.rings, ranks * ring_lines * sizeof(Line<Hardware>)},
      {layout.adverts, std::uint64_t{ranks} * adverts_per_pair * sizeof(Advert<Hardware>)},
      {layout.rooms, room_pool_bytes(GetParam())},
      {layout.progress, chunks_per_rank * sizeof(Progress<Hardware>)},
      {layout.staging, std::uint64_t{chunks_per_rank} * chunk_bytes},
      {layout.record, sizeof(TrafficRecord)},
      {layout.memory, sizeof(MemoryRecord)},
      {layout.deposits, ranks * deposit_bytes(ring)},
      {layout.bytes, 0},
  };
  EXPECT_EQ(parts[0].start, 0u);
  for (std::size_t i = 0; i + 1 < std::size(parts); ++i) {
    EXPECT_EQ(parts[i].start % page_bytes, 0u);
    EXPECT_GE(parts[i + 1].start, parts[i].start + parts[i].needed) << "part " << i;
    EXPECT_LT(parts[i + 1].start, parts[i].start + parts[i].needed + page_bytes)
        << "a hole after " << i;
  }
}

TEST_P(job_layout, header_rows_and_slices_fill_the_file_without_overlap) {
  std::uint32_t ranks = GetParam();
  JobHeader header = job_header(ranks, 2);
  EXPECT_GE(header.rows_offset, sizeof(JobHeader));
  EXPECT_GE(header.memory_offset, header.rows_offset + ranks * sizeof(RankRow));
  EXPECT_GE(header.mailboxes_offset, header.memory_offset + ranks * sizeof(MemoryRow));
  EXPECT_EQ(header.mailboxes_offset % page_bytes, 0u);
  EXPECT_EQ(header.slices_offset, header.mailboxes_offset + ranks * header.mailbox_bytes);
  EXPECT_EQ(header.heaps_offset, round_up(header.file_bytes, huge_page_bytes));
  EXPECT_EQ(header.slices_offset % page_bytes, 0u);
  EXPECT_EQ(header.slice_bytes, slice_layout(ranks).bytes);
  EXPECT_EQ(header.file_bytes, header.slices_offset + ranks * header.slice_bytes);
  EXPECT_EQ(job_header_problem(header), nullptr);
  char* base = reinterpret_cast<char*>(&header);
  EXPECT_EQ(slice(&header, ranks - 1) - base,
            static_cast<std::ptrdiff_t>(header.file_bytes - header.slice_bytes));
  EXPECT_EQ(reinterpret_cast<char*>(rank_row(&header, ranks - 1)) - base,
            static_cast<std::ptrdiff_t>(header.rows_offset + (ranks - 1) * sizeof(RankRow)));
}
INSTANTIATE_TEST_SUITE_P(jobs, job_layout,
                         testing::Values(1, 2, 3, 16, 63, 64, 65, 1000, ranks_max));

TEST(job, a_header_that_does_not_fit_is_refused) {
  auto problem_after = [](auto change) {
    JobHeader header = job_header(4, 2);
    change(header);
    return job_header_problem(header);
  };
  EXPECT_EQ(problem_after([](JobHeader&) {}), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.magic ^= 1; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { ++h.version; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { ++h.layout_hash; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.ranks = 0; }), nullptr);
  EXPECT_NE(job_header_problem(job_header(ranks_max + 1, 2)), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.ranks = 5; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { --h.file_bytes; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.slices_offset += page_bytes; }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.memory_offset += sizeof(MemoryRow); }), nullptr);
  EXPECT_NE(problem_after([](JobHeader& h) { h.heaps_offset += page_bytes; }), nullptr);
}

TEST(job, rings_of_a_deposit_model_take_address_space_only_where_there_is_one) {
  EXPECT_EQ(deposit_plan(0, 4 << 20).ring_bytes, 0u);
  EXPECT_EQ(slice_layout(3).bytes, slice_layout(3, 0).deposits);
  JobHeader header = job_header(3, 2, {.deposit = deposit_plan(5, 10000)});
  EXPECT_EQ(header.rings.deposit.model, 5);
  EXPECT_EQ(header.rings.deposit.ring_bytes, 3 * page_bytes) << "whole pages";
  EXPECT_EQ(header.slice_bytes, job_header(3, 2).slice_bytes + 3 * 4 * page_bytes);
  EXPECT_EQ(job_header_problem(header), nullptr);
  header.rings.deposit.ring_bytes += page_bytes;
  EXPECT_NE(job_header_problem(header), nullptr);
}

TEST(job, senders_share_rings_where_ranks_are_many_or_rings_are_few) {
  EXPECT_EQ(job_header(64, 64).rings_shared, 0);
  EXPECT_EQ(job_header(64, 64).mailbox_bytes, page_bytes);
  EXPECT_NE(job_header(65, 65).rings_shared, 0);
  EXPECT_EQ(job_header(65, 65).mailbox_bytes, page_bytes + shared_ring_bytes);
  EXPECT_EQ(job_header(4, 4, {.deposit = {}, .own_max = 3}).rings_shared, 0);
  EXPECT_NE(job_header(4, 4, {.deposit = {}, .own_max = 2}).rings_shared, 0);
  EXPECT_EQ(job_header(1, 1, {.deposit = {}, .own_max = 0}).rings_shared, 0);
  EXPECT_EQ(job_header(100, 4, {.deposit = deposit_plan(5, 10000)}).rings_shared, 0);
  EXPECT_EQ(job_header(100, 100).rings.own_max, 128);
  EXPECT_EQ(job_header(1000, 2).rings.own_max, 20);
  EXPECT_EQ(job_header(1000, 2, {.deposit = {}, .own_max = 300}).rings.own_max, 300);
  JobHeader header = job_header(65, 65);
  header.rings_shared = 0;
  EXPECT_NE(job_header_problem(header), nullptr);
}

TEST(job, oversubscribed_senders_fence) {
  EXPECT_NE(job_header(3, 2).senders_fence, 0);
}

TEST(job, a_room_has_a_line_in_each_bank_and_one_to_say_what_is_finished_for_every_rank) {
  for (std::uint32_t ranks : {1u, 2u, 64u, 128u})
    EXPECT_EQ(room_bytes(ranks), 64 + std::uint64_t{ranks} * 64 * (1 + RoomSizes::banks));
}

TEST(job, rooms_of_any_number_of_ranks_fit_into_their_pool_many_times) {
  for (std::uint32_t ranks = 2; ranks <= ranks_max; ++ranks) {
    const std::uint64_t lines = round_up(room_bytes(ranks), page_bytes);
    const std::uint64_t blocks = room_blocks_bytes(ranks);
    ASSERT_LE(blocks, 16u << 20) << ranks;
    ASSERT_EQ(room_block_bytes(ranks) % (RoomSizes::block_parts * cache_line_bytes), 0u) << ranks;
    ASSERT_GE(room_banks(ranks), RoomSizes::block_banks) << ranks;
    const std::uint64_t with_blocks = room_pool_blocks_bytes(ranks) / (blocks + lines);
    ASSERT_GE(with_blocks, 11u) << ranks;
    const std::uint64_t left = room_pool_bytes(ranks) - with_blocks * (blocks + lines);
    ASSERT_GE(with_blocks + left / lines, ranks <= 1024 ? 200u : 100u) << ranks;
    ASSERT_GE(room_pool_kept_bytes(ranks), blocks + lines) << ranks;
  }
}

TEST(job, rooms_of_few_ranks_are_as_they_were_measured) {
  for (std::uint32_t ranks = 1; ranks <= 64; ++ranks) {
    EXPECT_EQ(room_banks(ranks), RoomSizes::banks);
    EXPECT_EQ(room_block_bytes(ranks), RoomSizes::block_bytes);
  }
}

}  // namespace
}  // namespace baton::lockfree
