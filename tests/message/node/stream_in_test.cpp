// Messages that go through staging in segments, or all of them, step by step over fake links.
#include "message/node/stream_in.hpp"

#include <cerrno>
#include <optional>

#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/rendezvous_entries.hpp"
#include "tests/message/other_thread.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct streamed : protocol, testing::WithParamInterface<std::int64_t> {};

TEST_P(streamed, where_nobody_may_copy_directly) {
  settings.cma = 0;
  settings.eager_bytes_max = 1024;
  Ranks ranks(2);
  const auto out = pattern(GetParam());
  std::vector<char> in(out.size());
  ranks.receive(1, 0, in.data(), GetParam(), 1, receiving);
  ranks.send(0, 1, out.data(), GetParam(), 1, sending);
  ranks.settle();
  ASSERT_TRUE(is_complete(sending) && is_complete(receiving));
  EXPECT_EQ(in, out);
  EXPECT_EQ(ranks.messages(1, Way::pipelined), 1u);
}
TEST_P(streamed, and_unexpected) {
  settings.cma = 0;
  settings.eager_bytes_max = 1024;
  Ranks ranks(2);
  const auto out = pattern(GetParam());
  std::vector<char> in(out.size());
  ranks.send(0, 1, out.data(), GetParam(), 1, sending);
  ranks.settle();
  EXPECT_EQ(ranks.unexpected(1), 1u);
  ranks.receive(1, 0, in.data(), GetParam(), 1, receiving);
  ranks.settle();
  ASSERT_TRUE(is_complete(sending) && is_complete(receiving));
  EXPECT_EQ(in, out);
}
INSTANTIATE_TEST_SUITE_P(sizes, streamed,
                         testing::Values(1025, 4096, 65536, 65537, 262144, 262145, long_bytes));

TEST_F(protocol, many_streams_go_round_in_the_same_staging) {
  settings.cma = 0;
  Ranks ranks(2);
  std::vector<char> in(600000);
  for (int i = 0; i < 100; ++i) {
    const std::int64_t bytes = 60000 + 5003 * i;
    const auto out = pattern(bytes, i);
    Request send, receive;
    if (i % 2) ranks.receive(1, 0, in.data(), bytes, 1, receive);
    ranks.send(0, 1, out.data(), bytes, 1, send);
    if (i % 3 == 0) ranks.settle();
    if (i % 2 == 0) ranks.receive(1, 0, in.data(), bytes, 1, receive);
    ranks.settle();
    ASSERT_TRUE(is_complete(send) && is_complete(receive)) << i;
    ASSERT_TRUE(std::equal(out.begin(), out.end(), in.begin())) << i;
  }
}

TEST_F(protocol, a_stream_that_its_receiver_has_not_emptied_is_not_overwritten_by_the_next) {
  settings.cma = 0;
  settings.ownership_transfer = 0;  // in the same staging buffer
  Ranks ranks(2);
  constexpr std::int64_t bytes = 500000;
  for (int i = 0; i < 20; ++i) {
    const auto first = pattern(bytes, i), second = pattern(60000, i + 1);
    std::vector<char> in(bytes), next(60000);
    Request send, receive, sent_next, received_next;
    ranks.receive(1, 0, in.data(), bytes, 1, receive);
    ranks.send(0, 1, first.data(), bytes, 1, send);
    while (!is_complete(send)) {
      ranks.step(1);
      ranks.step(0);
    }
    ranks.send(0, 1, second.data(), 60000, 1, sent_next);
    ranks.receive(1, 0, next.data(), 60000, 1, received_next);
    ranks.settle();
    ASSERT_TRUE(is_complete(receive) && is_complete(received_next));
    ASSERT_EQ(in, first) << i;
    ASSERT_EQ(next, second) << i;
  }
}

TEST_F(protocol, two_ranks_that_stream_to_each_other_both_end) {
  settings.cma = 0;
  Ranks ranks(2);
  Request sends[2], receives[2];
  const auto out = pattern(long_bytes);
  std::vector<char> in[2];
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    in[rank].resize(long_bytes);
    ranks.send(rank, 1 - rank, out.data(), long_bytes, 1, sends[rank]);
  }
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    ranks.receive(rank, static_cast<int>(1 - rank), in[rank].data(), long_bytes, 1, receives[rank]);
  ranks.settle();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(is_complete(sends[rank]) && is_complete(receives[rank]));
    EXPECT_EQ(in[rank], out);
  }
}

