// Waiting: first awake, then asleep until somebody wakes the rank, and awake again.
#include "message/core/wait.hpp"
#include "message/core/engine.hpp"

#include "message/core/notify.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct waiting : protocol {
  static WaitSubject nothing() { return {}; }
  static bool is_announced() {
    // relaxed: one thread.
    const auto word =
        transport::doorbell(engine.local_rank).wake.word.load(std::memory_order_relaxed);
    EXPECT_EQ((word & lockfree::wake_asleep) != 0, engine.about_to_sleep);
    return engine.about_to_sleep;
  }
  static void idle(Waiter& waiter, int times = 1) {
    for (int i = 0; i < times; ++i) waiter.idle(nothing);
  }
  Ranks ranks{2};
};

TEST_F(waiting, begins_awake_for_as_long_as_the_budget_says_and_announces_its_sleep) {
  ranks.as(0, [] {
    engine.wait_budget.spins = 5;
    engine.wait_budget.yields = 3;
    Waiter waiter;
    idle(waiter, 8);
    EXPECT_FALSE(is_announced());
    idle(waiter);
    EXPECT_TRUE(is_announced());
    EXPECT_EQ(engine.counters.sleeps, 0u) << "one more round comes before";
    EXPECT_EQ(engine.counters.wakeups, 0u);
  });
  ranks.as(0, [] { EXPECT_FALSE(is_announced()) << "it ended"; });
}

TEST_F(waiting, begins_anew_when_something_was_found) {
  ranks.as(0, [] {
    engine.wait_budget.spins = 2;
    Waiter waiter;
    idle(waiter, 3);
    EXPECT_TRUE(is_announced());
    waiter.reset();
    EXPECT_FALSE(is_announced());
    idle(waiter, 2);
    EXPECT_FALSE(is_announced());
    idle(waiter);
    EXPECT_TRUE(is_announced());
  });
}

TEST_F(waiting, who_is_woken_is_awake_again_and_yields_before_it_sleeps_anew) {
  ranks.as(0, [this] {
    engine.wait_budget.yields = 2;
    Waiter waiter;
    idle(waiter, 3);
    EXPECT_TRUE(is_announced());
    ranks.as(1, [] { EXPECT_TRUE(wake_rank(Process{0})); });
    idle(waiter);  // sleeps, and was woken before
    EXPECT_EQ(engine.counters.sleeps, 1u);
    EXPECT_FALSE(is_announced());
    idle(waiter, 2);
    EXPECT_FALSE(is_announced());
    idle(waiter);
    EXPECT_TRUE(is_announced());
  });
}

TEST_F(waiting, in_a_meeting_of_all_sleeps_as_soon_as_its_own_budget_says) {
  ranks.as(0, [] {
    engine.wait_budget.yields = 3;
    engine.wait_budget.meeting_yields = 1;
    const auto meeting = [] {
      WaitSubject subject;
      subject.is_meeting = true;
      return subject;
    };
    Waiter waiter;
    waiter.idle(meeting);
    EXPECT_FALSE(is_announced());
    waiter.idle(meeting);
    EXPECT_TRUE(is_announced());
  });
}

TEST_F(waiting, whom_nobody_wakes_stays_announced) {
  ranks.as(0, [] {
    Waiter waiter;
    idle(waiter, 2);
    EXPECT_EQ(engine.counters.sleeps, 1u);
    EXPECT_TRUE(is_announced());
    idle(waiter);
    EXPECT_EQ(engine.counters.sleeps, 2u);
    EXPECT_TRUE(is_announced());
  });
}

TEST_F(waiting, makes_progress_until_what_is_waited_for_is_there) {
  int out = 5, in = 0;
  ranks.receive(1, 0, &in, sizeof in, 1, receiving);
  ranks.send(0, 1, &out, sizeof out, 1, sending);
  ranks.as(1, [this] {
    wait_for(receiving);
    EXPECT_TRUE(is_complete(receiving));
    int asked = 0;
    wait_until([&] { return ++asked == 10; });
    EXPECT_EQ(asked, 10) << "it is not asked again once it has said yes";
  });
  EXPECT_EQ(in, 5);
}

TEST_F(waiting, memory_is_looked_at_directly_unless_progress_is_to_be_made_at_once) {
  ranks.as(0, [] {
    int looks = 0;
    const auto at_third = [&] { return ++looks == 3; };
    EXPECT_TRUE(look_directly(at_third));
    EXPECT_EQ(looks, 3);
    EXPECT_FALSE(look_directly(at_third)) << "not forever";
    looks = 0;
    EXPECT_TRUE(look_briefly(at_third));
    EXPECT_FALSE(look_briefly(at_third));
    looks = 0;
    engine.waits_by_progress = true;
    EXPECT_FALSE(look_directly(at_third) || look_briefly(at_third));
    EXPECT_EQ(looks, 0);
  });
}

TEST_F(waiting, meetings_have_no_yields_where_many_ranks_share_a_cpu_and_nobody_says_otherwise) {
  ranks.as(0, [] {
    const auto meeting_yields = [](std::uint32_t local_ranks) {
      engine.local_ranks = local_ranks;
      set_wait_budget(false);
      return engine.wait_budget.meeting_yields;
    };
    const std::uint32_t before = engine.local_ranks, cpus = transport::job().cpus_usable;
    engine.oversubscribed = true;
    EXPECT_EQ(meeting_yields(8 * cpus), engine.wait_budget.yields);
    EXPECT_EQ(meeting_yields(8 * cpus + 1), 0);
    settings.yield_count = 12;
    EXPECT_EQ(meeting_yields(8 * cpus + 1), 12);
    engine.local_ranks = before;
  });
}

TEST_F(waiting, patience_comes_from_the_settings_or_else_from_ranks_and_cpus) {
  ranks.as(0, [] {
    engine.oversubscribed = false;
    set_wait_budget(false);
    const WaitBudget usual = engine.wait_budget;
    engine.oversubscribed = true;
    set_wait_budget(false);
    EXPECT_LT(engine.wait_budget.spins, usual.spins)
        << "who is waited for may be waiting for the CPU";
    EXPECT_GT(engine.wait_budget.yields, usual.yields);
    settings.spin_count = 11;
    settings.yield_count = 12;
    set_wait_budget(false);
    EXPECT_EQ(engine.wait_budget.spins, 11);
    EXPECT_EQ(engine.wait_budget.yields, 12);
    EXPECT_FALSE(engine.wait_budget.timed);
    transport::job().timing.bytes = 4096;
    set_wait_budget(false);
    EXPECT_TRUE(engine.wait_budget.timed);
    EXPECT_EQ(engine.wait_budget.spins, 0) << "every round is seen";
    EXPECT_EQ(engine.wait_budget.timed_spins, 11);
    transport::job().timing.bytes = 0;
  });
}

}  // namespace
}  // namespace baton::message
