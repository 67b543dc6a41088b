#include "collective/select.hpp"

#include "collective/cutoffs.hpp"
#include "collective/functions.hpp"
#include "collective/intercommunicator.hpp"
#include "collective/room/chains.hpp"
#include "collective/room/segments.hpp"
#include "collective/room/settle.hpp"
#include "collective/room/visit.hpp"
#include "message/core/engine.hpp"

namespace baton::collective {

namespace {

using world::RoomPart;
using world::RoomState;

// ---- the facts of a choice; none that another rank may know otherwise ----

struct Facts {
  std::int64_t bytes;
  unsigned traits;
};

// Returns the facts of a call with blocks, of which ranks may give different amounts.
Facts facts_of_blocks(const Call& call) {
  const bool to_all = call.kind == Kind::alltoall;
  // In other kinds it may be in place on some ranks only, so they do not count it.
  const unsigned in_place = to_all && call.out.in_place() ? trait_in_place : 0u;
  if (call.uneven) return {0, trait_uneven | in_place};
  const Blocks& known = call.in.type && !call.in.in_place() ? call.in : call.out;
  const std::int64_t block = known.uniform * known.type->size;
  return {to_all ? call.comm->size() * block : block, in_place};
}

BATON_INLINE Facts facts_of(const Call& call) {
  auto ordered = [&call] { return call.commutes() ? 0u : trait_ordered; };
  switch (call.kind) {
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::scan:
    case Kind::exscan:
      return {call.in.uniform * call.in.type->size, ordered()};
    case Kind::reduce_scatter: {
      Vector whole = whole_of(call);
      return {whole.count * whole.type->size, ordered()};
    }
    case Kind::broadcast:
      return {call.in.uniform * call.in.type->size, 0};
    case Kind::gather:
    case Kind::scatter:
    case Kind::allgather:
    case Kind::alltoall:
      return facts_of_blocks(call);
    case Kind::barrier:
    case Kind::neighbor_allgather:
    case Kind::neighbor_alltoall:
      break;
  }
  return {0, 0};
}

void count_call(const Cutoff& cutoff, std::int64_t bytes) {
  message::count(cutoff.calls[size_class(bytes)]);
}
// Counts a choice that was made without a room, and so does not know why there is none.
void count_call(const Cutoff& cutoff, std::int64_t bytes, ChoiceReason why) {
  auto& calls = message::engine.collectives.calls[static_cast<int>(cutoff.algorithm)];
  const bool knew = cutoff.calls != calls[static_cast<int>(ChoiceReason::no_room)];
  message::count((knew ? cutoff.calls : calls[static_cast<int>(why)])[size_class(bytes)]);
}

// Returns how many rounds a call takes.
std::uint64_t rounds_of(const Call& call, std::uint8_t rounds) {
  switch (rounds) {
    case round_per_segment:
      return segments_of(call).count;
    case two_rounds_per_segment:
      return 2 * segments_of(call).count;
    default:
      return chains_of(call).segments;
  }
}

// Begins the call by messages, because it has turned out that there is no room, or that the ranks
// may not copy from each other.
BATON_COLD Task begin_otherwise(Run& run, const Call& call, const Facts& facts, unsigned trait,
                                ChoiceReason why) {
  Cutoff spare;
  const Cutoff& cutoff =
      find_cutoff(*call.comm, call.kind, facts.traits | trait_no_room | trait, facts.bytes, spare);
  count_call(cutoff, facts.bytes, why);
  return function_of(cutoff.algorithm).by_messages(run);
}
BATON_COLD Task begin_without_room(Run& run, const Call& call, const Facts& facts) {
  const bool in_use = run.room().lack == world::RoomLack::pool_in_use;
  return begin_otherwise(run, call, facts, trait_no_room,
                         in_use ? ChoiceReason::pool_in_use : ChoiceReason::no_room);
}
// Begins by messages once a direct algorithm awaits it.
Task go_by_messages(Run& run, const Call& call, Facts facts) {
  co_await begin_otherwise(run, call, facts, trait_not_direct, ChoiceReason::not_direct);
}

bool is_direct(Algorithm algorithm) {
  return row_of(algorithm).needs & needs_direct;
}

// Begins an algorithm in a room that is open; `second` is the second round of one that takes two.
BATON_INLINE Task begin_open(Run& run, const Call& call, Algorithm algorithm, const Facts& facts,
                             const Round& first, const Round* second) {
  const Function function = function_of(algorithm);
  if (!second) return function.in_one_round(run, first);
  if (is_direct(algorithm))
    return function.copies_directly(run, first, *second, go_by_messages(run, call, facts));
  return function.in_two_rounds(run, first, *second);
}

// These are the rounds that a call has taken: one, two, or many in a row.
struct Taken {
  Rounds row;
  std::uint64_t count;
  bool in_a_row = false;

