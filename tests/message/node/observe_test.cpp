// What a receiver observes, and what its sender makes of it: over a link.
#include "message/node/observe.hpp"

#include <gtest/gtest.h>

#include "base/settings.hpp"
#include "message/node/node_peer.hpp"
#include "tests/message/fake_link.hpp"

namespace baton::message {
namespace {

constexpr std::int64_t bytes = 65536;

// A receiver's view of its sender and the sender's of its receiver.
struct observe_test : testing::Test {
  observe_test() {
    receiver.link = &from_receiver;
    sender.link = &from_sender;
    receiver.history = &of_receiver;
    sender.history = &of_sender;
    receiver.timings = &seen_of_receiver;
    sender.timings = &seen_of_sender;
  }
  FakeNetwork network;
  FakeLink from_sender{network, Process{0}, Process{1}},
      from_receiver{network, Process{1}, Process{0}};
  NodePeer sender, receiver;
  History of_sender, of_receiver;
  Timings seen_of_sender, seen_of_receiver;
};
using observing = observe_test;

TEST_F(observing, unseen_messages_are_staged_and_some_are_offered_soon_to_see) {
  EXPECT_FALSE(should_offer(sender, bytes, false));
  int offered = 0;
  for (int i = 0; i < 10; ++i) offered += should_offer(sender, bytes, false);
  EXPECT_EQ(offered, 4);
}

TEST_F(observing, at_most_one_message_in_two_hundred_tries_the_other_way) {
  int offered = 0;
  for (int i = 0; i < 1000; ++i) (void)should_offer(sender, bytes, false);
  for (int i = 0; i < 10000; ++i) offered += should_offer(sender, bytes, false);
  EXPECT_GT(offered, 20);
  EXPECT_LE(offered, 50);
}

TEST_F(observing, the_sender_follows_the_receivers_wish_and_its_change) {
  observe(receiver, bytes, false, Taken::pipelined, 7000);
  observe(receiver, bytes, false, Taken::pulled, 3000);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  // The data is freshly written from now on: pulling takes longer.
  for (int i = 0; i < 8; ++i) observe(receiver, bytes, false, Taken::pulled, 13000);
  EXPECT_FALSE(should_offer(sender, bytes, false));
  EXPECT_EQ(receiver.past().traffic.observed[size_class(bytes)], Observation::cold);
}

TEST_F(observing, one_time_out_of_all_proportion_changes_nothing) {
  observe(receiver, bytes, false, Taken::pipelined, 7000);
  observe(receiver, bytes, false, Taken::pulled, 3000);
  observe(receiver, bytes, false, Taken::pulled, 3000000);
  EXPECT_TRUE(should_offer(sender, bytes, false));
}

TEST_F(observing, where_the_setting_says_so_unseen_messages_are_pulled_until_seen_otherwise) {
  settings.unseen_pull_bytes_min = 65536;
  EXPECT_TRUE(should_offer(sender, bytes, false));
  EXPECT_FALSE(should_offer(sender, bytes / 4, false));
  observe(receiver, bytes, false, Taken::pulled, 9000);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  observe(receiver, bytes, false, Taken::pipelined, 3000);
  EXPECT_FALSE(should_offer(sender, bytes, false));
  settings = Settings{};
}

TEST_F(observing, sizes_are_seen_apart) {
  observe(receiver, bytes, false, Taken::pipelined, 7000);
  observe(receiver, bytes, false, Taken::pulled, 3000);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  EXPECT_FALSE(should_offer(sender, 4 * bytes, false));
}

TEST_F(observing, long_messages_try_the_other_way_one_at_a_time) {
  constexpr std::int64_t long_bytes = 16 << 20;
  settings.unseen_pull_bytes_min = std::int64_t{1} << 40;
  int offered = 0, in_a_row = 0;
  for (int i = 0; i < 12; ++i) {
    const bool now = should_offer(sender, long_bytes, false);
    in_a_row = now ? in_a_row + 1 : 0;
    EXPECT_LE(in_a_row, 1);
    offered += now;
  }
  EXPECT_EQ(offered, 1);
}

TEST_F(observing, pulling_counts_for_longer_where_the_setting_says_so) {
  observe(receiver, bytes, false, Taken::pipelined, 7000);
  settings.pull_penalty_percent = 150;
  observe(receiver, bytes, false, Taken::pulled, 3000);
  EXPECT_FALSE(wishes_pull(receiver, bytes, false));
  settings.pull_penalty_percent = 0;
  for (int i = 0; i < 8; ++i) observe(receiver, bytes, false, Taken::pulled, 3000);
  EXPECT_TRUE(wishes_pull(receiver, bytes, false));
  // Without a system call it counts as it is.
  settings.pull_penalty_percent = 150;
  observe(receiver, bytes, true, Taken::pipelined, 7000);
  observe(receiver, bytes, true, Taken::pulled, 3000);
  EXPECT_TRUE(wishes_pull(receiver, bytes, true));
}

TEST_F(observing, exported_buffers_are_seen_apart) {
  observe(receiver, bytes, true, Taken::pipelined, 7000);
  observe(receiver, bytes, true, Taken::pulled, 3000);
  EXPECT_TRUE(should_offer(sender, bytes, true));
  EXPECT_FALSE(should_offer(sender, bytes, false));
}

TEST_F(observing, a_receive_buffer_with_gaps_takes_the_wish_back) {
  observe(receiver, bytes, false, Taken::pipelined, 7000);
  observe(receiver, bytes, false, Taken::pulled, 3000);
  observe_not_pullable(receiver, bytes, false);
  EXPECT_FALSE(should_offer(sender, bytes, false));
}

TEST(timings, any_size_has_its_place) {
  EXPECT_EQ(Timings::digits_of(1), Timings::digits_min);
  EXPECT_EQ(Timings::digits_of(16384), 15);
  EXPECT_EQ(Timings::digits_of(32767), 15);
  EXPECT_EQ(Timings::digits_of(std::int64_t{1} << 40), Timings::digits_max);
}

// Writes `messages` times, each way taking its ticks; gives how often it went around the cache.
int written_around(StorePolicy& stores, int messages, std::int64_t through, std::int64_t around) {
  int times = 0;
  for (int i = 0; i < messages; ++i) {
    bool now = stores.around_cache();
    times += now;
    stores.took(now, now ? around : through);
  }
  return times;
}

TEST(stores, go_around_the_cache_where_that_takes_less_than_half_the_time) {
  StorePolicy stores;
  EXPECT_LE(written_around(stores, 256 * 10, 1000, 600), 4 * 10);
  EXPECT_GE(written_around(stores, 256 * 10, 1000, 400), 240 * 10);
}

TEST(stores, go_through_the_cache_again_when_the_cores_come_near) {
  StorePolicy stores;
  written_around(stores, 512, 20000, 4000);
  EXPECT_LE(written_around(stores, 256 * 10, 2000, 4000), 256 * 3);
}

}  // namespace
}  // namespace baton::message
