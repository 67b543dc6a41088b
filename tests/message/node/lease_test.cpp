// What a sender holds of a receiver's staging: staging buffers of the pool, and the lease.
#include "message/node/lease.hpp"
#include "message/core/engine.hpp"

#include "message/core/contact.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

using lockfree::StagingBuffer;
constexpr std::int64_t chunk_bytes = lockfree::chunk_bytes;

struct leases : protocol {
  // Does something as rank 0 with rank 1, whose staging it uses.
  template <class Do>
  auto with(Ranks& ranks, Do what) {
    return ranks.as(0, [&] { return what(static_cast<NodePeer&>(*contact(Process{1}))); });
  }
  static int free_chunks(const NodePeer& peer) {
    return lockfree::free_chunks(peer.doorbell->chunks.free);
  }
  static bool is_wanted(const NodePeer& peer) {
    // relaxed: one thread.
    return peer.doorbell->chunks.wanted.load(std::memory_order_relaxed) != 0;
  }
  // Leaves so many chunks for others.
  static void leave(NodePeer& peer, int chunks) {
    while (free_chunks(peer) > chunks) take_staging_buffer(peer, free_chunks(peer) - chunks);
  }
  // As if the receiver had taken out all that was put into a staging buffer.
  static void empty(NodePeer& peer, StagingBuffer buffer, std::int64_t bytes) {
    lockfree::publish_emptied(transport::staging_progress(peer.slot, buffer),
                              static_cast<std::uint64_t>(bytes));
  }
};

TEST_F(leases, buffers_are_taken_while_there_are_chunks_and_no_chunk_twice) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    std::uint64_t taken = 0;
    for (int i = 0; i < 6; ++i) {
      const StagingBuffer buffer = take_staging_buffer(peer, 12);
      EXPECT_EQ(buffer.count(), i < 5 ? 12 : 4);
      EXPECT_EQ(buffer.chunks & taken, 0u);
      EXPECT_EQ(emptied_by(peer, buffer), 0);
      taken |= buffer.chunks;
    }
    EXPECT_TRUE(take_staging_buffer(peer, 1).empty());
  });
}

TEST_F(leases, what_a_lost_peer_holds_comes_back_and_nothing_else) {
  Ranks ranks(3);
  auto take = [&](std::uint32_t rank, int chunks) {
    return ranks.as(rank, [&] {
      return take_staging_buffer(static_cast<NodePeer&>(*contact(Process{1})), chunks);
    });
  };
  (void)take(0, 12);
  const StagingBuffer given_back = take(0, 3), of_another = take(2, 3);
  ranks.as(0, [&] {
    give_back_staging_buffer(static_cast<NodePeer&>(*contact(Process{1})).slot, given_back);
  });
  EXPECT_EQ(take(2, 2).chunks & of_another.chunks, 0u);
  (void)take(0, 20);
  ranks.as(1, [&] {
    take_back_staging(static_cast<NodePeer&>(*contact(Process{0})));
    EXPECT_EQ(lockfree::free_chunks(transport::doorbell(engine.local_rank).chunks.free),
              64 - 3 - 2);
    take_back_staging(static_cast<NodePeer&>(*contact(Process{0})));
    EXPECT_EQ(lockfree::free_chunks(transport::doorbell(engine.local_rank).chunks.free),
              64 - 3 - 2);
  });
}

TEST_F(leases, what_a_lost_peer_had_given_back_is_its_no_more) {
  Ranks ranks(3);
  const auto with_staging = [&](std::uint32_t rank, auto what) {
    return ranks.as(rank, [&] { return what(static_cast<NodePeer&>(*contact(Process{1}))); });
  };
  with_staging(0, [](NodePeer& peer) {
    const StagingBuffer first = take_staging_buffer(peer, 1), next = take_staging_buffer(peer, 3);
    give_back_staging_buffer(peer.slot, next);
    give_back_staging_buffer(peer.slot, first);
  });
  // The chunks of both, but it begins where the first did.
  with_staging(2, [](NodePeer& peer) { EXPECT_EQ(take_staging_buffer(peer, 4).chunks, 0b1111u); });
  ranks.as(1, [] {
    take_back_staging(static_cast<NodePeer&>(*contact(Process{0})));
    EXPECT_EQ(lockfree::free_chunks(transport::doorbell(engine.local_rank).chunks.free), 64 - 4);
  });
}

TEST_F(leases, a_buffer_that_is_taken_again_begins_anew) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    const StagingBuffer buffer = take_staging_buffer(peer, 2);
    empty(peer, buffer, 5000);
    EXPECT_EQ(emptied_by(peer, buffer), 5000);
    lockfree::give_back_chunks(peer.doorbell->chunks.free, buffer);
    EXPECT_EQ(take_staging_buffer(peer, 2).chunks, buffer.chunks);
    EXPECT_EQ(emptied_by(peer, buffer), 0);
  });
}