  Round at(std::uint64_t i) const { return lockfree::Room<lockfree::Hardware>::in_row(row, i); }
};

// Begins one of the first calls in a room: by the time they know whether the room is there, others
// may have begun.
Task settle_first(Run& run, const Call& call, Taken taken, Cutoff cutoff, Facts facts) {
  world::RoomView& view = run.room();
  co_await settle_room(run, RoomPart::lines);
  bool open = view.lines == RoomState::open;
  if (open && taken.at(0).has_blocks()) {
    co_await settle_room(run, RoomPart::blocks);
    open = view.blocks == RoomState::open;
  }
  if (open) {
    count_call(cutoff, facts.bytes);
    if (taken.in_a_row)
      co_await function_of(cutoff.algorithm).in_many_rounds(run, taken.row);
    else
      co_await begin_open(run, call, cutoff.algorithm, facts, taken.row[0],
                          taken.count == 2 ? &taken.row[1] : nullptr);
    co_return;
  }
  co_await begin_without_room(run, call, facts);
  if (view.lines != RoomState::open) co_return;
  // There are lines, but no blocks, so the call's rounds are over.
  for (std::uint64_t i = 0; i < taken.count; ++i) {
    const Round round = taken.at(i);
    Visit visit(run, round);
    co_await run.until([&] { return view.room.may_finish(round); });
    visit.finish();
  }
}

// Takes the rounds of a call, and begins it as the room's state asks.
template <bool two>
BATON_INLINE Task meet(Run& run, const Call& call, const Cutoff& cutoff, const Facts& facts) {
  using lockfree::RoomSpace;
  world::RoomView& view = run.room();
  const RoomSpace space =
      two && is_direct(cutoff.algorithm) ? RoomSpace::lines : view.room.space_for(facts.bytes);
  Round first;
  Round second;
  bool open;
  {
    platform::Guard guard(view.lock);
    if (BATON_UNLIKELY(view.lines == RoomState::none)) return begin_without_room(run, call, facts);
    // Rounds are taken even without blocks: another rank may not know that yet, and all ranks must
    // have the same sequence numbers.
    first = view.room.open(space);
    if (two) second = view.room.open(space);
    open = view.lines == RoomState::open &&
           (space == RoomSpace::lines || view.blocks == RoomState::open);
  }
  if (BATON_UNLIKELY(!open))
    return settle_first(run, call, {{first, second}, two ? 2 : 1}, cutoff, facts);
  count_call(cutoff, facts.bytes);
  return begin_open(run, call, cutoff.algorithm, facts, first, two ? &second : nullptr);
}

// Begins a call that takes many rounds, all with blocks.
Task begin_many_rounds(Run& run, const Call& call, const Cutoff& cutoff, const Facts& facts) {
  const std::uint64_t rounds = rounds_of(call, cutoff.rounds);
  if (rounds == 0)
    return begin_otherwise(run, call, facts, trait_no_room, ChoiceReason::too_long_for_room);
  world::RoomView& view = run.room();
  Rounds row;
  bool open;
  {
    platform::Guard guard(view.lock);
    if (view.lines == RoomState::none) return begin_without_room(run, call, facts);
    row = view.room.open_row(rounds);
    open = view.lines == RoomState::open && view.blocks == RoomState::open;
  }
  if (!open) return settle_first(run, call, {row, rounds, true}, cutoff, facts);
  count_call(cutoff, facts.bytes);
  return function_of(cutoff.algorithm).in_many_rounds(run, row);
}

BATON_INLINE Task begin(Run& run, const Call& call, const Facts& facts) {
  Cutoff spare;
  const Cutoff& cutoff = find_cutoff(*call.comm, call.kind, facts.traits, facts.bytes, spare);
  if (cutoff.rounds == 1) return meet<false>(run, call, cutoff, facts);
  if (cutoff.rounds == 2) return meet<true>(run, call, cutoff, facts);
  if (cutoff.rounds != 0) return begin_many_rounds(run, call, cutoff, facts);
  count_call(cutoff, facts.bytes);
  return function_of(cutoff.algorithm).by_messages(run);
}

}  // namespace

Task select(Run& run, const Call& call) {
  if (BATON_UNLIKELY(call.comm->is_inter())) return begin_on_intercommunicator(run);
  return begin(run, call, facts_of(call));
}

bool goes_by_messages(const Call& call) {
  if (call.comm->is_inter()) return false;
  const Facts facts = facts_of(call);
  Cutoff spare;
  const Cutoff& cutoff = find_cutoff(*call.comm, call.kind, facts.traits, facts.bytes, spare);
  return cutoff.rounds == 0 && !(row_of(cutoff.algorithm).needs & needs_nodes);
}

std::int64_t bytes_of(const Call& call) {
  return facts_of(call).bytes;
}

Task select_by_messages(Run& run, const Call& call) {
  if (goes_by_messages(call)) return select(run, call);
  return begin_otherwise(run, call, facts_of(call), trait_no_room, ChoiceReason::device_memory);
}

Task select_step(Run& run, const Call& call, bool rooms) {
  if (BATON_UNLIKELY(run.by_messages)) return select_by_messages(run, call);
  Facts facts = facts_of(call);
  if (!rooms) facts.traits |= trait_no_room;
  return begin(run, call, facts);
}

}  // namespace baton::collective
