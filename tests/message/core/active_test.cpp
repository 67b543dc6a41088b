// Active messages, over fake links.
#include "message/core/active.hpp"
#include "message/core/engine.hpp"
#include "message/core/queues.hpp"

#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// What a handler was called with.
struct Called {
  Process at, sender;
  std::int32_t word;
  std::vector<char> payload;
};
std::vector<Called> calls;

struct active : protocol {
  active() {
    calls.clear();
    handle_active(ActiveKind::test, [](const ActiveMessage& message) {
      auto* data = static_cast<const char*>(message.payload);
      calls.push_back({engine.self, message.sender, message.word, {data, data + message.bytes}});
    });
  }
  static void send(Ranks& ranks, std::uint32_t from, std::uint32_t to, int word,
                   const std::vector<char>& payload) {
    ranks.as(from, [&] {
      EXPECT_EQ(send_active(static_cast<Process>(to), ActiveKind::test, word, payload.data(),
                            payload.size()),
                MPI_SUCCESS);
    });
  }
};

TEST_F(active, messages_of_any_length_reach_their_handler_in_progress) {
  Ranks ranks(2);
  for (std::size_t bytes : {0, 8, 48, 49, 500, 4096})
    send(ranks, 0, 1, static_cast<int>(bytes), pattern(static_cast<std::int64_t>(bytes)));
  EXPECT_TRUE(calls.empty());
  ranks.settle();
  ASSERT_EQ(calls.size(), 6u);
  for (const Called& call : calls) {
    EXPECT_EQ(call.at, Process{1});
    EXPECT_EQ(call.sender, Process{0});
    EXPECT_EQ(call.payload, pattern(call.word));
  }
}

TEST_F(active, one_to_the_rank_itself_waits_for_its_progress) {
  Ranks ranks(2);
  send(ranks, 1, 1, 7, pattern(100));
  EXPECT_TRUE(calls.empty());
  ranks.step(1);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].sender, Process{1});
  EXPECT_EQ(calls[0].payload, pattern(100));
}

TEST_F(active, those_that_find_no_space_wait_and_keep_their_order_with_sends) {
  Ranks ranks(2);
  ranks.network.space = 1;
  int out = 5, in = 0;
  send(ranks, 0, 1, 0, pattern(60, 0));
  send(ranks, 0, 1, 1, pattern(60, 1));
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  send(ranks, 0, 1, 2, pattern(60, 2));
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  while (!is_complete(receiving)) {
    ranks.step(1);
    ranks.step(0);
  }
  ASSERT_EQ(calls.size(), 2u) << "sent before the message that was received";
  ranks.settle();
  ASSERT_EQ(calls.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)].payload, pattern(60, i));
}

TEST_F(active, a_handler_may_send_and_no_lock_is_held) {
  handle_active(ActiveKind::test, [](const ActiveMessage& message) {
    calls.push_back({engine.self, message.sender, message.word, {}});
    EXPECT_FALSE(queue_for(Ranks::context_id)->lock.is_held());
    EXPECT_FALSE(known_peer(message.sender)->send_lock.is_held());
    if (message.word > 0) {
      EXPECT_EQ(send_active(message.sender, ActiveKind::test, message.word - 1, nullptr, 0),
                MPI_SUCCESS);
    }
  });
  Ranks ranks(2);
  platform::threads_multiple = true;  // locks are taken
  send(ranks, 0, 1, 9, {});
  ranks.settle();
  platform::threads_multiple = false;
  EXPECT_EQ(calls.size(), 10u);
}

}  // namespace
}  // namespace baton::message
