// One message's path on layer 6, step by step over fake links: matching, rendezvous, cancelling,
// truncation, bounds.
#include "tests/message/ranks.hpp"

#include <numeric>
#include <vector>

namespace baton::message {
namespace {

TEST_F(protocol, a_message_meets_the_receive_that_was_posted_before_it) {
  Ranks ranks(2);
  int out = 42, in = 0;
  ranks.receive(1, 0, &in, sizeof in, 5, receiving);
  EXPECT_FALSE(is_complete(receiving));
  ranks.send(0, 1, &out, sizeof out, 5, sending);
  EXPECT_TRUE(is_complete(sending));
  ranks.settle();
  ASSERT_TRUE(is_complete(receiving));
  EXPECT_EQ(in, 42);
  EXPECT_EQ(receiving.source, 0);
  EXPECT_EQ(receiving.tag, 5);
  EXPECT_EQ(ranks.unexpected(1), 0u);
}

TEST_F(protocol, an_unexpected_message_is_kept_until_its_receive_comes) {
  Ranks ranks(2);
  int out = 42, in = 0;
  ranks.send(0, 1, &out, sizeof out, 5, sending);
  out = 0;  // the send is over
  ranks.settle();
  EXPECT_EQ(ranks.unexpected(1), 1u);
  ranks.receive(1, 0, &in, sizeof in, 5, receiving);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(in, 42);
}

TEST_F(protocol, messages_of_one_sender_are_matched_in_their_order_and_by_tag) {
  Ranks ranks(2);
  Request sends[4], receives[4];
  int out[4] = {10, 11, 12, 13}, in[4] = {};
  const int tags[4] = {1, 2, 1, 2};
  for (int i = 0; i < 4; ++i) ranks.send(0, 1, &out[i], sizeof(int), tags[i], sends[i]);
  ranks.settle();
  const int wanted[4] = {2, MPI_ANY_TAG, MPI_ANY_TAG, MPI_ANY_TAG};
  for (int i = 0; i < 4; ++i) ranks.receive(1, 0, &in[i], sizeof(int), wanted[i], receives[i]);
  EXPECT_EQ(in[0], 11);
  EXPECT_EQ(in[1], 10);
  EXPECT_EQ(in[2], 12);
  EXPECT_EQ(in[3], 13);
}

TEST_F(protocol, the_receive_that_was_posted_first_gets_the_message_any_source_or_not) {
  Ranks ranks(3);
  Request any, named, from_one, from_two;
  int in_any = 0, in_named = 0, one = 1, two = 2;
  ranks.receive(0, MPI_ANY_SOURCE, &in_any, sizeof(int), 3, any);
  ranks.receive(0, 1, &in_named, sizeof(int), 3, named);
  ranks.send(1, 0, &one, sizeof(int), 3, from_one);
  ranks.settle();
  EXPECT_TRUE(is_complete(any));
  EXPECT_FALSE(is_complete(named));
  EXPECT_EQ(any.source, 1);
  ranks.send(2, 0, &two, sizeof(int), 3, from_two);
  ranks.settle();
  EXPECT_FALSE(is_complete(named)) << "a message of another rank";
  ranks.send(1, 0, &two, sizeof(int), 3, sending);
  ranks.settle();
  EXPECT_TRUE(is_complete(named));
  EXPECT_EQ(in_named, 2);
}

TEST_F(protocol, of_unexpected_messages_an_any_source_receive_gets_the_one_that_came_first) {
  Ranks ranks(3);
  Request sends[4], receives[4];
  for (int i = 0; i < 4; ++i) {
    ranks.send(i % 2 ? 1 : 2, 0, &i, sizeof i, 3, sends[i]);
    ranks.settle();
  }
  for (int i = 0; i < 4; ++i) {
    int in = -1;
    ranks.receive(0, MPI_ANY_SOURCE, &in, sizeof in, 3, receives[i]);
    ASSERT_TRUE(is_complete(receives[i]));
    EXPECT_EQ(in, i);
  }
}

TEST_F(protocol, a_synchronous_send_ends_when_it_is_matched_and_not_before) {
  Ranks ranks(2);
  int out = 7, in = 0;
  ranks.send(0, 1, &out, sizeof out, 1, sending, true);
  ranks.settle();
  EXPECT_FALSE(is_complete(sending));
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  ranks.settle();
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(in, 7);
}

TEST_F(protocol, a_rendezvous_is_pulled_by_its_receiver_while_the_sender_does_nothing) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> in(long_bytes);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  ranks.receive(1, 0, in.data(), long_bytes, 1, receiving);
  while (ranks.step(1)) {
  }
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_EQ(in, out);
  EXPECT_FALSE(is_complete(sending)) << "it has not looked yet";
  ranks.settle();
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(ranks.messages(1, Way::cma), 1u);
}

TEST_F(protocol, a_send_that_nobody_has_matched_can_be_cancelled) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> in(long_bytes);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  ranks.settle();
  ranks.cancel(0, sending);
  EXPECT_TRUE(is_complete(sending) && sending.cancelled);
  ranks.receive(1, 0, in.data(), long_bytes, 1, receiving);
  ranks.settle();
  EXPECT_FALSE(is_complete(receiving)) << "it met a message that does not exist";
  Request again;
  ranks.send(0, 1, out.data(), long_bytes, 1, again);
  ranks.settle();
  EXPECT_TRUE(is_complete(receiving) && is_complete(again));
  EXPECT_EQ(in, out);
}