TEST_F(leases, memory_is_reserved_for_the_chunks_that_a_message_reaches) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    const lockfree::StagingSpan span{{0b11110000}, 0};
    EXPECT_TRUE(has_memory(peer, span, 0, chunk_bytes));
    EXPECT_EQ(peer.reserved_chunks, 0b00010000u);
    EXPECT_TRUE(has_memory(peer, span, chunk_bytes + 5, 3 * chunk_bytes));
    EXPECT_EQ(peer.reserved_chunks, 0b01110000u);
    EXPECT_TRUE(has_memory(peer, span, 0, 5 * chunk_bytes));  // round the staging buffer
    EXPECT_EQ(peer.reserved_chunks, 0b11110000u);
    const lockfree::StagingSpan shifted{{0b1111}, 4 * chunk_bytes + 100};
    EXPECT_TRUE(has_memory(peer, shifted, chunk_bytes, 2 * chunk_bytes));
    EXPECT_EQ(peer.reserved_chunks, 0b11110110u) << "two, since it begins within one";
  });
}

TEST_F(leases, two_ranks_have_one_as_long_as_a_buffer_may_be) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    get_lease(peer);
    EXPECT_EQ(peer.lease.buffer.count(), StagingBuffer::chunks_max);
    EXPECT_TRUE(lease_is_free(peer.lease));
    EXPECT_FALSE(is_wanted(peer));
    EXPECT_EQ(engine.counters.leases, 1u);
  });
}

TEST_F(leases, of_more_ranks_each_has_less) {
  int before = StagingBuffer::chunks_max + 1;
  for (std::uint32_t count : {2u, 4u, 8u}) {
    Ranks ranks(count);
    with(ranks, [&](NodePeer& peer) {
      get_lease(peer);
      EXPECT_FALSE(peer.lease.buffer.empty());
      EXPECT_LT(peer.lease.buffer.count(), before);
      EXPECT_LE(static_cast<int>(count - 1) * peer.lease.buffer.count(),
                lockfree::chunks_per_rank * 3 / 4)
          << "a quarter stays for who has none";
      before = peer.lease.buffer.count();
    });
  }
}

TEST_F(leases, who_finds_too_few_chunks_says_so_until_there_are_enough) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    const StagingBuffer taken[2] = {take_staging_buffer(peer, 32), take_staging_buffer(peer, 16)};
    get_lease(peer);
    EXPECT_TRUE(peer.lease.buffer.empty());
    EXPECT_TRUE(is_wanted(peer));
    EXPECT_EQ(free_chunks(peer), 16) << "nothing was taken";
    for (const StagingBuffer& buffer : taken)
      lockfree::give_back_chunks(peer.doorbell->chunks.free, buffer);
    get_lease(peer);
    EXPECT_FALSE(peer.lease.buffer.empty());
    EXPECT_FALSE(is_wanted(peer));
  });
}

struct terms : leases {
  static constexpr int messages = 32;  // in a term
  static void pass_term(NodePeer& peer) {
    for (int i = 0; i < messages; ++i) end_term(peer);
  }
  static void want(NodePeer& peer) {
    peer.doorbell->chunks.wanted.store(1, std::memory_order_relaxed);  // relaxed: one thread
  }
};

TEST_F(terms, go_on_while_nobody_else_wants_the_lease) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    get_lease(peer);
    for (int i = 0; i < 3; ++i) pass_term(peer);
    EXPECT_FALSE(peer.lease.buffer.empty() || peer.lease.ending);
    EXPECT_LT(peer.lease.messages, messages);
  });
}

TEST_F(terms, end_when_somebody_wants_it_and_not_before_all_in_it_is_taken_out) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    get_lease(peer);
    const StagingBuffer buffer = peer.lease.buffer;
    const int left = free_chunks(peer);
    peer.lease.end = 7000;
    want(peer);
    for (int i = 0; i < messages - 1; ++i) end_term(peer);
    EXPECT_FALSE(peer.lease.ending) << "a term is kept to its end";
    end_term(peer);
    EXPECT_TRUE(peer.lease.ending);
    EXPECT_EQ(free_chunks(peer), left);
    empty(peer, buffer, 6999);
    end_term(peer);
    EXPECT_FALSE(peer.lease.buffer.empty());
    empty(peer, buffer, 7000);
    end_term(peer);
    EXPECT_TRUE(peer.lease.buffer.empty());
    EXPECT_EQ(free_chunks(peer), left + buffer.count());
  });
}

