// The shipped guard of elements over all interleavings: ranks change an element by an atomic
// instruction or plainly, as ElementHold of window/elements.cpp does, and register as visitors.
#include "lockfree/element_guard.hpp"

#include "tests/lockfree/model/cases.hpp"
#include "tests/lockfree/model/waiting.hpp"

namespace baton::model {
namespace {

using lockfree::GuardMode;
constexpr std::uint32_t threads_here_max = 3;

struct Shared {
  lockfree::ElementGuard<Model> guard;
  lockfree::TurnLock<Model> lock;
  lockfree::BusyLine<Model> busy[threads_here_max];
  Model::Atomic<std::uint64_t> visitors[1];
  Model::Atomic<std::uint32_t> visited[threads_here_max];  // in each rank's own memory
  Model::Atomic<std::uint32_t> element;
  alignas(64) char memory[8];  // changed plainly with the element, read beside atomic changes
};

// What the threads do: each entry follows from what its thread has read.
enum class Inside : std::uint8_t { nothing, atomic, plain };
Inside inside[threads_here_max];
bool seen[16];  // values of the element that somebody has changed
bool changed_atomically, changed_plainly, allowed;
bool kept;  // locked for good

// "a" changes one element, "P" several, plainly; "K" is a rank that cannot but change them plainly.
struct Plan {
  std::vector<const char*> threads;
  Ordering ordering;
  bool one_rank = false;  // the first two threads are of one rank
  bool locked = false;    // from the beginning
  std::uint32_t lone_uses_max = 0;
};

struct Member {
  Shared& shared;
  const Plan& plan;
  std::uint32_t thread;

  std::uint32_t rank() const { return plan.one_rank && thread == 1 ? 0 : thread; }
  bool has_threads() const { return plan.one_rank && thread < 2; }

  void change_atomically() {
    check(!kept, "an atomic change of elements that are locked for good");
    enter(Inside::atomic);
    char there;
    Model::load_payload(&there, &shared.memory, 1);
    note(shared.element.fetch_add(1, std::memory_order_relaxed));
    changed_atomically = true;
  }
  void change_plainly() {
    enter(Inside::plain);
    char there;
    Model::load_payload(&there, &shared.memory, 1);
    const std::uint32_t before = shared.element.load(std::memory_order_relaxed);
    shared.element.store(before + 1, std::memory_order_relaxed);
    note(before);
    Model::store_payload(&shared.memory, &there, 1);
    changed_plainly = true;
  }
  void enter(Inside how) {
    for (std::uint32_t other = 0; other < threads_here_max; ++other)
      check(other == thread || inside[other] == Inside::nothing ||
                (how == Inside::atomic && inside[other] == how),
            "a plain change beside another");
    inside[thread] = how;
  }
  void note(std::uint32_t before) {
    check(!seen[before], "a change is lost");
    seen[before] = true;
    last = before;
  }
  std::uint32_t last = 0;

