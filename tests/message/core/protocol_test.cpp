// A protocol that the core does not know carries what MPI promises, beside others in one engine.
#include "message/core/protocol.hpp"
#include "message/core/engine.hpp"
#include "message/core/sleep.hpp"
#include "tests/message/socket_protocol.hpp"

#include <set>

#include "message/core/active.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

std::set<std::pair<Process, Process>> by_socket;

// Rank 0 reaches rank 1 by a socket; rank 2, where there is one, is of the same node as both.
struct sockets : protocol {
  void connect(Ranks& ranks) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    by_socket = {{Process{0}, Process{1}}, {Process{1}, Process{0}}};
    for (std::uint32_t rank : {0u, 1u})
      ranks.as(rank, [&] {
        const std::map<Process, int> one{{static_cast<Process>(1 - rank), ends[rank]}};
        engine.protocols[static_cast<int>(PeerKind::test)] = new SocketProtocol(one);
        engine.kind_of = [](Process process) {
          return by_socket.contains({engine.self, process}) ? PeerKind::test
                 : process == engine.self                   ? PeerKind::self
                                                            : PeerKind::node;
        };
      });
  }
};

TEST_F(sockets, messages_of_all_lengths_arrive_posted_or_unexpected) {
  for (bool posted_first : {true, false}) {
    Ranks ranks(2);
    connect(ranks);
    for (std::int64_t bytes : {0, 8, 512, 513, 100000}) {
      const auto out = pattern(bytes);
      std::vector<char> in(out.size());
      Request send, receive;
      if (posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      ranks.send(0, 1, out.data(), bytes, 1, send);
      ranks.settle();
      EXPECT_EQ(is_complete(send), posted_first || bytes <= 512) << bytes;
      if (!posted_first) ranks.receive(1, 0, in.data(), bytes, 1, receive);
      ranks.settle();
      ASSERT_TRUE(is_complete(send) && is_complete(receive)) << bytes;
      EXPECT_EQ(in, out);
      EXPECT_EQ(receive.bytes, bytes);
    }
  }
}

TEST_F(sockets, keep_the_order_of_messages_long_and_short) {
  Ranks ranks(2);
  connect(ranks);
  constexpr int count = 40;
  Request sends[count], receives[count];
  std::vector<std::vector<char>> out, in;
  for (int i = 0; i < count; ++i) {
    out.push_back(pattern(i % 3 ? 64 : 5000, i));
    in.emplace_back(5000);
    ranks.send(0, 1, out.back().data(), static_cast<std::int64_t>(out.back().size()), 1, sends[i]);
  }
  for (int i = 0; i < count; ++i) ranks.receive(1, 0, in[i].data(), 5000, 1, receives[i]);
  ranks.settle();
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(is_complete(sends[i]) && is_complete(receives[i])) << i;
    EXPECT_TRUE(std::equal(out[i].begin(), out[i].end(), in[i].begin())) << i;
  }
}

TEST_F(sockets, a_message_too_long_for_its_receive_is_cut_and_says_so) {
  for (std::int64_t bytes : {100, 10000}) {
    Ranks ranks(2);
    connect(ranks);
    const auto out = pattern(bytes);
    std::vector<char> in(out.size());
    Request send, receive;
    ranks.send(0, 1, out.data(), bytes, 1, send);
    ranks.receive(1, 0, in.data(), bytes / 2, 1, receive);
    ranks.settle();
    ASSERT_TRUE(is_complete(send) && is_complete(receive));
    EXPECT_EQ(receive.error, MPI_ERR_TRUNCATE);
    EXPECT_TRUE(std::all_of(in.begin() + bytes / 2, in.end(), [](char one) { return one == 0; }));
  }
}

TEST_F(sockets, a_synchronous_send_ends_with_its_match) {
  Ranks ranks(2);
  connect(ranks);
  int out = 7, in = 0;
  ranks.send(0, 1, &out, sizeof out, 1, sending, true);
  ranks.settle();
  EXPECT_FALSE(is_complete(sending));
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  ranks.settle();
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(in, 7);
}

TEST_F(sockets, a_send_can_be_cancelled_until_it_is_matched) {
  Ranks ranks(2);
  connect(ranks);
  const auto out = pattern(5000);
  std::vector<char> in(out.size());
  ranks.send(0, 1, out.data(), 5000, 1, sending);
  ranks.settle();
  ranks.cancel(0, sending);
  ranks.settle();
  EXPECT_TRUE(is_complete(sending) && sending.cancelled);
  ranks.receive(1, 0, in.data(), 5000, 1, receiving);
  ranks.settle();
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  Request again;
  ranks.send(0, 1, out.data(), 5000, 1, again);
  ranks.cancel(0, again);
  ranks.settle();
  EXPECT_TRUE(is_complete(again) && is_complete(receiving));
  EXPECT_FALSE(again.cancelled) << "it was matched";
  EXPECT_EQ(in, out);
}

TEST_F(sockets, active_messages_and_messages_to_oneself_go_beside) {
  static std::vector<std::pair<Process, std::int32_t>> calls;
  calls.clear();
  handle_active(ActiveKind::test, [](const ActiveMessage& message) {
    calls.emplace_back(message.sender, message.word);
  });
  Ranks ranks(2);
  connect(ranks);
  const auto data = pattern(4096);
  ranks.as(0, [&] {
    EXPECT_EQ(send_active(Process{1}, ActiveKind::test, 5, data.data(), data.size()), MPI_SUCCESS);
    EXPECT_EQ(send_active(Process{0}, ActiveKind::test, 6, nullptr, 0), MPI_SUCCESS);
  });
  int out = 3, in = 0;
  ranks.receive(0, 0, &in, sizeof in, 1, receiving);
  ranks.send(0, 0, &out, sizeof out, 1, sending);
  ranks.settle();
  EXPECT_EQ(in, 3);
  EXPECT_EQ(calls.size(), 2u);
}

TEST_F(sockets, a_receive_from_any_source_gets_messages_of_all_protocols_in_their_order) {
  Ranks ranks(3);
  connect(ranks);
  Request sends[6], receives[6];
  for (int i = 0; i < 6; ++i) {
    ranks.send(i % 2 ? 0 : 2, 1, &i, sizeof i, 3, sends[i]);
    ranks.settle();
  }
  for (int i = 0; i < 6; ++i) {
    int in = -1;
    ranks.receive(1, MPI_ANY_SOURCE, &in, sizeof in, 3, receives[i]);
    ASSERT_TRUE(is_complete(receives[i]));
    EXPECT_EQ(in, i);
    EXPECT_EQ(receives[i].source, i % 2 ? 0 : 2);
  }
}

TEST_F(sockets, whoever_waits_sleeps_on_the_sockets_too) {
  Ranks ranks(2);
  connect(ranks);
  int out = 1;
  ranks.receive(1, 0, &out, sizeof out, 1, receiving);
  ranks.send(1, 0, &out, sizeof out, 1, sending);  // they meet
  ranks.as(1, [] {
    SleepPlan plan(1000000);
    engine.sources.each([&plan](ProgressSource& source) { source.plan_sleep(plan); });
    EXPECT_EQ(plan.count, 1);
    EXPECT_FALSE(all_have_left() && waits_for_space());
  });
}

}  // namespace
}  // namespace baton::message