TEST_F(protocol, a_message_that_is_cancelled_on_its_way_leaves_the_receive_as_it_was) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> in(long_bytes);
  Request later;
  int small = 4;
  ranks.receive(1, 0, in.data(), long_bytes, 1, receiving);
  ranks.network.held = true;
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  ranks.cancel(0, sending);
  EXPECT_TRUE(sending.cancelled);
  ranks.network.held = false;
  ranks.settle();
  EXPECT_FALSE(is_complete(receiving));
  ranks.send(0, 1, &small, sizeof small, 1, later);
  ranks.settle();
  ASSERT_TRUE(is_complete(receiving));
  EXPECT_EQ(receiving.bytes, 4);
}

TEST_F(protocol, a_send_that_has_been_matched_cannot_be_cancelled) {
  settings.pipeline_early = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> in(long_bytes);
  ranks.receive(1, 0, in.data(), long_bytes, 1, receiving);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  while (ranks.step(1)) {
  }
  ranks.cancel(0, sending);
  EXPECT_FALSE(sending.cancelled);
  ranks.settle();
  EXPECT_TRUE(is_complete(sending));
  EXPECT_EQ(in, out);
}

TEST_F(protocol, a_cancelled_receive_leaves_the_message_for_the_next) {
  Ranks ranks(2);
  int out = 3, in = 0;
  Request next;
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  ranks.cancel(1, receiving);
  ranks.receive(1, 0, &in, sizeof in, 1, next);
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.settle();
  EXPECT_TRUE(receiving.cancelled);
  EXPECT_TRUE(is_complete(next));
  EXPECT_EQ(in, 3);
}

struct truncated : protocol, testing::WithParamInterface<std::int64_t> {};

TEST_P(truncated, a_message_too_long_for_its_receive_says_so_and_writes_no_further) {
  for (bool posted_first : {true, false}) {
    Ranks ranks(2);
    const std::int64_t bytes = GetParam(), space = bytes / 2;
    const auto out = pattern(bytes);
    std::vector<char> in(static_cast<std::size_t>(bytes));
    Request send, receive;
    if (posted_first) ranks.receive(1, 0, in.data(), space, 1, receive);
    ranks.send(0, 1, out.data(), bytes, 1, send);
    ranks.settle();
    if (!posted_first) ranks.receive(1, 0, in.data(), space, 1, receive);
    ranks.settle();
    ASSERT_TRUE(is_complete(send) && is_complete(receive));
    EXPECT_EQ(receive.error, MPI_ERR_TRUNCATE);
    EXPECT_EQ(receive.bytes, space);
    EXPECT_TRUE(std::equal(in.begin(), in.begin() + space, out.begin()));
    EXPECT_TRUE(std::all_of(in.begin() + space, in.end(), [](char byte) { return byte == 0; }));
  }
}
INSTANTIATE_TEST_SUITE_P(sizes, truncated, testing::Values(8, 1024, 65536, long_bytes));

TEST_F(protocol, sends_wait_in_their_order_while_there_is_no_space_and_none_is_lost) {
  Ranks ranks(2);
  ranks.network.space = 3;
  constexpr int count = 20;
  Request sends[count], receives[count];
  int out[count], in[count] = {};
  std::iota(out, out + count, 0);
  for (int i = 0; i < count; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
  EXPECT_TRUE(is_complete(sends[2]));
  EXPECT_FALSE(is_complete(sends[3]));
  ranks.cancel(0, sends[10]);
  EXPECT_TRUE(sends[10].cancelled) << "it has told nobody of itself";
  for (int i = 0; i < count - 1; ++i) ranks.receive(1, 0, &in[i], sizeof(int), 1, receives[i]);
  ranks.settle();
  for (int i = 0; i < count - 1; ++i) {
    ASSERT_TRUE(is_complete(receives[i]));
    EXPECT_EQ(in[i], i < 10 ? i : i + 1);
  }
}

TEST_F(protocol, a_send_does_not_overtake_those_that_wait_for_space) {
  Ranks ranks(2);
  ranks.network.space = 1;
  Request sends[3], receives[3];
  int out[3] = {0, 1, 2}, in[3] = {};
  ranks.send(0, 1, &out[0], sizeof(int), 1, sends[0]);
  ranks.send(0, 1, &out[1], sizeof(int), 1, sends[1]);
  ranks.step(1);  // there is space now, and the sender has not looked
  ranks.send(0, 1, &out[2], sizeof(int), 1, sends[2]);
  for (int i = 0; i < 3; ++i) ranks.receive(1, 0, &in[i], sizeof(int), 1, receives[i]);
  ranks.settle();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(in[i], i);
}

TEST_F(protocol, beyond_the_bound_of_unexpected_bytes_only_envelopes_are_taken_in) {
  settings.unexpected_bytes_max = 4096;
  Ranks ranks(2);
  constexpr int count = 16;
  Request sends[count], receives[count];
  const auto out = pattern(1024);
  std::vector<char> in(1024);
  for (Request& send : sends) {
    ranks.send(0, 1, out.data(), 1024, 1, send);
    ranks.settle();
  }
  EXPECT_TRUE(is_complete(sends[0]));
  EXPECT_FALSE(is_complete(sends[count - 1])) << "its bytes stay with the sender";
  for (Request& receive : receives) {
    std::fill(in.begin(), in.end(), 0);
    ranks.receive(1, 0, in.data(), 1024, 1, receive);
    ranks.settle();
    ASSERT_TRUE(is_complete(receive));
    EXPECT_EQ(in, out);
  }
  for (Request& send : sends) EXPECT_TRUE(is_complete(send));
}

}  // namespace
}  // namespace baton::message
