// Telling other ranks: those that sleep are woken once, those that look find a bit where they
// asked for it.
#include "message/core/notify.hpp"
#include "message/core/engine.hpp"

#include "message/core/contact.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

using lockfree::wake_asleep;
using lockfree::wake_doorbell;

struct notices : protocol {
  static void announce(Ranks& ranks, std::uint32_t bits) {
    ranks.as(1, [&] { lockfree::announce(transport::doorbell(engine.local_rank), bits); });
  }
  // Bits of the doorbell of rank 1, which are taken so.
  static std::uint64_t rung(Ranks& ranks) {
    return ranks.as(
        1, [] { return lockfree::take_doorbells(transport::doorbell(engine.local_rank), 0); });
  }
  static void tell(Ranks& ranks) {
    ranks.as(0, [] { notify(*meet(Process{1})); });
  }
  static std::uint64_t wakeups(Ranks& ranks) {
    return ranks.as(0, [] { return engine.counters.wakeups; });
  }
};

TEST_F(notices, who_looks_by_itself_is_left_alone) {
  Ranks ranks(2);
  tell(ranks);
  EXPECT_EQ(rung(ranks), 0u);
  EXPECT_EQ(wakeups(ranks), 0u);
  ranks.as(0, [] { EXPECT_FALSE(wake_rank(Process{1})); });
}

TEST_F(notices, who_trusts_doorbells_finds_the_senders_bit_and_is_not_woken) {
  Ranks ranks(2);
  announce(ranks, wake_doorbell);
  for (int i = 0; i < 2; ++i) tell(ranks);
  EXPECT_EQ(rung(ranks), 1u);
  EXPECT_EQ(rung(ranks), 0u);
  EXPECT_EQ(wakeups(ranks), 0u);
  ranks.as(0, [] { EXPECT_FALSE(wake_rank(Process{1})); });
}

TEST_F(notices, who_sleeps_is_woken_once_and_finds_the_bit) {
  Ranks ranks(2);
  announce(ranks, wake_asleep);
  tell(ranks);
  EXPECT_EQ(wakeups(ranks), 1u);
  EXPECT_EQ(rung(ranks), 1u);
  tell(ranks);
  EXPECT_EQ(wakeups(ranks), 1u) << "it is awake";
}

TEST_F(notices, who_is_woken_for_something_else_finds_no_bit) {
  Ranks ranks(2);
  announce(ranks, wake_asleep | wake_doorbell);
  ranks.as(0, [] {
    EXPECT_TRUE(wake_rank(Process{1}));
    EXPECT_FALSE(wake_rank(Process{1}));
  });
  EXPECT_EQ(wakeups(ranks), 1u);
  EXPECT_EQ(rung(ranks), 0u);
}

}  // namespace
}  // namespace baton::message
