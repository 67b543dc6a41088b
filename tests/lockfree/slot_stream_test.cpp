// The shipped stream of segments over all interleavings; and two ranks that each ask the other for
// one at the same time, as begin_together of window/delegate.cpp does.
#include "lockfree/slot_stream.hpp"

#include "lockfree/delegation.hpp"
#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

constexpr std::uint32_t slots = 2, ranks = 2;

struct Stream {
  lockfree::SlotStream<Model> progress;
  alignas(64) std::uint32_t data[slots];
};

void fill(Stream& stream, std::uint32_t segments) {
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    for (Mark round = mark(); !may_fill(stream.progress, segment, slots);) pause(round);
    const std::uint32_t value = segment + 1;
    Model::store_payload(&stream.data[segment % slots], &value, sizeof value);
    note_filled(stream.progress, segment);
  }
}

void empty(Stream& stream, std::uint32_t segments) {
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    for (Mark round = mark(); !may_empty(stream.progress, segment);) pause(round);
    std::uint32_t value;
    Model::load_payload(&value, &stream.data[segment % slots], sizeof value);
    check(value == segment + 1, "another segment");
    note_emptied(stream.progress, segment);
  }
}

MODEL_CASE(slot_stream, segments_come_in_order) {
  auto& stream = stage.shared<Stream>();
  stage.thread([&stream] { fill(stream, 4); });
  stage.thread([&stream] { empty(stream, 4); });
}

struct Delegation {
  lockfree::DelegationBell<Model> bells[ranks];
  struct alignas(64) Slot {
    lockfree::DelegationState<Model> state;
    Stream stream;
  } slot[ranks];
  Model::Atomic<std::uint32_t> ended;
};

void attend(Delegation& shared, std::uint32_t own) {
  const std::uint64_t bits = take_askers(shared.bells[own]);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (!(bits >> rank & 1) || !take(shared.slot[rank].state, own)) continue;
    empty(shared.slot[rank].stream, 1);
    finish(shared.slot[rank].state);
  }
}

bool is_asked(const Delegation& shared, std::uint32_t own) {
  return shared.bells[own].askers.load(std::memory_order_relaxed) != 0;
}

void ask_together(Delegation& shared, std::uint32_t own) {
  const std::uint32_t whom = 1 - own;
  Delegation::Slot& slot = shared.slot[own];
  begin_stream(slot.stream.progress);
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
  fill(slot.stream, 1);
  for (Mark round = mark(); !is_done(slot.state);) pause(round);
}

MODEL_CASE(slot_stream, two_ranks_that_ask_do_not_wait_for_each_other) {
  auto& shared = stage.shared<Delegation>();
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
