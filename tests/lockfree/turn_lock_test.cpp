// The shipped lock of turns over all interleavings: who is served when, what the holders before
// have written, and the sleeping and waking of window/turn.cpp.
#include "lockfree/turn_lock.hpp"

#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t ranks_max = 3;

struct Shared {
  lockfree::TurnLock<Model> lock;
  Model::Atomic<std::uint32_t> waiters[4];
  ModelDoorbell doorbells[ranks_max];
  Model::Atomic<std::uint32_t> meeting;  // readers
  alignas(64) std::uint32_t written;     // by the last writer: its number + 1
};

// What the threads do with their numbers, counted from the first. Each entry follows from what its
// thread has read.
struct Turn {
  bool writes, entered, gone;
};
Turn turns[8];
bool readers_met;

// "W" writes, "R" reads, "M" reads and stays until another such reader has come; one string a rank.
struct Plan {
  std::vector<const char*> ranks;
  bool sleeps = false;
  Ordering ordering = Ordering::fences;
  std::uint32_t first = 0;  // number
  std::uint32_t names = 4;  // places for waiters
  bool held = false;        // the first rank has its first turn from the beginning
};

struct Member {
  Shared& shared;
  const Plan& plan;
  std::uint32_t rank;

  Model::Atomic<std::uint32_t>& waiter(std::uint32_t number) {
    return shared.waiters[number & (plan.names - 1)];
  }
  // wake of window/turn.cpp; the fence of message::wake_rank comes too late to be of use.
  void wake(std::uint32_t number) {
    const Mark start = mark();
    if (plan.ordering == Ordering::fences) Model::full_fence();
    if (is_taken(shared.lock, number)) {
      const std::uint32_t name = waiter(number).load(std::memory_order_relaxed);
      if (name != 0 && wants_attention(shared.doorbells[name - 1]))
        wake_slow(shared.doorbells[name - 1]);
    }
    forget_all_but(start, 0);
  }
  // take_turn.
  std::uint32_t take(bool writes) {
    const Mark start = mark();
    const std::uint32_t number = take_number(shared.lock);
    turns[number - plan.first].writes = writes;
    auto served = [&] { return is_served(shared.lock, number, writes); };
    if (!plan.sleeps) {
      for (Mark round = mark(); !served();) pause(round);
    } else if (!served()) {
      waiter(number).store(rank + 1, std::memory_order_relaxed);
      wait_until(
          shared.doorbells[rank], plan.ordering, served, [] { return false; }, [] { return false; },
          [] { return 0; });
    }
    forget_all_but(start, number);
    enter(number - plan.first, writes);
    if (writes) return number;
    let_readers_in(shared.lock, number);
    if (plan.sleeps) wake(number + 1);
    return number;
  }
  // give_turn.
  void give(std::uint32_t number, bool writes) {
    const std::uint32_t next = let_go(shared.lock, number, writes);
    turns[number - plan.first].gone = true;
    if (plan.sleeps) wake(next);
  }

  void enter(std::uint32_t index, bool writes) {
    for (std::uint32_t i = 0; i < index; ++i) {
      check(turns[i].entered, "a number is served before an earlier one");
      check(turns[i].gone || (!writes && !turns[i].writes), "a writer is not alone");
      readers_met |= !turns[i].gone;
    }
    turns[index].entered = true;
  }
  void use(std::uint32_t index, bool writes) {
    std::uint32_t expected = 0, found;
    for (std::uint32_t i = 0; i < index; ++i)
      if (turns[i].writes) expected = i + 1;
    Model::load_payload(&found, &shared.written, sizeof found);
    check(found == expected, "not what the last writer wrote");
    const std::uint32_t mine = index + 1;
    if (writes) Model::store_payload(&shared.written, &mine, sizeof mine);
  }
  void meet() {
    shared.meeting.fetch_add(1, std::memory_order_relaxed);
    while (shared.meeting.load(std::memory_order_relaxed) < 2) pause();
  }
  void run() {
    for (const char* kind = plan.ranks[rank]; *kind; ++kind) {
      const bool writes = *kind == 'W';
      const bool has_it = plan.held && rank == 0 && kind == plan.ranks[0];
      const std::uint32_t number = has_it ? plan.first : take(writes);
      use(number - plan.first, writes);
      if (*kind == 'M') meet();
      give(number, writes);
    }
  }
};

void take_turns(Stage& stage, const Plan& plan) {
  auto& shared = stage.shared<Shared>();
  for (Turn& turn : turns) turn = {};
  set_initial(&shared.lock.next, plan.first + plan.held);
  if (plan.held) turns[0] = {.writes = *plan.ranks[0] == 'W', .entered = true, .gone = false};
  set_initial(&shared.lock.let_in, plan.first);
  set_initial(&shared.lock.gone, plan.first);
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank)
    stage.thread([&shared, plan, rank] { Member{shared, plan, rank}.run(); });
}

