// Two processes of different nodes in one process, step by step: their messages go over libfabric
// with the provider of tests/network/fake_provider, which ends whoever breaks its rules.
#include "message/network/network_protocol.hpp"
#include "message/core/engine.hpp"

#include <cerrno>

#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct between_nodes : protocol {
  Ranks ranks{2, Ranks::Nodes::each};
  // The provider may need some looks for what is on its way.
  void settle() {
    for (int look = 0; look < 200; ++look) ranks.settle();
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
  settle();
}

TEST_F(between_nodes, messages_of_all_lengths_arrive_posted_or_unexpected) {
  for (std::int64_t bytes : {0, 8, 2048, 20000, 1 << 20})
    for (bool posted_first : {true, false}) {
      const auto out = pattern(bytes);
      std::vector<char> in(out.size());
      Request send, receive;
      if (posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      ranks.send(0, 1, out.data(), bytes, 1, send);
      settle();
      if (!posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      settle();
      ASSERT_TRUE(is_complete(send) && is_complete(receive)) << bytes;
      EXPECT_EQ(in, out) << bytes;
    }
}

TEST_F(between_nodes, what_is_kept_of_unexpected_messages_is_counted_and_given_back) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  for (std::int64_t bytes : {1000, 1 << 20}) {
    Request send, receive;
    ranks.send(0, 1, out.data() + 1, bytes - 1, 1, send);
    settle();
    const auto kept = [] { return peer_of(Process{0}).account.unexpected_bytes; };
    EXPECT_GE(ranks.as(1, kept), bytes == 1000 ? 999 : 0);
    ranks.receive(1, 0, in.data(), bytes, 1, receive);
    settle();
    ASSERT_TRUE(is_complete(receive));
    EXPECT_EQ(ranks.as(1, kept), 0);
  }
}

TEST_F(between_nodes, a_send_that_waits_for_its_receiver_can_be_cancelled) {
  const auto out = pattern(1 << 20);
  std::vector<char> in(out.size());
  ranks.send(0, 1, out.data(), 1 << 20, 1, sending);
  settle();
  EXPECT_FALSE(is_complete(sending));
  ranks.cancel(0, sending);
  settle();
  ASSERT_TRUE(is_complete(sending));
  EXPECT_TRUE(sending.cancelled);
  ranks.receive(1, 0, in.data(), 1 << 20, 1, receiving);
  settle();
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  ranks.cancel(1, receiving);
  settle();
  EXPECT_TRUE(is_complete(receiving) && receiving.cancelled);
}

TEST_F(between_nodes, a_message_too_long_for_its_receive_says_so) {
  const auto out = pattern(1 << 20);
  for (std::int64_t bytes : {1000, 1 << 20}) {
    std::vector<char> in(out.size());
    Request send, receive;
    ranks.send(0, 1, out.data(), bytes, 1, send);
    ranks.receive(1, 0, in.data(), bytes / 2, 1, receive);
    settle();
    ASSERT_TRUE(is_complete(send) && is_complete(receive));
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
  settle();
  EXPECT_FALSE(is_complete(sending) || is_complete(receiving));
  ranks.as(0, [] {
    EXPECT_TRUE(note_loss(Process{1}, ECONNRESET));
    end_what_is_lost();
  });
  EXPECT_EQ(receiving.error, MPI_ERR_OTHER);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(sending.error, MPI_ERR_OTHER);
  Request later;
  ranks.send(0, 1, &in, sizeof in, 1, later);
  EXPECT_TRUE(is_complete(later));
  EXPECT_EQ(later.error, MPI_ERR_OTHER);
  communicator_view = {};
}

}  // namespace
}  // namespace baton::message
