// What a rank that is about to sleep asks its sources, and when it sleeps not.
#include "message/core/sleep.hpp"
#include "message/core/engine.hpp"

#include "message/core/progress.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

// A source that can be woken by descriptors, or has something already.
struct Wakeable final : ProgressSource {
  bool advance() override { return false; }
  bool waits_for_space() const override { return lacks_space; }
  void plan_sleep(SleepPlan& plan) override {
    ++asked;
    bound_us = plan.bound_us;
    if (has_descriptor) plan.descriptors[plan.count++] = {-1, POLLIN, 0};
    plan.sleeps &= !has_something;
  }
  void has_slept(const SleepPlan&, std::int64_t) override { ++told; }
  bool lacks_space = false, has_descriptor = false, has_something = false;
  int asked = 0, told = 0;
  std::int64_t bound_us = 0;
};

struct sleeping : protocol {
  // The doorbell says that the rank is awake, so that none of these sleeps lasts.
  void sleep() {
    ranks.as(0, [] { sleep_until_woken(5000); });
  }
  void set(Wakeable& source, bool active) {
    ranks.as(0, [&] { set_active(source, active); });
  }
  Wakeable one, other;
  Ranks ranks{2};  // which end before the sources do
};

TEST_F(sleeping, every_source_with_something_under_way_is_asked) {
  set(one, true);
  sleep();
  EXPECT_EQ(one.asked, 1);
  EXPECT_EQ(one.bound_us, 5000);
  EXPECT_EQ(one.told, 0) << "no descriptor was waited for";
  set(other, true);
  sleep();
  EXPECT_EQ(one.asked, 2);
  EXPECT_EQ(other.asked, 1);
  set(one, false);
  sleep();
  EXPECT_EQ(one.asked, 2);
  ranks.as(0, [] { EXPECT_EQ(engine.counters.sleeps, 3u); });
}

TEST_F(sleeping, sources_hear_of_a_sleep_on_descriptors) {
  one.has_descriptor = true;
  set(one, true);
  set(other, true);
  sleep();
  EXPECT_EQ(one.told, 1);
  EXPECT_EQ(other.told, 1);
}

TEST_F(sleeping, nobody_sleeps_where_a_source_has_something) {
  one.has_descriptor = other.has_something = true;
  set(one, true);
  set(other, true);
  sleep();
  EXPECT_EQ(one.asked, 1);
  EXPECT_EQ(one.told, 0);
}

TEST_F(sleeping, what_waits_for_space_is_a_source_that_says_so_or_a_queue) {
  const auto waits = [this] { return ranks.as(0, [] { return waits_for_space(); }); };
  set(one, true);
  EXPECT_FALSE(waits());
  one.lacks_space = true;
  EXPECT_TRUE(waits());
  set(one, false);
  EXPECT_FALSE(waits()) << "nothing is under way there";
  ranks.network.space = 0;
  int out = 1;
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  EXPECT_TRUE(waits());
  ranks.network.space = 1;
  ranks.settle();
  EXPECT_FALSE(waits());
}

}  // namespace
}  // namespace baton::message
