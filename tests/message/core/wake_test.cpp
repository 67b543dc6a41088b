// Waking the threads of a process that wait: who sleeps on what, and when each is woken.
#include "message/core/wake.hpp"
#include "message/core/engine.hpp"

#include <utility>

#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

struct waking : protocol {
  waking() { leading = {}; }
  ~waking() override { leading = {}; }
  // What a follower would sleep on, and whether it is another than before.
  bool is_woken() {
    const std::uint32_t seen = ranks.as(0, [] { return announce_follower(); });
    ranks.as(0, [] { retract_follower(); });
    return std::exchange(seen_, seen) != seen;
  }
  static bool is_asleep(Ranks& of) {
    // relaxed: one thread.
    return of.as(0, [] {
      return (transport::doorbell(engine.local_rank).wake.word.load(std::memory_order_relaxed) &
              lockfree::wake_asleep) != 0;
    });
  }
  Ranks ranks{1};
  std::uint32_t seen_ = 0;
};

TEST_F(waking, a_follower_is_woken_by_what_happens_after_it_announced_itself) {
  is_woken();
  EXPECT_FALSE(is_woken());
  ranks.as(0, [] {
    announce_follower();
    wake_waiters();
    retract_follower();
  });
  EXPECT_TRUE(is_woken());
  ranks.as(0, [] { wake_waiters(); });
  EXPECT_FALSE(is_woken()) << "nobody sleeps, so that nobody need be woken";
}

TEST_F(waking, a_leader_that_sleeps_is_woken_once) {
  ranks.as(0, [] {
    lockfree::announce(transport::doorbell(engine.local_rank), lockfree::wake_asleep);
    wake_waiters();
    wake_waiters();
    EXPECT_EQ(engine.counters.wakeups, 1u);
  });
  EXPECT_FALSE(is_asleep(ranks));
}

TEST_F(waking, who_makes_progress_wakes_the_others_once_a_round) {
  is_woken();
  ranks.as(0, [] {
    announce_follower();
    leading.now = true;
    for (int i = 0; i < 3; ++i) announce_completion();
  });
  EXPECT_FALSE(is_woken());
  EXPECT_TRUE(leading.completed);
  ranks.as(0, [] { wake_for_completions(); });
  EXPECT_TRUE(is_woken());
  ranks.as(0, [] { wake_for_completions(); });
  EXPECT_FALSE(is_woken()) << "nothing has completed since";
  ranks.as(0, [] {
    leading.now = false;
    announce_completion();
  });
  EXPECT_TRUE(is_woken()) << "anybody else wakes them at once";
  retract_follower();
}

}  // namespace
}  // namespace baton::message
