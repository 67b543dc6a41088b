// Two processes of different nodes in one process, step by step: their messages go over libfabric
// with the provider of tests/network/fake_provider, which ends whoever breaks its rules.
#include "message/network/network_protocol.hpp"
#include "message/core/engine.hpp"

#include <cerrno>

#include "base/failure_class.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct between_nodes : protocol {
  Ranks ranks{2, Ranks::Nodes::each};
  // Looks until requests are complete: the provider takes its time by chance.
  template <class... Requests>
  void finish(const Requests&... requests) {
    for (int look = 0; look < 1000000 && !(is_complete(requests) && ...); ++look) ranks.settle();
    ASSERT_TRUE((is_complete(requests) && ...));
  }
  // Looks until a rank has kept an unexpected message.
  void wait_for_unexpected(std::uint32_t rank, std::uint64_t count) {
    for (int look = 0; look < 1000000 && ranks.unexpected(rank) < count; ++look) ranks.settle();
    ASSERT_EQ(ranks.unexpected(rank), count);
  }
};

TEST_F(between_nodes, peers_have_the_networks_protocol_and_no_lane) {
  int out = 1;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.as(0, [] {
    const Peer& peer = peer_of(Process{1});
    EXPECT_EQ(peer.protocol, engine.protocols[static_cast<int>(PeerKind::network)]);
    EXPECT_FALSE(peer.out.attached() || peer.in.attached());
    EXPECT_EQ(peer.peer_class, PeerClass::between_nodes);
  });
  int in = 0;
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  finish(sending, receiving);
  EXPECT_EQ(in, 1);
}

TEST_F(between_nodes, messages_of_all_lengths_arrive_posted_or_unexpected) {
  std::uint64_t kept = 0;
  for (std::int64_t bytes : {0, 8, 2048, 20000, 1 << 20})
    for (bool posted_first : {true, false}) {
      const auto out = pattern(bytes);
      std::vector<char> in(out.size());
      Request send, receive;
      if (posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      ranks.send(0, 1, out.data(), bytes, 1, send);
      if (!posted_first) {
        wait_for_unexpected(1, ++kept);
        ranks.receive(1, 0, in.data(), bytes, 1, receive);
      }
      finish(send, receive);
      EXPECT_EQ(in, out) << bytes;
    }
}

TEST_F(between_nodes, what_is_kept_of_unexpected_messages_is_counted_and_given_back) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  std::uint64_t unexpected = 0;
  for (std::int64_t bytes : {1000, 1 << 20}) {
    Request send, receive;
    ranks.send(0, 1, out.data() + 1, bytes - 1, 1, send);
    wait_for_unexpected(1, ++unexpected);
    const auto kept = [] { return peer_of(Process{0}).account.unexpected_bytes; };
    EXPECT_GE(ranks.as(1, kept), bytes == 1000 ? 999 : 0);
    ranks.receive(1, 0, in.data(), bytes, 1, receive);
    finish(send, receive);
    EXPECT_EQ(ranks.as(1, kept), 0);
  }
}

TEST_F(between_nodes, a_send_that_waits_for_its_receiver_can_be_cancelled) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  wait_for_unexpected(1, 1);
  EXPECT_FALSE(is_complete(sending));
  ranks.cancel(0, sending);
  finish(sending);
  EXPECT_TRUE(sending.cancelled);
  ranks.receive(1, 0, in.data(), 1 << 20, 1, receiving);
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  ranks.cancel(1, receiving);
  finish(receiving);
  EXPECT_TRUE(receiving.cancelled);
}

TEST_F(between_nodes, a_message_too_long_for_its_receive_says_so) {
  const auto out = pattern(1 << 20);
  for (std::int64_t bytes : {1000, 1 << 20}) {
    std::vector<char> in(out.size());
    Request send, receive;
    ranks.send(0, 1, out.data(), bytes, 1, send);
    ranks.receive(1, 0, in.data(), bytes / 2, 1, receive);
    finish(send, receive);
    EXPECT_EQ(receive.error, MPI_ERR_TRUNCATE);
    EXPECT_TRUE(std::equal(in.begin(), in.begin() + bytes / 2, out.begin()));
  }
}

TEST_F(between_nodes, a_peer_that_is_lost_fails_what_is_under_way) {
  communicator_view = {
      .process = [](const void*, std::int32_t rank) { return static_cast<Process>(rank); },
      .has = [](const void*, Process) { return true; }};
  const auto out = pattern(1 << 20);
  int in = 0;
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  ranks.receive(0, 1, &in, sizeof in, 1, receiving);
  wait_for_unexpected(1, 1);
  EXPECT_FALSE(is_complete(sending) || is_complete(receiving));
  ranks.as(0, [] {
    EXPECT_TRUE(note_loss(Process{1}, ECONNRESET));
    end_what_is_lost();
  });
  EXPECT_EQ(receiving.error, error_process_failed);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(sending.error, error_process_failed);
  Request later;
  ranks.send(0, 1, &in, sizeof in, 1, later);
  EXPECT_TRUE(is_complete(later));
  EXPECT_EQ(later.error, error_process_failed);
  communicator_view = {};
}

}  // namespace
}  // namespace baton::message