// Polling, and over the end of the numbers.
MODEL_CASE(turn_lock, two_writers_exclude_each_other) {
  take_turns(stage, {{"WW", "WW"}});
}
MODEL_CASE(turn_lock, three_writers_are_served_in_order) {
  take_turns(stage, {{"W", "WW", "W"}});
}
MODEL_CASE(turn_lock, readers_and_writers_take_turns) {
  take_turns(stage, {{"RWR", "WRW"}});
}
MODEL_CASE(turn_lock, a_writer_is_alone_among_two_readers) {
  take_turns(stage, {{"W", "RR", "R"}});
}
MODEL_CASE(turn_lock, writers_and_readers_of_three_ranks_are_served_in_order) {
  take_turns(stage, {{"WR", "RW", "R"}});
}
MODEL_CASE(turn_lock, numbers_begin_anew) {
  take_turns(stage, {{"WR", "RW", "R"}, false, Ordering::fences, ~std::uint32_t{1}});
}

// Sleeping without a bound.
MODEL_CASE(turn_lock, no_writer_sleeps_on_with_fences) {
  take_turns(stage, {{"WW", "WW"}, true, Ordering::fences, ~std::uint32_t{1}, 2});
}
MODEL_CASE(turn_lock, no_writer_sleeps_on_with_membarrier) {
  take_turns(stage, {{"WW", "WW"}, true, Ordering::membarrier, ~std::uint32_t{1}, 2});
}
MODEL_CASE(turn_lock, no_reader_sleeps_on_with_fences) {
  take_turns(stage, {{"RW", "WR"}, true, Ordering::fences, 0, 2});
}
MODEL_CASE(turn_lock, no_reader_sleeps_on_with_membarrier) {
  take_turns(stage, {{"R", "WR"}, true, Ordering::membarrier, 0, 2});
}
MODEL_CASE(turn_lock, readers_behind_a_writer_wake_each_other_with_fences) {
  take_turns(stage, {{"W", "M", "M"}, true, Ordering::fences, 0, 4, true});
}
MODEL_CASE(turn_lock, the_last_of_two_readers_wakes_a_writer_with_fences) {
  take_turns(stage, {{"R", "R", "W"}, true, Ordering::fences, 0, 4, true});
}
MODEL_CASE(turn_lock, a_writer_among_writers_is_woken_with_fences) {
  take_turns(stage, {{"W", "W", "W"}, true, Ordering::fences, 0, 4, true});
}
MODEL_CASE(turn_lock, a_writer_among_writers_is_woken_with_membarrier) {
  take_turns(stage, {{"W", "W", "W"}, true, Ordering::membarrier, 0, 4, true});
}

MODEL_CASE(turn_lock_at_length, readers_behind_a_writer_wake_each_other_with_membarrier) {
  take_turns(stage, {{"W", "M", "M"}, true, Ordering::membarrier, 0, 4, true});
}
MODEL_CASE(turn_lock_at_length, the_last_of_two_readers_wakes_a_writer_with_membarrier) {
  take_turns(stage, {{"R", "R", "W"}, true, Ordering::membarrier, 0, 4, true});
}
MODEL_CASE(turn_lock_at_length, nobody_of_three_sleeps_on_with_fences) {
  take_turns(stage, {{"W", "R", "R"}, true, Ordering::fences});
}
MODEL_CASE(turn_lock_at_length, nobody_of_three_sleeps_on_with_membarrier) {
  take_turns(stage, {{"W", "R", "R"}, true, Ordering::membarrier});
}
MODEL_CASE(turn_lock_at_length, no_writer_of_three_sleeps_on_with_membarrier) {
  take_turns(stage, {{"W", "W", "W"}, true, Ordering::membarrier});
}

TEST(turn_lock, without_fences_and_membarrier_a_wake_up_is_lost) {
  expect_fails(
      [](Stage& stage) {
        take_turns(stage, {{"W", "W"}, true, Ordering::none});
      },
      "nobody can go on");
}

TEST(turn_lock, readers_that_follow_each_other_have_it_together) {
  readers_met = false;
  expect_holds([](Stage& stage) { take_turns(stage, {{"R", "R"}}); });
  EXPECT_TRUE(readers_met);
}

// Why a rank takes one number at a time: the name of the first that waits is overwritten.
TEST(turn_lock, with_more_waiters_than_names_a_wake_up_is_lost) {
  expect_fails(
      [](Stage& stage) {
        take_turns(stage, {{"W", "W", "W"}, true, Ordering::fences, 0, 1, true});
      },
      "nobody can go on");
}

// A reader has let 1 in; then, as often as there are numbers, nobody has read.
TEST(turn_lock, a_number_is_not_let_in_by_what_was_let_in_when_it_was_last_given_out) {
  lockfree::TurnLock<lockfree::Hardware> lock{};
  let_readers_in(lock, take_number(lock));
  let_go(lock, 0, false);
  lock.next = lock.gone = ~std::uint32_t{0};
  for (std::uint32_t number : {~std::uint32_t{0}, std::uint32_t{0}}) {
    EXPECT_EQ(take_number(lock), number);
    EXPECT_TRUE(is_served(lock, number, true));
    EXPECT_EQ(take_number(lock), number + 1);
    EXPECT_FALSE(is_served(lock, number + 1, false));
    let_go(lock, number, true);
    lock.next = number + 1;
  }
}

}  // namespace
}  // namespace baton::model
