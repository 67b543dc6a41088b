// Messages that go through staging in segments, or all of them, step by step over fake links.
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

}  // namespace
}  // namespace baton::message
