// Which staging long messages go through, and when, step by step over fake links.
#include "message/core/engine.hpp"
#include "tests/message/ranks.hpp"

#include <algorithm>

#include "message/node/staging_buffer.hpp"
#include "transport/choose.hpp"

namespace baton::message {
namespace {

constexpr std::int64_t buffer_bytes = 128 << 10;

// Long messages from rank 0 to rank 1.
struct long_messages : protocol {
  static constexpr int count = 3;  // the fourth would try the other protocol
  static constexpr std::int64_t bytes = 1 << 20;

  long_messages() {
    settings.cma = 0;
    settings.early_bytes_max = 64 << 10;
    settings.pipeline_buffer_bytes = buffer_bytes;
    for (int i = 0; i < count; ++i) {
      out.push_back(pattern(bytes, i));
      in.emplace_back(bytes);
    }
  }
  void send_all(Ranks& ranks) {
    for (int i = 0; i < count; ++i) ranks.send(0, 1, out[i].data(), bytes, i, sends[i]);
  }
  void receive_all(Ranks& ranks) {
    for (int i = 0; i < count; ++i) ranks.receive(1, 0, in[i].data(), bytes, i, receives[i]);
  }
  void expect_all() {
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(is_complete(sends[i]) && is_complete(receives[i])) << i;
      EXPECT_EQ(in[i], out[i]) << i;
    }
  }
  // Staged until somebody has seen that pulling is quicker.
  void may_be_pulled() {
    settings.cma = 1;
    settings.cma_bytes_min = 64 << 10;
    settings.unseen_pull_bytes_min = std::int64_t{1} << 40;
  }
  // The receiver asks for all streams, the sender hears of it and fills a first staging buffer.
  void ask_and_hear(Ranks& ranks) {
    receive_all(ranks);
    send_all(ranks);
    for (int i = 0; i < 100; ++i) ranks.step(1);
    for (int i = 0; i < 100; ++i) ranks.step(0);
  }
  std::vector<std::vector<char>> out, in;
  Request sends[count], receives[count];
};

std::uint64_t free_chunks_of(Ranks& ranks, std::uint32_t rank) {
  // relaxed: one thread.
  return ranks.as(rank, [] {
    return transport::doorbell(engine.local_rank).chunks.free.load(std::memory_order_relaxed);
  });
}

TEST_F(long_messages, stream_to_one_peer_one_after_another) {
  Ranks ranks(2);
  receive_all(ranks);
  send_all(ranks);
  int rounds_with_one = 0;
  for (bool any = true; any;) {
    any = ranks.step(0);
    any |= ranks.step(1);
    const auto part = std::count_if(sends, sends + count, [](const Request& send) {
      return send.stage == Stage::streaming && !is_complete(send) &&
             send.position > settings.early_bytes_max;
    });
    EXPECT_LE(part, 1);
    rounds_with_one += part == 1;
  }
  EXPECT_GT(rounds_with_one, count);
  expect_all();
}

TEST_F(long_messages, stream_through_buffers_that_are_no_longer_than_the_setting_says) {
  Ranks ranks(2);
  receive_all(ranks);
  send_all(ranks);
  bool seen = false;
  std::uint64_t free_before = 0;
  for (bool any = true; any;) {
    any = ranks.step(0);
    for (const Request& send : sends)
      if (send.stage == Stage::streaming && !is_complete(send) && !node_part(send).span.empty() &&
          !node_part(send).new_buffer) {
        seen = true;
        EXPECT_EQ(node_part(send).span.next_owner, NextOwner::pool);
        EXPECT_LE(node_part(send).span.buffer.bytes(), buffer_bytes);
      }
    any |= ranks.step(1);
    free_before = free_before ? free_before : free_chunks_of(ranks, 1);
  }
  EXPECT_TRUE(seen);
  expect_all();
  // What is leased and transferred stays away, nothing else.
  const auto there = std::popcount(free_chunks_of(ranks, 1));
  EXPECT_GE(there, std::popcount(free_before));
}

TEST_F(long_messages, that_are_unexpected_go_on_when_their_receives_come) {
  Ranks ranks(2);
  send_all(ranks);
  ranks.settle();
  EXPECT_EQ(ranks.unexpected(1), std::uint64_t{count});
  receive_all(ranks);
  ranks.settle();
  expect_all();
}

TEST_F(long_messages, keep_the_lease_where_it_is_no_longer_than_a_buffer) {
  settings.pipeline_buffer_bytes = 2 << 20;
  Ranks ranks(2);
  receive_all(ranks);
  send_all(ranks);
  ranks.settle();
  expect_all();
  EXPECT_EQ(ranks.messages(1, Way::pipelined), std::uint64_t{count});
}

TEST_F(long_messages, do_not_wait_for_space_in_staging_to_tell_their_receiver) {
  Ranks ranks(2);
  Request more[40];
  for (Request& send : more) {
    ranks.send(0, 1, out[0].data(), bytes, 9, send);
    EXPECT_EQ(send.stage, Stage::offered);
  }
  for (Request& send : more) {
    Request receive;
    ranks.receive(1, 0, in[0].data(), bytes, 9, receive);
    ranks.settle();
    ASSERT_TRUE(is_complete(send) && is_complete(receive));
  }
}

// The second of two finds the lease in use; the receiver says how it comes.
TEST_F(long_messages, that_find_no_space_in_staging_go_as_their_receiver_wishes) {
  for (const bool pulls : {false, true}) {
    settings = Settings{};
    settings.unseen_pull_bytes_min = 8 << 20;
    Ranks ranks(2);
    Request two[2], received[2];
    for (Request& send : two) ranks.send(0, 1, out[0].data(), bytes, 1, send);
    if (pulls) settings.unseen_pull_bytes_min = 64 << 10;
    for (Request& receive : received) ranks.receive(1, 0, in[0].data(), bytes, 1, receive);
    ranks.settle();
    EXPECT_EQ(in[0], out[0]);
    EXPECT_EQ(ranks.messages(1, Way::pipelined), pulls ? 1u : 2u);
    EXPECT_EQ(ranks.messages(1, Way::cma), pulls ? 1u : 0u);
  }
}

// The sender computes meanwhile: it makes no progress.
TEST_F(long_messages, that_their_sender_does_not_begin_to_stream_are_pulled) {
  may_be_pulled();
  Ranks ranks(2);
  send_all(ranks);
  receive_all(ranks);
  for (int i = 0; i < 2000; ++i) ranks.step(1);
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE(is_complete(receives[i])) << i;
    EXPECT_FALSE(is_complete(sends[i])) << "it has not looked yet";
  }
  ranks.settle();
  expect_all();
  // The slots are free for others, and late requests for streams harm nobody.
  Request sent, received;
  in[0].assign(in[0].size(), 0);
  ranks.send(0, 1, out[0].data(), bytes, 9, sent);
  ranks.receive(1, 0, in[0].data(), bytes, 9, received);
  ranks.settle();
  EXPECT_TRUE(is_complete(sent) && is_complete(received));
  EXPECT_EQ(in[0], out[0]);
}
TEST_F(long_messages, that_their_sender_has_begun_to_stream_are_not_pulled) {
  may_be_pulled();
  Ranks ranks(2);
  ask_and_hear(ranks);
  for (int i = 0; i < 2000; ++i) ranks.step(1);
  for (const Request& receive : receives) EXPECT_FALSE(is_complete(receive));
  ranks.settle();
  expect_all();
  EXPECT_EQ(ranks.messages(1, Way::pipelined), std::uint64_t{count});
}

