// Staging buffers that change hands with messages, step by step over fake links.
#include "message/node/ownership_transfer.hpp"
#include "message/core/engine.hpp"

#include "message/core/contact.hpp"
#include "message/node/lease.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

constexpr std::int64_t shortest = 1024;  // that goes with a buffer where the ring would take it

struct transferred_buffers : protocol {
  // Does something as rank 0 with rank 1, whose staging it uses.
  template <class Do>
  auto with(Ranks& ranks, Do what) {
    return with(ranks, 0, what);
  }
  template <class Do>
  auto with(Ranks& ranks, std::uint32_t rank, Do what) {
    return ranks.as(rank, [&] {
      return what(static_cast<NodePeer&>(*contact(static_cast<Process>(1 - rank))));
    });
  }
  int held(Ranks& ranks, std::uint32_t rank) {
    return with(ranks, rank, [](NodePeer& peer) { return peer.transferred.count; });
  }
  std::int64_t at_once(Ranks& ranks, std::uint32_t rank) {
    return with(ranks, rank, [](NodePeer& peer) { return peer.at_once_bytes_max; });
  }
  static int free_chunks(const NodePeer& peer) {
    return lockfree::free_chunks(peer.doorbell->chunks.free);
  }
  // Leaves so many chunks for others.
  static void leave(NodePeer& peer, int chunks) {
    while (free_chunks(peer) > chunks) take_staging_buffer(peer, free_chunks(peer) - chunks);
  }
  // A message from one rank to the other; what arrived.
  std::vector<char> pass(Ranks& ranks, std::uint32_t from, std::int64_t bytes, int seed) {
    const std::vector<char> out = pattern(bytes, seed);
    std::vector<char> in(static_cast<std::size_t>(bytes));
    Request send, receive;
    ranks.receive(1 - from, static_cast<int>(from), in.data(), bytes, 5, receive);
    ranks.send(from, 1 - from, out.data(), bytes, 5, send);
    EXPECT_TRUE(is_complete(send)) << "the staging buffer or the ring holds all of it";
    ranks.settle();
    EXPECT_TRUE(is_complete(receive));
    EXPECT_EQ(receive.bytes, bytes);
    EXPECT_EQ(in, out);
    return in;
  }
};

TEST_F(transferred_buffers, a_buffer_that_changes_hands_is_asked_for_once_and_used_by_what_fits) {
  Ranks ranks(2);
  with(ranks, [&](NodePeer& peer) {
    const int before = free_chunks(peer);
    for (int i = 0; i < 2; ++i) get_transferable(peer);
    ASSERT_EQ(peer.transferred.count, 1);
    const lockfree::StagingBuffer buffer = peer.transferred.mine[0].chunks;
    EXPECT_EQ(free_chunks(peer), before - buffer.count());
    EXPECT_EQ(peer.reserved_chunks & buffer.chunks, buffer.chunks);
    sending.bytes = buffer.bytes() + 1;
    EXPECT_FALSE(place_in_transferred(peer, sending));
    sending.bytes = buffer.bytes();
    EXPECT_TRUE(place_in_transferred(peer, sending));
    EXPECT_EQ(node_part(sending).span.buffer.chunks, buffer.chunks);
    EXPECT_EQ(node_part(sending).span.next_owner, NextOwner::receiver);
    EXPECT_FALSE(node_part(sending).span.at_sender);
    EXPECT_FALSE(place_in_transferred(peer, receiving)) << "it is not ours any more";
  });
}

TEST_F(transferred_buffers, none_changes_hands_where_chunks_are_few_or_ranks_are_many) {
  {
    Ranks ranks(2);
    with(ranks, [](NodePeer& peer) {
      leave(peer, 19);
      get_transferable(peer);
      EXPECT_EQ(peer.transferred.count, 0);
      EXPECT_EQ(free_chunks(peer), 19);
    });
  }
  for (std::uint32_t count : {9u, 10u}) {
    Ranks ranks(count);
    with(ranks, [&](NodePeer& peer) {
      get_transferable(peer);
      EXPECT_EQ(peer.transferred.count, count == 9);
    });
  }
}

TEST_F(transferred_buffers,
       a_buffer_that_came_with_a_message_is_ours_behind_what_it_holds_and_goes_first) {
  Ranks ranks(2);
  with(ranks, [&](NodePeer& peer) {
    get_transferable(peer);
    const lockfree::StagingSpan came{{0b1100}, 500, NextOwner::receiver, true};
    keep_transferred(peer, came);
    EXPECT_EQ(peer.transferred.count, 2);
    sending.bytes = 100;
    EXPECT_TRUE(place_in_transferred(peer, sending));
    const lockfree::StagingSpan& span = node_part(sending).span;
    EXPECT_EQ(span.buffer.chunks, 0b1100u);
    EXPECT_EQ(span.shift, 500 + came.buffer.bytes());
    EXPECT_FALSE(span.at_sender) << "it lay in its sender's staging, which is our receiver now";
  });
}