// Rank 1 has looked for lines and goes on to its streams. Meanwhile rank 0 serves the stream, and
// rank 2 claims the next message of its slot.
TEST_F(protocol, a_receiver_does_not_take_back_the_next_message_of_a_slot) {
  settings.ownership_transfer = 0;
  constexpr std::int64_t bytes = 60000;
  Ranks ranks(3);
  const auto out = pattern(bytes, 1), following = pattern(bytes, 2);
  std::vector<char> in(bytes), in_next(bytes);
  // The first one that finds the lease full waits for its receiver to ask.
  std::vector<Request> sends, receives;
  sends.reserve(100);
  do ranks.send(0, 1, out.data(), bytes, 1, sends.emplace_back());
  while (is_complete(sends.back()) && sends.size() < sends.capacity());
  Request& send = sends.back();
  while (!is_complete(send) && send.stage != Stage::offered) ranks.step(0);
  ASSERT_EQ(send.stage, Stage::offered);
  receives.resize(sends.size());
  for (Request& receive : receives) ranks.receive(1, 0, in.data(), bytes, 1, receive);
  while (receives.back().stage != Stage::streaming) ranks.step(1);
  std::fill(in.begin(), in.end(), 0);
  const std::uint32_t slot = node_part(send).slot;
  while (!is_complete(send)) ranks.step(0);

  Request next, receive_next;
  settings.pipeline_early = 0;
  ranks.send(0, 2, following.data(), bytes, 1, next);
  ASSERT_EQ(node_part(next).slot, slot);
  while (ranks.step(2)) {
  }
  ranks.as(2, [&] {
    UnexpectedMessage* message = take_unexpected(*queue_for(Ranks::context_id), 0, 1);
    ASSERT_NE(message, nullptr);
    ASSERT_TRUE(claim_entry(*message));
    ranks.as(1, [] {
      engine.about_to_sleep = true;
      advance_streams_in(node());
      engine.about_to_sleep = false;
    });
    receive_unexpected(*message, in_next.data(), bytes, Ranks::byte(), receive_next);
  });
  ranks.settle();
  EXPECT_TRUE(is_complete(receives.back()) && is_complete(next) && is_complete(receive_next));
  EXPECT_EQ(in, out);
  EXPECT_EQ(in_next, following);
}

// Rank 1 receives what rank 0 has sent before it died.
struct streams_of_the_lost : protocol {
  static constexpr std::int64_t bytes = 100000;
  streams_of_the_lost() {
    settings.cma = settings.pipeline_early = 0;
    communicator_view.process = [](const void*, std::int32_t rank) {
      return static_cast<Process>(rank);
    };
    ranks.send(0, 1, out.data(), bytes, 1, sending);
    ranks.settle();
  }
  ~streams_of_the_lost() override { communicator_view = {}; }
  void receive() { ranks.receive(1, 0, in.data(), bytes, 1, receiving); }
  static void lose_first() {
    EXPECT_TRUE(note_loss(Process{0}, ESRCH));
    end_what_is_lost();
  }
  // Rank 1 looks again, and the memory of a receive that is over is another's by then.
  void expect_one_end() {
    const bool is_over = is_complete(receiving);
    if (is_over) receiving = Request{};
    ranks.step(1);
    EXPECT_NE(is_complete(receiving), is_over);
  }
  std::vector<char> out = pattern(bytes), in = std::vector<char>(bytes);
  Ranks ranks{3};
};

TEST_F(streams_of_the_lost, end_once_where_there_was_no_space_to_ask_for_them) {
  ranks.network.space = 0;
  receive();
  ranks.step(1);
  ranks.as(1, lose_first);
  expect_one_end();
}

TEST_F(streams_of_the_lost, end_once_where_another_thread_is_about_to_ask_for_them) {
  const Threads several;
  std::optional<OtherThread> makes_progress;
  ranks.network.space = 0;
  ranks.network.at_put = [&] { makes_progress.emplace(lose_first); };
  ranks.as(1, [&] {
    begin_receive(ranks.context(1), in.data(), bytes, Ranks::byte(), 0, 1, receiving);
    makes_progress->join();
  });
  expect_one_end();
}

TEST_F(streams_of_the_lost, are_looked_for_while_no_other_thread_opens_one) {
  receive();
  ASSERT_EQ(receiving.stage, Stage::streaming);
  const Threads several;
  ranks.as(1, [&] {
    ASSERT_NE(contact(Process{2}), nullptr);
    ASSERT_TRUE(note_loss(Process{2}, ESRCH));
    node().incoming.lock.lock();
    OtherThread makes_progress(end_what_is_lost);
    EXPECT_FALSE(makes_progress.is_over());
    node().incoming.lock.unlock();
    makes_progress.join();
  });
  ranks.settle();
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(in, out);
}

}  // namespace
}  // namespace baton::message