// A slot of a message that waits for its turn to stream is not another's meanwhile: else the
// receiver would take that one back.
TEST_F(long_messages, that_wait_for_their_turn_keep_their_slots) {
  may_be_pulled();
  Ranks ranks(2);
  ask_and_hear(ranks);
  Request more[3], received[3];
  for (int i = 0; i < 3; ++i) {
    ranks.send(0, 1, out[i].data(), bytes, 10 + i, more[i]);
    for (const Request& send : sends) EXPECT_NE(node_part(more[i]).slot, node_part(send).slot);
    ranks.receive(1, 0, in[i].data(), bytes, 10 + i, received[i]);
  }
  for (int i = 0; i < 2000; ++i) ranks.step(1);
  ranks.settle();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_complete(more[i]) && is_complete(received[i]));
  expect_all();
}

TEST(staging_buffers, are_touched_from_their_second_turn_on) {
  lockfree::StagingSpan leased{{0b11}, 0, NextOwner::sender, false};
  const std::int64_t turn = leased.buffer.bytes();
  EXPECT_FALSE(is_touched(leased, 0));
  EXPECT_FALSE(is_touched(leased, turn - 1));
  EXPECT_TRUE(is_touched(leased, turn));
  leased.next_owner = NextOwner::pool;
  EXPECT_TRUE(is_touched(leased, 0));
}

}  // namespace
}  // namespace baton::message