TEST_F(transferred_buffers, carry_messages_that_the_ring_would_take_to_and_fro) {
  Ranks ranks(2);
  EXPECT_EQ(at_once(ranks, 0), shortest - 1) << "it will ask for one";
  for (int i = 0; i < 8; ++i) {
    const auto from = static_cast<std::uint32_t>(i % 2);
    pass(ranks, from, shortest + 700 * i % 3000, i);
    EXPECT_EQ(held(ranks, from), i == 0 ? 0 : from) << i;
    EXPECT_EQ(held(ranks, 1 - from), from ? 1 : 2 - (i == 0)) << i;
  }
  EXPECT_EQ(ranks.messages(0, Way::eager), 4u);
  EXPECT_EQ(ranks.messages(0, Way::pipelined), 0u);
}

TEST_F(transferred_buffers, are_exchanged_by_ranks_that_send_at_the_same_time) {
  Ranks ranks(2);
  std::uint64_t sent_with[2];
  for (int i = 0; i < 4; ++i) {
    const std::vector<char> out[2] = {pattern(4096, i), pattern(4096, i + 100)};
    std::vector<char> in[2] = {std::vector<char>(4096), std::vector<char>(4096)};
    Request sends[2], receives[2];
    for (std::uint32_t rank : {0u, 1u})
      ranks.receive(rank, -1, in[rank].data(), 4096, 5, receives[rank]);
    for (std::uint32_t rank : {0u, 1u}) {
      ranks.send(rank, 1 - rank, out[rank].data(), 4096, 5, sends[rank]);
      sent_with[rank] =
          with(ranks, rank, [&](NodePeer&) { return node_part(sends[rank]).span.buffer.chunks; });
      EXPECT_EQ(held(ranks, rank), 0);
    }
    EXPECT_NE(sent_with[0], 0u);
    EXPECT_NE(sent_with[1], 0u);
    ranks.settle();
    EXPECT_EQ(in[0], out[1]);
    EXPECT_EQ(in[1], out[0]);
    EXPECT_EQ(held(ranks, 0), 1);
    EXPECT_EQ(held(ranks, 1), 1);
  }
}

TEST_F(transferred_buffers, are_not_waited_for_by_who_only_sends) {
  Ranks ranks(2, Lines::lanes);
  for (int i = 0; i < 3; ++i) {
    pass(ranks, 0, 2048, i);
    EXPECT_EQ(at_once(ranks, 0), settings.eager_bytes_max) << "the ring takes what follows";
  }
  EXPECT_EQ(held(ranks, 1), 1);
}

TEST_F(transferred_buffers, leave_short_messages_to_the_ring) {
  Ranks ranks(2);
  pass(ranks, 0, shortest - 1, 1);
  EXPECT_EQ(held(ranks, 1), 0);
  settings.ownership_transfer = 0;
  pass(ranks, 0, shortest, 1);
  EXPECT_EQ(held(ranks, 1), 0) << "it is off";
}

TEST_F(transferred_buffers, are_given_back_by_messages_that_nobody_awaited) {
  Ranks ranks(2);
  const std::vector<char> out = pattern(3000, 1);
  std::vector<char> in(2000);
  ranks.send(0, 1, out.data(), 3000, 5, sending);
  ranks.settle();
  EXPECT_EQ(held(ranks, 1), 1) << "what it held lies in the unexpected message";
  EXPECT_EQ(ranks.unexpected(1), 1u);
  ranks.receive(1, 0, in.data(), 2000, 5, receiving);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.error, MPI_ERR_TRUNCATE);
  EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
}

TEST_F(transferred_buffers, tell_who_receives_less_that_it_is_truncated) {
  Ranks ranks(2);
  const std::vector<char> out = pattern(3000, 1);
  std::vector<char> in(2001, 'x');
  ranks.receive(1, 0, in.data(), 2000, 5, receiving);
  ranks.send(0, 1, out.data(), 3000, 5, sending);
  ranks.settle();
  EXPECT_EQ(receiving.error, MPI_ERR_TRUNCATE);
  EXPECT_TRUE(std::equal(in.begin(), in.end() - 1, out.begin()));
  EXPECT_EQ(in.back(), 'x');
  EXPECT_EQ(held(ranks, 1), 1);
}

// What comes next is left in the lane until its receive has been posted.
TEST_F(transferred_buffers, and_rings_do_not_take_what_nobody_has_awaited_yet) {
  for (const std::int64_t bytes : {8, 500, 2048}) {
    Ranks ranks(2, Lines::lanes);
    pass(ranks, 0, 8, 1);  // the first contact looks into the lane twice
    const std::vector<char> out = pattern(bytes, 1);
    std::vector<char> in(static_cast<std::size_t>(bytes));
    Request sends[3], receives[3];
    for (Request& send : sends) ranks.send(0, 1, out.data(), bytes, 5, send);
    for (Request& receive : receives) {
      ranks.receive(1, 0, in.data(), bytes, 5, receive);
      ranks.step(1);
      EXPECT_TRUE(is_complete(receive));
    }
    EXPECT_EQ(ranks.unexpected(1), 0u) << bytes;
  }
}

}  // namespace
}  // namespace baton::message