  bool has_visited() { return shared.visited[rank()].load(std::memory_order_acquire) != 0; }
  // begin_atomically, visit.
  bool begin_atomically() {
    if (!has_visited()) {
      lockfree::add_visitor(shared.visitors, rank());
      shared.visited[rank()].store(1, std::memory_order_release);
    }
    return begin_atomic_change(shared.guard, shared.busy[rank()], has_threads(), [this] {
      if (plan.ordering == Ordering::fences) Model::full_fence();
    });
  }
  // lock; whether each change must be an atomic instruction.
  bool lock(bool lone, std::uint32_t* number) {
    *number = take_number(shared.lock);
    for (Mark round = mark(); !is_served(shared.lock, *number, true);) pause(round);
    if (mode_of(shared.guard) == GuardMode::atomic) {
      if (lone) return true;
      forbid_atomic_changes(shared.guard);
      order_announcement(plan.ordering);
      lockfree::for_each_visitor(shared.visitors, 64, [this](std::uint32_t visitor) {
        for (Mark round = mark(); is_busy(shared.busy[visitor]);) pause(round);
      });
      return false;
    }
    if (mode_of(shared.guard) != GuardMode::locked ||
        !note_use(shared.guard, lone, plan.lone_uses_max))
      return false;
    allow_atomic_changes(shared.guard);
    allowed = true;
    return lone;
  }
  void change(bool lone, bool keeps) {
    if (lone && begin_atomically()) {
      change_atomically();
      end_atomic_change(shared.busy[rank()], has_threads());
      inside[thread] = Inside::nothing;
      return;
    }
    std::uint32_t number;
    if (lock(lone, &number))
      change_atomically();
    else
      change_plainly();
    if (keeps) {
      keep_locked(shared.guard);
      kept = true;
    }
    let_go(shared.lock, number, true);
    inside[thread] = Inside::nothing;
  }
  void run() {
    for (const char* kind = plan.threads[thread]; *kind; ++kind) {
      const Mark start = mark();
      change(*kind == 'a', *kind == 'K');
      forget_all_but(start, last);
    }
  }
};

void change_elements(Stage& stage, const Plan& plan) {
  auto& shared = stage.shared<Shared>();
  for (Inside& what : inside) what = Inside::nothing;
  for (bool& value : seen) value = false;
  kept = false;
  if (plan.locked) set_initial(&shared.guard.mode, static_cast<std::uint64_t>(GuardMode::locked));
  for (std::uint32_t thread = 0; thread < plan.threads.size(); ++thread)
    stage.thread([&shared, plan, thread] { Member{shared, plan, thread}.run(); });
}

MODEL_CASE(element_guard, plain_changes_wait_for_a_visitor_with_fences) {
  change_elements(stage, {{"aa", "P"}, Ordering::fences});
}
MODEL_CASE(element_guard, plain_changes_wait_for_a_visitor_with_membarrier) {
  change_elements(stage, {{"aa", "P"}, Ordering::membarrier});
}
MODEL_CASE(element_guard, plain_changes_wait_for_two_visitors_with_fences) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::fences});
}
MODEL_CASE(element_guard, plain_changes_wait_for_two_visitors_with_membarrier) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::membarrier});
}
MODEL_CASE(element_guard, who_finds_it_locked_need_not_order_with_fences) {
  change_elements(stage, {{"a", "P", "P"}, Ordering::fences});
}
MODEL_CASE(element_guard, who_finds_it_locked_need_not_order_with_membarrier) {
  change_elements(stage, {{"a", "P", "P"}, Ordering::membarrier});
}
MODEL_CASE(element_guard, atomic_changes_are_allowed_again_with_fences) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::fences, false, true});
}
MODEL_CASE(element_guard, atomic_changes_are_allowed_again_with_membarrier) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::membarrier, false, true});
}
MODEL_CASE(element_guard, atomic_changes_are_allowed_and_forbidden_in_turns_with_fences) {
  change_elements(stage, {{"aaa", "PP"}, Ordering::fences});
}
MODEL_CASE(element_guard, atomic_changes_are_allowed_and_forbidden_in_turns_with_membarrier) {
  change_elements(stage, {{"aaa", "PP"}, Ordering::membarrier});
}
MODEL_CASE(element_guard, ranks_change_in_both_ways_with_fences) {
  change_elements(stage, {{"aPa", "PaP"}, Ordering::fences, false, false, 1});
}
MODEL_CASE(element_guard, ranks_change_in_both_ways_with_membarrier) {
  change_elements(stage, {{"aPa", "PaP"}, Ordering::membarrier, false, false, 1});
}
MODEL_CASE(element_guard, plain_changes_wait_for_all_threads_of_a_visitor_with_fences) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::fences, true});
}
MODEL_CASE(element_guard, plain_changes_wait_for_all_threads_of_a_visitor_with_membarrier) {
  change_elements(stage, {{"a", "a", "P"}, Ordering::membarrier, true});
}

MODEL_CASE(element_guard, what_is_kept_locked_stays_so_with_fences) {
  change_elements(stage, {{"aaa", "K"}, Ordering::fences});
}
MODEL_CASE(element_guard, what_is_kept_locked_stays_so_with_membarrier) {
  change_elements(stage, {{"aaa", "K"}, Ordering::membarrier});
}
MODEL_CASE(element_guard, what_others_have_locked_is_kept_so_with_membarrier) {
  change_elements(stage, {{"a", "P", "K"}, Ordering::membarrier});
}

MODEL_CASE(element_guard, a_rank_waits_for_its_own_threads_with_fences) {
  change_elements(stage, {{"a", "P", "a"}, Ordering::fences, true});
}
MODEL_CASE(element_guard_at_length, two_forbid_what_a_third_allows_with_fences) {
  change_elements(stage, {{"aa", "P", "P"}, Ordering::fences});
}
MODEL_CASE(element_guard_at_length, two_forbid_what_a_third_allows_with_membarrier) {
  change_elements(stage, {{"aa", "P", "P"}, Ordering::membarrier});
}
MODEL_CASE(element_guard_at_length, two_visitors_come_twice_with_fences) {
  change_elements(stage, {{"aa", "a", "PP"}, Ordering::fences});
}
MODEL_CASE(element_guard_at_length, two_visitors_come_twice_with_membarrier) {
  change_elements(stage, {{"aa", "a", "PP"}, Ordering::membarrier});
}

TEST(element_guard, without_fences_and_membarrier_changes_meet) {
  expect_fails(
      [](Stage& stage) {
        change_elements(stage, {{"a", "P"}, Ordering::none});
      },
      "data race");
}

TEST(element_guard, both_ways_are_gone) {
  changed_atomically = changed_plainly = allowed = false;
  expect_holds([](Stage& stage) { change_elements(stage, {{"aa", "P"}, Ordering::fences}); });
  EXPECT_TRUE(changed_atomically && changed_plainly && allowed);
}

}  // namespace
}  // namespace baton::model
