// The shipped delegation over all interleavings: work is done once, by whoever has taken it or by
// whoever has withdrawn it, and whoever waits sees its result (window/delegate.cpp).
#include "lockfree/delegation.hpp"

#include "lockfree/staging.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t askers_max = 2, targets_max = 2;

struct Shared {
  lockfree::DelegationBell<Model> bells[targets_max];
  struct alignas(64) Slot {
    lockfree::DelegationState<Model> state;
    alignas(64) std::uint32_t work;  // a number; its result is 100 more
  } slots[askers_max];
  Model::Atomic<std::uint32_t> ended;  // askers
};

std::uint32_t load(const std::uint32_t& word) {
  std::uint32_t value;
  Model::load_payload(&value, &word, sizeof value);
  return value;
}
void store(std::uint32_t& word, std::uint32_t value) {
  Model::store_payload(&word, &value, sizeof value);
}

// One rank asks for so many tasks, of one target after the other; each it withdraws after
// so many looks.
void ask_for_work(Shared& shared, std::uint32_t rank, std::uint32_t tasks, int looks,
                  std::uint32_t targets = 1) {
  Shared::Slot& slot = shared.slots[rank];
  for (std::uint32_t task = 1; task <= tasks; ++task) {
    const std::uint32_t whom = task % targets;
    store(slot.work, task);
    ask(slot.state, whom, shared.bells[whom], rank);
    bool done = false, withdrawn = false;
    for (int look = 0; look < looks && !done; ++look) done = is_done(slot.state);
    if (!done) withdrawn = withdraw(slot.state, whom);
    for (Mark round = mark(); !done && !withdrawn; done = is_done(slot.state))
      if (!is_done(slot.state)) pause(round);
    check(load(slot.work) == task + (withdrawn ? 0 : 100), "not done once");
  }
  shared.ended.fetch_add(1, std::memory_order_relaxed);
}

bool serve(Shared& shared, std::uint32_t rank, std::uint32_t own_rank, std::uint32_t targets) {
  Shared::Slot& slot = shared.slots[rank];
  if (!take(slot.state, own_rank)) return false;
  const std::uint32_t task = load(slot.work);
  check(task % targets == own_rank, "another's work");
  check(task > 0 && task < 100, "work that was not asked for, or is done");
  store(slot.work, task + 100);
  finish(slot.state);
  return true;
}

void attend_until(Shared& shared, std::uint32_t askers, std::uint32_t own_rank = 0,
                  std::uint32_t targets = 1) {
  for (Mark round = mark(); shared.ended.load(std::memory_order_relaxed) < askers;) {
    bool any = false;
    const std::uint64_t bits = take_askers(shared.bells[own_rank]);
    for (std::uint32_t rank = 0; rank < askers; ++rank)
      if (bits >> rank & 1) any |= serve(shared, rank, own_rank, targets);
    if (!any) pause(round);
  }
}

MODEL_CASE(delegation, work_is_done_once) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { ask_for_work(shared, 0, 2, 1); });
  stage.thread([&shared] { attend_until(shared, 1); });
}
MODEL_CASE(delegation, withdrawn_at_once) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { ask_for_work(shared, 0, 3, 0); });
  stage.thread([&shared] { attend_until(shared, 1); });
}
MODEL_CASE(delegation, two_ranks_ask) {
  auto& shared = stage.shared<Shared>();
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    stage.thread([&shared, rank] { ask_for_work(shared, rank, 1, 1); });
  stage.thread([&shared] { attend_until(shared, 2); });
}
// What was withdrawn from one is asked of the other.
MODEL_CASE(delegation, two_ranks_are_asked) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { ask_for_work(shared, 0, 3, 0, 2); });
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    stage.thread([&shared, rank] { attend_until(shared, 1, rank, 2); });
}
// Two threads of the rank that is asked.
MODEL_CASE(delegation, two_threads_attend) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] { ask_for_work(shared, 0, 1, 1); });
  for (int thread = 0; thread < 2; ++thread) stage.thread([&shared] { attend_until(shared, 1); });
}
MODEL_CASE(delegation, a_bell_rings_for_work) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&shared] {
    store(shared.slots[0].work, 1);
    ask(shared.slots[0].state, 0, shared.bells[0], 0);
  });
  stage.thread([&shared] {
    for (Mark round = mark(); take_askers(shared.bells[0]) == 0;) pause(round);
    check(serve(shared, 0, 0, 1), "a bell without work");
  });
}

// --- two ranks that each ask the other for a stream at the same time, as begin_together of
// window/delegate.cpp does
constexpr std::uint32_t ranks = 2;

struct Stream {
  lockfree::Progress<Model> progress;
  alignas(64) std::uint32_t data;
};

void fill(Stream& stream) {
  store(stream.data, 1);
  publish_filled(stream.progress, sizeof stream.data);
}

void empty(Stream& stream) {
  for (Mark round = mark(); filled_bytes(stream.progress) == 0;) pause(round);
  check(load(stream.data) == 1, "another segment");
  publish_emptied(stream.progress, sizeof stream.data);
}

struct Streaming {
  lockfree::DelegationBell<Model> bells[ranks];
  struct alignas(64) Slot {
    lockfree::DelegationState<Model> state;
    Stream stream;
  } slot[ranks];
  Model::Atomic<std::uint32_t> ended;
};

void attend(Streaming& shared, std::uint32_t own) {
  const std::uint64_t bits = take_askers(shared.bells[own]);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (!(bits >> rank & 1) || !take(shared.slot[rank].state, own)) continue;
    empty(shared.slot[rank].stream);
    finish(shared.slot[rank].state);
  }
}

bool is_asked(const Streaming& shared, std::uint32_t own) {
  return shared.bells[own].askers.load(std::memory_order_relaxed) != 0;
}

void ask_together(Streaming& shared, std::uint32_t own) {
  const std::uint32_t whom = 1 - own;
  Streaming::Slot& slot = shared.slot[own];
  open_staging_buffer(slot.stream.progress);
  ask(slot.state, whom, shared.bells[whom], own);
  int withdrawals = 0;
  for (Mark round = mark(); is_untaken(slot.state, whom);) {
    if (is_asked(shared, own)) {
      if (!withdraw(slot.state, whom)) break;
      attend(shared, own);
      // Then the kernel copies; it may also ask again.
      if (++withdrawals == 2) return;
      ask(slot.state, whom, shared.bells[whom], own);
    } else {
      pause(round);
    }
  }
  fill(slot.stream);
  for (Mark round = mark(); !is_done(slot.state);) pause(round);
}

MODEL_CASE(delegation, of_streams_lets_no_two_ranks_wait_for_each_other) {
  auto& shared = stage.shared<Streaming>();
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    stage.thread([&shared, rank] {
      ask_together(shared, rank);
      shared.ended.fetch_add(1, std::memory_order_relaxed);
      for (Mark round = mark(); shared.ended.load(std::memory_order_relaxed) < ranks;) {
        if (is_asked(shared, rank))
          attend(shared, rank);
        else
          pause(round);
      }
    });
}

}  // namespace
}  // namespace baton::model
