// The queue of what waits for space on the way to a peer.
#include "message/core/active.hpp"
#include "message/core/engine.hpp"
#include "base/failure_class.hpp"
#include "message/core/loss.hpp"
#include "message/core/protocol.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

int handled;

struct queued : protocol {
  static constexpr int count = 5;
  queued() {
    handled = 0;
    handle_active(ActiveKind::test, [](const ActiveMessage&) { ++handled; });
  }
  void send_all(Ranks& ranks) {
    for (int i = 0; i < count; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
  }
  void receive_all(Ranks& ranks) {
    for (int i = 0; i < count; ++i) ranks.receive(1, 0, &in[i], sizeof(int), 1, receives[i]);
  }
  static std::uint32_t waiting(Ranks& ranks) {
    return ranks.as(0, [] { return engine.queued_count; });
  }
  int out[count] = {10, 11, 12, 13, 14}, in[count] = {};
  Request sends[count], receives[count];
};

TEST_F(queued, requests_leave_in_their_order_as_space_comes_and_are_counted_meanwhile) {
  Ranks ranks(2);
  ranks.network.space = 2;
  send_all(ranks);
  EXPECT_EQ(waiting(ranks), 3u);
  EXPECT_EQ(sends[2].stage, Stage::queued);
  ranks.as(0, [] { EXPECT_FALSE(all_have_left()); });
  receive_all(ranks);
  ranks.step(1);
  EXPECT_TRUE(is_complete(receives[1]));
  EXPECT_FALSE(is_complete(receives[2]));
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(waiting(ranks), 1u) << "there was space for two";
  EXPECT_TRUE(is_complete(sends[3]));
  EXPECT_FALSE(is_complete(sends[4]));
  EXPECT_FALSE(ranks.step(0)) << "there is no space";
  ranks.settle();
  for (int i = 0; i < count; ++i) EXPECT_EQ(in[i], out[i]);
  EXPECT_EQ(waiting(ranks), 0u);
  ranks.as(0, [] {
    EXPECT_TRUE(all_have_left());
    EXPECT_EQ(engine.counters.ring_full, 3u);
  });
}

TEST_F(queued, what_is_sent_when_the_queue_was_emptied_stands_behind_nothing) {
  Ranks ranks(2);
  ranks.network.space = 1;
  for (int i = 0; i < 2; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
  EXPECT_EQ(waiting(ranks), 1u);
  ranks.step(1);
  ranks.step(0);  // the queue is empty
  ranks.network.space = 1000;
  for (int i = 2; i < count; ++i) ranks.send(0, 1, &out[i], sizeof(int), 1, sends[i]);
  EXPECT_EQ(waiting(ranks), 0u);
  receive_all(ranks);
  ranks.settle();
  for (int i = 0; i < count; ++i) EXPECT_EQ(in[i], out[i]);
}

TEST_F(queued, what_finds_no_space_again_keeps_its_place_before_later_ones) {
  Ranks ranks(2);
  ranks.network.space = 1;
  send_all(ranks);
  EXPECT_FALSE(ranks.step(0));
  EXPECT_FALSE(ranks.step(0));
  EXPECT_EQ(waiting(ranks), 4u);
  Request later;
  int last = 15, last_in = 0;
  ranks.send(0, 1, &last, sizeof last, 1, later);
  receive_all(ranks);
  ranks.receive(1, 0, &last_in, sizeof last_in, 1, receiving);
  ranks.settle();
  for (int i = 0; i < count; ++i) EXPECT_EQ(in[i], out[i]);
  EXPECT_EQ(last_in, 15);
}

TEST_F(queued, one_peer_without_space_does_not_hold_up_another) {
  Ranks ranks(3);
  ranks.network.space = 1;
  send_all(ranks);
  int other_in = 0;
  ranks.send(0, 2, &out[0], sizeof(int), 1, sending);
  EXPECT_TRUE(is_complete(sending));
  ranks.receive(2, 0, &other_in, sizeof(int), 1, receiving);
  ranks.step(2);
  EXPECT_EQ(other_in, 10);
  EXPECT_EQ(waiting(ranks), 4u);
}

TEST_F(queued, what_waits_for_a_lost_peer_fails_and_nothing_of_it_is_put) {
  Ranks ranks(3);
  ranks.network.space = 1;
  send_all(ranks);
  ranks.as(0, [] {
    EXPECT_EQ(send_active(Process{1}, ActiveKind::test, 0, nullptr, 0), MPI_SUCCESS);
    EXPECT_EQ(engine.queued_count, 5u);
    EXPECT_TRUE(note_loss(Process{1}, ECONNRESET));
  });
  EXPECT_TRUE(ranks.step(0));
  EXPECT_EQ(waiting(ranks), 0u);
  EXPECT_EQ(sends[0].error, MPI_SUCCESS) << "it had left";
  for (int i = 1; i < count; ++i) {
    EXPECT_TRUE(is_complete(sends[i]));
    EXPECT_EQ(sends[i].error, error_process_failed);
  }
  ranks.network.space = 1000;
  Request later;
  ranks.send(0, 1, &out[0], sizeof(int), 1, later);
  EXPECT_TRUE(is_complete(later));
  EXPECT_EQ(later.error, error_process_failed);
  EXPECT_EQ(ranks.network.to[1].size(), 1u);
  ranks.settle();
  EXPECT_EQ(handled, 0);
  ranks.send(0, 2, &out[0], sizeof(int), 1, sending);
  EXPECT_EQ(sending.error, MPI_SUCCESS);
}

}  // namespace
}  // namespace baton::message
