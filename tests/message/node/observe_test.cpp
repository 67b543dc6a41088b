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
  }
  FakeNetwork network;
  FakeLink from_sender{network, Process{0}, Process{1}},
      from_receiver{network, Process{1}, Process{0}};
  NodePeer sender, receiver;
  History of_sender, of_receiver;
};
// Messages of which each way takes its time, one after the other: how many were pulled.
struct observing : observe_test {
  int pass(int messages, std::int64_t size, std::int64_t staged, std::int64_t pulled,
           bool exported = false) {
    int offered = 0;
    for (int i = 0; i < messages; ++i) {
      const bool pull = should_offer(sender, size, exported);
      offered += pull;
      const Taken how = !pull                                     ? Taken::pipelined
                        : wishes_shared(receiver, size, exported) ? Taken::shared
                                                                  : Taken::pulled;
      observe(receiver, size, exported, how, {pull ? pulled : staged});
    }
    return offered;
  }
};
// So many ticks that no time between two calls of a test is as long: only they count.
constexpr std::int64_t slow = 300000000, slower = 600000000;

TEST_F(observing, unseen_messages_are_staged_and_some_are_offered_soon_to_see) {
  EXPECT_FALSE(should_offer(sender, bytes, false));
  EXPECT_EQ(pass(10, bytes, slow, slower), 4);
}

TEST_F(observing, the_sender_follows_the_receivers_wish_and_its_change) {
  pass(15, bytes, slower, slow);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  EXPECT_TRUE(wishes_pull(receiver, bytes, false));
  EXPECT_EQ(receiver.past().traffic.observed[size_class(bytes)], Observation::warm);
  // The data is freshly written from now on: pulling takes longer.
  pass(100, bytes, slow, slower);
  EXPECT_LE(pass(20, bytes, slow, slower), 4);
  EXPECT_EQ(receiver.past().traffic.observed[size_class(bytes)], Observation::cold);
}

TEST_F(observing, where_the_setting_says_so_unseen_messages_are_pulled_until_seen_otherwise) {
  settings.unseen_pull_bytes_min = 65536;
  EXPECT_TRUE(should_offer(sender, bytes, false));
  EXPECT_TRUE(wishes_pull(receiver, bytes, false));
  EXPECT_FALSE(should_offer(sender, bytes / 4, false));
  pass(3, bytes, slow, slower);
  EXPECT_FALSE(should_offer(sender, bytes, false)) << "a trial of the other way";
  pass(15, bytes, slow, slower);
  EXPECT_FALSE(should_offer(sender, bytes, false));
  settings = Settings{};
}

TEST_F(observing, sizes_are_seen_apart) {
  pass(15, bytes, slower, slow);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  EXPECT_FALSE(should_offer(sender, 4 * bytes, false));
}

TEST_F(observing, exported_buffers_are_seen_apart) {
  pass(15, bytes, slower, slow, true);
  EXPECT_TRUE(should_offer(sender, bytes, true));
  EXPECT_FALSE(should_offer(sender, bytes, false));
}

TEST_F(observing, distances_are_seen_apart) {
  const auto come = [&](std::int64_t ns) {
    for (int i = 0; i < 40; ++i) receiver.timings.distance.saw(ns, 1000);
  };
  pass(15, bytes, slower, slow);
  EXPECT_TRUE(should_offer(sender, bytes, false));
  come(30);
  observe(receiver, bytes, false, Taken::pulled, {slow});
  EXPECT_FALSE(should_offer(sender, bytes, false)) << "nothing was seen at this distance";
  pass(15, bytes, slow, slower);
  EXPECT_FALSE(should_offer(sender, bytes, false));
  come(150);
  observe(receiver, bytes, false, Taken::pipelined, {slower});
  EXPECT_TRUE(should_offer(sender, bytes, false)) << "as it was when they were far before";
}

TEST_F(observing, who_hears_of_another_way_tries_it_for_what_comes_back) {
  // The sender receives from the receiver, too; nothing of that would try another way yet.
  observe(sender, bytes, false, Taken::pipelined, {slow});
  EXPECT_FALSE(should_offer(receiver, bytes, false));
  pass(3, bytes, slow, slower);
  EXPECT_TRUE(should_offer(sender, bytes, false)) << "a trial";
  EXPECT_TRUE(should_offer(receiver, bytes, false)) << "a trial in the other direction";
}

TEST_F(observing, long_messages_try_each_other_way_one_at_a_time) {
  settings.unseen_pull_bytes_min = std::int64_t{1} << 40;
  EXPECT_EQ(pass(12, 8 << 20, slow, slower), 2);
  settings = Settings{};
}

TEST_F(observing, messages_of_16_mib_are_copied_by_both_sides_however_long_that_takes) {
  EXPECT_EQ(pass(100, 16 << 20, slow, slower), 100);
  EXPECT_TRUE(wishes_shared(receiver, 16 << 20, false));
  EXPECT_LT(pass(100, (16 << 20) - 1, slow, slower), 50);
}

TEST_F(observing, pulling_counts_for_longer_where_the_setting_says_so) {
  settings.pull_penalty_percent = 150;
  pass(15, bytes, slower, slow);
  EXPECT_FALSE(wishes_pull(receiver, bytes, false));
  // Without a system call it counts as it is.
  pass(15, bytes, slower, slow, true);
  EXPECT_TRUE(wishes_pull(receiver, bytes, true));
  settings = Settings{};
}

TEST_F(observing, a_receive_buffer_with_gaps_takes_the_wish_back) {
  pass(15, bytes, slower, slow);
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
int written_around(StoreChoice& stores, int messages, std::int64_t through, std::int64_t around) {
  int times = 0;
  for (int i = 0; i < messages; ++i) {
    const Stores now = stores.now();
    times += now == Stores::around_cache;
    stores.took(now, now == Stores::around_cache ? around : through);
  }
  return times;
}

TEST(stores, go_around_the_cache_where_that_takes_less_than_half_the_time) {
  StoreChoice stores;
  EXPECT_LE(written_around(stores, 256 * 10, 1000, 600), 4 * 10);
  EXPECT_GE(written_around(stores, 256 * 10, 1000, 400), 240 * 10);
}

TEST(stores, go_through_the_cache_again_when_the_cores_come_near) {
  StoreChoice stores;
  written_around(stores, 512, 20000, 4000);
  EXPECT_LE(written_around(stores, 256 * 10, 2000, 4000), 256 * 3);
}

}  // namespace
}  // namespace baton::message
