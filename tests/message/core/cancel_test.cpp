// Cancelling: what is taken back, and what goes on.
#include <vector>

#include "message/core/engine.hpp"
#include "message/core/requests.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct cancelling : protocol {
  // Rank 1 has no space for lines of rank 0, but for one.
  static void fill(Ranks& ranks, Request& send) {
    ranks.network.space = 1;
    static const int none = 0;
    ranks.send(0, 1, &none, sizeof none, 99, send);
  }
  int in[4] = {-1, -1, -1, -1};
};

TEST_F(cancelling, a_cancelled_send_leaves_those_beside_it_in_the_queue_as_they_were) {
  for (int cancelled : {0, 1, 2}) {
    Ranks ranks(2);
    Request first, sends[4], receives[3];
    fill(ranks, first);
    int out[4] = {0, 1, 2, 3};
    for (int i = 0; i < 3; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
    ranks.cancel(0, sends[cancelled]);
    EXPECT_TRUE(is_complete(sends[cancelled]) && sends[cancelled].cancelled);
    EXPECT_EQ(sends[cancelled].bytes, 0);
    ranks.send(0, 1, &out[3], sizeof(int), 1, sends[3]);  // behind the last
    ranks.as(0, [] { EXPECT_EQ(engine.queued_count, 3u); });
    for (int i = 0; i < 3; ++i) ranks.receive(1, 0, &in[i], sizeof(int), 1, receives[i]);
    ranks.settle();
    int expected = 0;
    for (int i = 0; i < 3; ++i, ++expected) {
      expected += expected == cancelled;
      EXPECT_TRUE(is_complete(receives[i]));
      EXPECT_EQ(in[i], expected);
    }
    ranks.as(0, [] { EXPECT_EQ(engine.queued_count, 0u); });
  }
}

TEST_F(cancelling, a_send_whose_beginning_has_left_goes_on) {
  for (const bool synchronous : {false, true}) {
    Ranks ranks(2);
    Request first, send, receive;
    fill(ranks, first);
    int out = 5;
    ranks.send(0, 1, &out, sizeof out, 1, send, synchronous);
    send.position = 1;
    ranks.cancel(0, send);
    EXPECT_FALSE(is_complete(send));
    EXPECT_EQ(send.cancelled, synchronous) << "only its match may still be prevented";
    send.position = 0;
    send.cancelled = false;
    ranks.receive(1, 0, &in[0], sizeof(int), 1, receive);
    ranks.settle();
    EXPECT_TRUE(is_complete(send) && is_complete(receive));
    EXPECT_EQ(in[0], 5);
  }
}

TEST_F(cancelling, a_send_that_has_entered_the_lane_counts_as_sent) {
  Ranks ranks(2);
  int out = 5;
  ranks.network.held = true;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.cancel(0, sending);
  EXPECT_FALSE(sending.cancelled);
  ranks.network.held = false;
  ranks.receive(1, 0, &in[0], sizeof(int), 1, receiving);
  ranks.settle();
  EXPECT_EQ(in[0], 5);
}

TEST_F(cancelling, a_receive_that_has_its_message_keeps_it) {
  Ranks ranks(2);
  int out = 5;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.settle();
  ranks.receive(1, 0, &in[0], sizeof(int), 1, receiving);
  ranks.cancel(1, receiving);
  EXPECT_TRUE(is_complete(receiving));
  EXPECT_FALSE(receiving.cancelled);
  EXPECT_EQ(receiving.bytes, 4);
  EXPECT_EQ(in[0], 5);
}

TEST_F(cancelling, a_receive_that_has_been_matched_and_waits_for_its_data_goes_on) {
  settings.cma = 0;
  Ranks ranks(2);
  const auto out = pattern(long_bytes);
  std::vector<char> long_in(long_bytes);
  ranks.receive(1, 0, long_in.data(), long_bytes, 1, receiving);
  ranks.send(0, 1, out.data(), long_bytes, 1, sending);
  for (int i = 0; i < 3; ++i) ranks.step(1);
  ASSERT_FALSE(is_complete(receiving));
  ranks.cancel(1, receiving);
  EXPECT_FALSE(receiving.cancelled);
  ranks.settle();
  EXPECT_TRUE(is_complete(receiving) && is_complete(sending));
  EXPECT_EQ(long_in, out);
}

TEST_F(cancelling, an_any_source_receive_leaves_the_message_for_the_next) {
  Ranks ranks(2);
  Request before, after;
  int out[2] = {6, 7};
  ranks.receive(1, MPI_ANY_SOURCE, &in[0], sizeof(int), 1, before);
  ranks.receive(1, MPI_ANY_SOURCE, &in[1], sizeof(int), 1, receiving);
  ranks.receive(1, MPI_ANY_SOURCE, &in[2], sizeof(int), 1, after);
  ranks.cancel(1, receiving);
  EXPECT_TRUE(is_complete(receiving) && receiving.cancelled);
  EXPECT_EQ(receiving.bytes, 0);
  Request sends[2];
  for (int i = 0; i < 2; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
  ranks.settle();
  EXPECT_EQ(in[0], 6);
  EXPECT_EQ(in[1], -1);
  EXPECT_EQ(in[2], 7);
}

TEST_F(cancelling, what_is_neither_a_send_nor_a_receive_goes_on) {
  Ranks ranks(1);
  for (const RequestKind kind : {RequestKind::schedule, RequestKind::generalized}) {
    Request request;
    request.kind = kind;
    request.stage = Stage::queued;
    ranks.cancel(0, request);
    EXPECT_FALSE(is_complete(request) || request.cancelled);
  }
}

}  // namespace
}  // namespace baton::message