TEST_F(terms, do_not_end_under_a_stream) {
  Ranks ranks(2);
  with(ranks, [&](NodePeer& peer) {
    get_lease(peer);
    want(peer);
    sending.process = Process{1};
    peer.lease.holder = &sending;
    EXPECT_FALSE(lease_is_free(peer.lease));
    EXPECT_TRUE(holds_lease(peer, sending));
    EXPECT_FALSE(holds_lease(peer, receiving));
    pass_term(peer);
    end_term(peer);
    EXPECT_FALSE(peer.lease.buffer.empty());
    receiving.process = Process{1};
    let_lease_go(receiving);
    EXPECT_TRUE(holds_lease(peer, sending)) << "another's send does not let it go";
    let_lease_go(sending);
    EXPECT_TRUE(lease_is_free(peer.lease));
    end_term(peer);
    EXPECT_TRUE(peer.lease.buffer.empty());
  });
}

TEST_F(terms, who_had_one_waits_for_the_others_and_longer_each_time) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    int before = 0;
    for (int had = 1; had < 4; ++had) {
      int sends = 0;
      for (; peer.lease.buffer.empty() && sends < 10000; ++sends) get_lease(peer);
      EXPECT_GT(sends, before);
      before = sends;
      want(peer);
      pass_term(peer);
      EXPECT_TRUE(peer.lease.buffer.empty());
      EXPECT_EQ(peer.lease.had, had);
    }
  });
}

TEST_F(leases, space_is_what_the_receiver_has_emptied) {
  Ranks ranks(2);
  with(ranks, [&](NodePeer& peer) {
    get_lease(peer);
    Lease& lease = peer.lease;
    const std::int64_t all = lease.buffer.bytes();
    EXPECT_EQ(space_in(peer, 1), all);
    lease.position = all - 100;
    EXPECT_EQ(space_in(peer, 101), 100);
    empty(peer, lease.buffer, 5000);
    EXPECT_EQ(space_in(peer, 100), 100) << "that is enough: nobody looks";
    EXPECT_EQ(space_in(peer, 101), 5100);
    EXPECT_EQ(lease.emptied, 5000);
  });
}

TEST_F(leases, a_send_lies_where_the_last_ended_in_a_line_of_its_own) {
  Ranks ranks(2);
  with(ranks, [&](NodePeer& peer) {
    get_lease(peer);
    Lease& lease = peer.lease;
    lease.position = 6400;
    sending.position = 0;
    place_in_lease(peer, sending);
    const lockfree::StagingSpan& span = node_part(sending).span;
    EXPECT_EQ(span.shift, 6400);
    EXPECT_EQ(span.buffer.chunks, lease.buffer.chunks);
    EXPECT_EQ(span.next_owner, NextOwner::sender);
    move_lease(peer, sending, 1000);
    EXPECT_EQ(lease.end, 7400);
    EXPECT_EQ(lease.position, 7424);
    receiving.position = 300;  // of which the beginning lies elsewhere
    place_in_lease(peer, receiving);
    EXPECT_EQ(node_part(receiving).span.shift, 7424 - 300);
  });
}

TEST_F(leases, early_parts_stay_at_the_beginning_of_the_buffer) {
  settings.early_bytes_max = 10000;
  settings.pipeline_span_bytes = 50000;
  settings.pipeline_buffer_bytes = 30000;
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    get_lease(peer);
    Lease& lease = peer.lease;
    const std::int64_t turn = lease.buffer.bytes();
    lease.position = 40000;
    wrap_early(lease, 9000);
    EXPECT_EQ(lease.position, 40000);
    wrap_early(lease, 10000);  // the beginning of a longer message: no more than a stream gets
    EXPECT_EQ(lease.position, turn);
    lease.position = turn + 45000;
    wrap_early(lease, 5000);
    EXPECT_EQ(lease.position, turn + 45000);
    wrap_early(lease, 5001);
    EXPECT_EQ(lease.position, 2 * turn);
    settings.pipeline_span_bytes = settings.pipeline_buffer_bytes = 1000;
    lease.position = 2 * turn + 10000;
    wrap_early(lease, 10000);
    EXPECT_EQ(lease.position, 2 * turn + 10000) << "there is always space for two";
  });
}

TEST_F(leases, carry_streams_where_they_are_no_longer_than_these_may_take) {
  Ranks ranks(2);
  with(ranks, [](NodePeer& peer) {
    EXPECT_FALSE(carries_streams(peer.lease)) << "there is none";
    get_lease(peer);
    settings.pipeline_buffer_bytes = peer.lease.buffer.bytes();
    EXPECT_TRUE(carries_streams(peer.lease));
    settings.pipeline_buffer_bytes = peer.lease.buffer.bytes() - 1;
    EXPECT_FALSE(carries_streams(peer.lease));
  });
}

}  // namespace
}  // namespace baton::message
