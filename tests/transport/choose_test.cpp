#include "transport/choose.hpp"

#include <gtest/gtest.h>

namespace baton::transport {
namespace {

constexpr std::int64_t eager = 4096, cma_min = 16384;

TEST(choose_send, one_line_then_the_ring_then_a_rendezvous) {
  EXPECT_EQ(choose_send(0, false, false, eager).way, Way::inline_eager);
  EXPECT_EQ(choose_send(48, false, false, eager).way, Way::inline_eager);
  EXPECT_EQ(choose_send(49, false, false, eager).way, Way::eager);
  EXPECT_EQ(choose_send(eager, false, false, eager).way, Way::eager);
  EXPECT_EQ(choose_send(eager + 1, false, false, eager).way, Way::offered);
}

TEST(choose_send, what_must_wait_for_its_match_never_enters_a_ring) {
  EXPECT_EQ(choose_send(8, true, false, eager).reason, Reason::synchronous);
  EXPECT_EQ(choose_send(8, false, true, eager).reason, Reason::envelopes_only);
}

EarlyFacts pullable(std::int64_t bytes) {
  return {bytes, true, false, true, cma_min, true, true};
}

TEST(choose_early, what_the_receiver_wishes_to_pull_stays_with_its_sender) {
  EXPECT_EQ(choose_early(pullable(cma_min)).way, Way::offered);
  EarlyFacts unwished = pullable(1 << 20);
  unwished.pull_wished = false;
  EXPECT_EQ(choose_early(unwished).way, Way::pipelined);
  EXPECT_EQ(choose_early(unwished).reason, Reason::staging_quicker);
}

TEST(choose_early, what_cannot_be_pulled_is_staged_with_the_reason) {
  EXPECT_EQ(choose_early(pullable(cma_min - 1)).reason, Reason::below_cma_min);
  EarlyFacts gaps = pullable(1 << 20);
  gaps.sender_contiguous = false;
  EXPECT_EQ(choose_early(gaps).reason, Reason::sender_gaps);
  EarlyFacts refused = pullable(1 << 20);
  refused.may_read = false;
  EXPECT_EQ(choose_early(refused).reason, Reason::cma_refused);
  EXPECT_EQ(choose_early(refused).way, Way::pipelined);
}

TEST(choose_early, a_receiver_that_keeps_enough_gets_envelopes) {
  EarlyFacts facts = pullable(1 << 20);
  facts.envelopes_only = true;
  facts.pull_wished = false;
  EXPECT_EQ(choose_early(facts).way, Way::offered);
}

TEST(choose_receive, pulls_what_is_long_and_contiguous_on_both_sides_and_permitted) {
  ReceiveFacts facts{cma_min, true, true, true, cma_min, false};
  EXPECT_EQ(choose_receive(facts).way, Way::cma);
  facts.receiver_contiguous = false;
  EXPECT_EQ(choose_receive(facts).reason, Reason::receiver_gaps);
  facts = {cma_min, true, true, false, cma_min, false};
  EXPECT_EQ(choose_receive(facts).reason, Reason::cma_refused);
  facts = {cma_min - 1, true, true, true, cma_min, false};
  EXPECT_EQ(choose_receive(facts).reason, Reason::below_cma_min);
}

std::uint32_t piece_bytes(std::int64_t bytes) {
  return baton::transport::piece_bytes(bytes, 32768);
}

TEST(piece_bytes, two_pieces_of_whole_pages_or_more_that_are_not_too_long) {
  EXPECT_EQ(piece_bytes(32767), 0u);
  EXPECT_EQ(piece_bytes(32768), 16384u);
  EXPECT_EQ(piece_bytes(32769), 20480u);  // the second piece is the shorter one
  for (std::int64_t bytes = 32768; bytes < (1LL << 40); bytes = bytes * 5 / 3) {
    std::int64_t piece = piece_bytes(bytes);
    EXPECT_EQ(piece % 4096, 0);
    EXPECT_LE(piece, 131072);
    EXPECT_GE((bytes + piece - 1) / piece, 2) << bytes;
  }
}

TEST(cost_of_copy, what_was_pushed_costs_its_reader_while_it_fits_into_a_cache) {
  EXPECT_EQ(cost_of_copy(65536, 1000, Pushed::nothing, true).later, 0);
  EXPECT_EQ(cost_of_copy(65536, 1000, Pushed::half, false).later, 400);
  EXPECT_EQ(cost_of_copy(65536, 1000, Pushed::all, false).later, 800);
  EXPECT_EQ(cost_of_copy(65536, 1000, Pushed::half, true).later, 1000);
  EXPECT_EQ(cost_of_copy((1 << 20) + 1, 1000, Pushed::all, true).later, 0);
}

}  // namespace
}  // namespace baton::transport
