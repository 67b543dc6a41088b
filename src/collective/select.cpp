#include "collective/select.hpp"

#include "base/check.hpp"
#include "collective/cutoffs.hpp"
#include "collective/direct.hpp"
#include "collective/in_room.hpp"
#include "collective/room/chains.hpp"
#include "collective/room/pieces.hpp"
#include "collective/room/settle.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

namespace {

using world::RoomPart;
using world::RoomState;

Vector vector_of(const Call& call) {
  return {call.in.uniform, call.in.type, call.operation};
}

// Of a reduce_scatter: all parts.
Vector whole_of(const Call& call) {
  Vector whole = vector_of(call);
  whole.count = 0;
  for (int r = 0; r < call.comm->size(); ++r) whole.count += call.in.count(r);
  return whole;
}

Task select_between(Run& run, const Call& call) {
  Communicator& comm = *call.comm;
  switch (call.kind) {
    case Kind::barrier:
      return barrier_dissemination(run, comm.members(0));
    case Kind::broadcast:
      return broadcast_between(run, comm, call.in, call.root);
    case Kind::gather:
      return gather_between(run, comm, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_between(run, comm, call.out, call.in, call.root);
    case Kind::allgather:
    case Kind::alltoall:
      return exchange_between(run, comm, call.out, call.in);
    case Kind::reduce:
      return reduce_between(run, comm, vector_of(call), call.contribution(), call.in.buffer,
                            call.root);
    case Kind::allreduce:
      return allreduce_between(run, comm, vector_of(call), call.contribution(), call.in.buffer);
    case Kind::reduce_scatter:
      return reduce_scatter_between(run, comm, whole_of(call), call.contribution(), call.in);
    default:
      break;
  }
  invariant_broken("no such collective between groups", __FILE__, __LINE__);
}

// ---- what is chosen by; nothing that another rank may know otherwise ----

struct Facts {
  std::int64_t bytes;
  unsigned traits;
};

// Blocks, which ranks may give different amounts of.
Facts facts_of_blocks(const Call& call) {
  const bool to_all = call.kind == Kind::alltoall;
  // Elsewhere it may be in place on some ranks only.
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
    case Kind::neighbour_allgather:
    case Kind::neighbour_alltoall:
      break;
  }
  return {0, 0};
}

void count_call(const Cutoff& cutoff, std::int64_t bytes) {
  message::count(cutoff.calls[size_class(bytes)]);
}
// The same of a choice that was made without a room, which does not know why there is none.
void count_call(const Cutoff& cutoff, std::int64_t bytes, ChoiceReason why) {
  auto& calls = message::engine.collectives.calls[static_cast<int>(cutoff.algorithm)];
  const bool knew = cutoff.calls != calls[static_cast<int>(ChoiceReason::no_room)];
  message::count((knew ? cutoff.calls : calls[static_cast<int>(why)])[size_class(bytes)]);
}

// ---- what each algorithm is called with ----

// `second` is of what takes two.
BATON_INLINE Task begin_in_room(Run& run, const Call& call, Algorithm algorithm,
                                const Meeting& meeting, const Meeting* second) {
  switch (algorithm) {
    case Algorithm::barrier_in_room:
      return barrier_in_room(run, meeting);
    case Algorithm::barrier_by_groups_in_room:
      return barrier_by_groups_in_room(run, meeting, *second);
    case Algorithm::broadcast_by_groups_in_room:
      return broadcast_by_groups_in_room(run, meeting, *second, call.in, call.root);
    case Algorithm::broadcast_in_room:
      return broadcast_in_room(run, meeting, call.in, call.root);
    case Algorithm::gather_in_room:
      return gather_in_room(run, meeting, call.out, call.in, call.root);
    case Algorithm::scatter_in_room:
      return scatter_in_room(run, meeting, call.out, call.in, call.root);
    case Algorithm::allgather_in_room:
      return allgather_in_room(run, meeting, call.out, call.in);
    case Algorithm::alltoall_in_room:
      return alltoall_in_room(run, meeting, call.out, call.in);
    case Algorithm::reduce_in_room:
      return reduce_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer,
                            call.root);
    case Algorithm::reduce_by_groups_in_room:
      return reduce_by_groups_in_room(run, meeting, *second, vector_of(call), call.contribution(),
                                      call.in.buffer, call.root);
    case Algorithm::allreduce_by_groups_in_room:
      return allreduce_by_groups_in_room(run, meeting, *second, vector_of(call),
                                         call.contribution(), call.in.buffer);
    case Algorithm::allreduce_in_room:
      return allreduce_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer);
    case Algorithm::allreduce_by_parts_in_room:
      return allreduce_by_parts_in_room(run, meeting, *second, vector_of(call), call.contribution(),
                                        call.in.buffer);
    case Algorithm::reduce_scatter_in_room:
      return reduce_scatter_in_room(run, meeting, whole_of(call), call.contribution(), call.in);
    case Algorithm::scan_in_room:
    case Algorithm::exscan_in_room:
      return scan_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer,
                          call.kind == Kind::scan);
    default:
      break;
  }
  invariant_broken("an algorithm that meets in a room is begun there", __FILE__, __LINE__);
}

// What takes many.
Task begin_in_row(Run& run, const Call& call, Algorithm algorithm, const MeetingRow& row) {
  const Vector vector = vector_of(call);
  void* result = call.in.buffer;
  const int rank = call.comm->rank();
  switch (algorithm) {
    case Algorithm::allgather_by_pieces_in_room:
      return allgather_by_pieces_in_room(run, row, call.out, call.in);
    case Algorithm::alltoall_by_pieces_in_room:
      return alltoall_by_pieces_in_room(run, row, call.out, call.in);
    case Algorithm::reduce_scatter_by_pieces_in_room:
      return reduce_scatter_by_pieces_in_room(run, row, whole_of(call), call.contribution(),
                                              call.in);
    case Algorithm::allreduce_by_pieces_in_room:
      return allreduce_by_pieces_in_room(run, row, vector, call.contribution(), result);
    case Algorithm::reduce_chain_in_room:
      return reduction_chain_in_room(run, row, vector, call.contribution(),
                                     {0, rank == call.root ? vector.count : 0, result});
    case Algorithm::allreduce_chain_in_room:
      return reduction_chain_in_room(run, row, vector, call.contribution(),
                                     {0, vector.count, result});
    case Algorithm::reduce_scatter_chain_in_room: {
      std::int64_t begin = 0;
      for (int r = 0; r < rank; ++r) begin += call.in.count(r);
      return reduction_chain_in_room(run, row, whole_of(call), call.contribution(),
                                     {begin, begin + call.in.count(rank), result});
    }
    default:
      break;
  }
  invariant_broken("an algorithm of many meetings is begun as one", __FILE__, __LINE__);
}
std::uint64_t meetings_in_row(const Call& call, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::allgather_by_pieces_in_room:
    case Algorithm::alltoall_by_pieces_in_room:
    case Algorithm::reduce_scatter_by_pieces_in_room:
      return pieces_of(call).count;
    case Algorithm::allreduce_by_pieces_in_room:
      return 2 * pieces_of(call).count;
    default:
      return chains_of(call).pieces;
  }
}

Task begin_by_messages(Run& run, const Call& call, Algorithm algorithm) {
  Communicator& comm = *call.comm;
  const Context& context = comm.collective;
  switch (algorithm) {
    case Algorithm::barrier_dissemination:
      return barrier_dissemination(run, comm.members(0));
    case Algorithm::broadcast_binomial:
      return broadcast_binomial(run, context, call.in.buffer, call.in.uniform, *call.in.type,
                                call.root);
    case Algorithm::gather_linear:
      return gather_linear(run, context, call.out, call.in, call.root);
    case Algorithm::scatter_linear:
      return scatter_linear(run, context, call.out, call.in, call.root);
    case Algorithm::allgather_bruck:
      return allgather_bruck(run, context, call.out, call.in);
    case Algorithm::alltoall_bruck:
      return alltoall_bruck(run, context, call.out, call.in);
    case Algorithm::allgather_ring:
      return allgather_ring(run, context, call.out, call.in);
    case Algorithm::alltoall_in_place:
      return alltoall_in_place(run, context, call.in);
    case Algorithm::alltoall_pairwise:
      return alltoall_pairwise(run, context, call.out, call.in);
    case Algorithm::reduce_binomial:
      return reduce_binomial(run, context, vector_of(call), call.contribution(), call.in.buffer,
                             call.root);
    case Algorithm::allreduce_halving:
      return allreduce_halving(run, context, vector_of(call), call.contribution(), call.in.buffer);
    case Algorithm::allreduce_doubling:
      return allreduce_doubling(run, context, vector_of(call), call.contribution(), call.in.buffer);
    case Algorithm::reduce_scatter_pairwise:
      return reduce_scatter_pairwise(run, context, whole_of(call), call.contribution(), call.in);
    case Algorithm::reduce_scatter_rooted:
      return reduce_scatter_rooted(run, context, whole_of(call), call.contribution(), call.in);
    case Algorithm::scan_doubling:
    case Algorithm::exscan_doubling:
      return scan_doubling(run, context, vector_of(call), call.contribution(), call.in.buffer,
                           call.kind == Kind::scan);
    case Algorithm::neighbour_allgather_exchange:
    case Algorithm::neighbour_alltoall_exchange:
      return neighbour_exchange(run, comm, call.out, call.in);
    default:
      break;
  }
  invariant_broken("an algorithm is begun as its row says", __FILE__, __LINE__);
}

// Where it has turned out that there is no room, or that the ranks may not copy from each other.
BATON_COLD Task begin_otherwise(Run& run, const Call& call, const Facts& facts, unsigned trait,
                                ChoiceReason why) {
  Cutoff spare;
  const Cutoff& cutoff =
      find_cutoff(*call.comm, call.kind, facts.traits | trait_no_room | trait, facts.bytes, spare);
  count_call(cutoff, facts.bytes, why);
  return begin_by_messages(run, call, cutoff.algorithm);
}
BATON_COLD Task begin_without_room(Run& run, const Call& call, const Facts& facts) {
  const bool in_use = run.room().lack == world::RoomLack::pool_in_use;
  return begin_otherwise(run, call, facts, trait_no_room,
                         in_use ? ChoiceReason::pool_in_use : ChoiceReason::no_room);
}
// The same, once somebody wants it.
Task go_by_messages(Run& run, const Call& call, Facts facts) {
  co_await begin_otherwise(run, call, facts, trait_not_direct, ChoiceReason::not_direct);
}

Task begin_direct(Run& run, const Call& call, Algorithm algorithm, const Facts& facts,
                  const Meeting& first, const Meeting& last) {
  Task otherwise = go_by_messages(run, call, facts);
  switch (algorithm) {
    case Algorithm::broadcast_direct:
      return broadcast_direct(run, first, last, call.in, call.root, otherwise);
    case Algorithm::gather_direct:
      return gather_direct(run, first, last, call.out, call.in, call.root, otherwise);
    case Algorithm::scatter_direct:
      return scatter_direct(run, first, last, call.out, call.in, call.root, otherwise);
    case Algorithm::allgather_direct:
      return allgather_direct(run, first, last, call.out, call.in, otherwise);
    case Algorithm::alltoall_direct:
      return alltoall_direct(run, first, last, call.out, call.in, otherwise);
    case Algorithm::reduce_direct:
      return reduce_direct(run, first, last, vector_of(call), call.contribution(), call.in.buffer,
                           call.root, otherwise);
    case Algorithm::allreduce_direct:
      return allreduce_direct(run, first, last, vector_of(call), call.contribution(),
                              call.in.buffer, otherwise);
    case Algorithm::reduce_scatter_direct:
      return reduce_scatter_direct(run, first, last, whole_of(call), call.contribution(), call.in,
                                   otherwise);
    default:
      break;
  }
  invariant_broken("an algorithm of direct copies is begun as one", __FILE__, __LINE__);
}

bool is_direct(Algorithm algorithm) {
  return row_of(algorithm).needs & needs_direct;
}

// `second` as above.
BATON_INLINE Task begin_open(Run& run, const Call& call, Algorithm algorithm, const Facts& facts,
                             const Meeting& first, const Meeting* second) {
  if (second && is_direct(algorithm))
    return begin_direct(run, call, algorithm, facts, first, *second);
  return begin_in_room(run, call, algorithm, first, second);
}

// The tickets of a call: one, two, or many in a row.
struct Tickets {
  MeetingRow row;
  std::uint64_t count;
  bool in_a_row = false;

  Meeting at(std::uint64_t i) const { return lockfree::Room<lockfree::Hardware>::in_row(row, i); }
};

// The first calls in a room: by the time they know whether it is there, others may have begun.
Task settle_first(Run& run, const Call& call, Tickets tickets, Cutoff cutoff, Facts facts) {
  world::RoomView& view = run.room();
  co_await settle_room(run, RoomPart::lines);
  bool open = view.lines == RoomState::open;
  if (open && tickets.at(0).has_blocks()) {
    co_await settle_room(run, RoomPart::blocks);
    open = view.blocks == RoomState::open;
  }
  if (open) {
    count_call(cutoff, facts.bytes);
    if (tickets.in_a_row)
      co_await begin_in_row(run, call, cutoff.algorithm, tickets.row);
    else
      co_await begin_open(run, call, cutoff.algorithm, facts, tickets.row[0], &tickets.row[1]);
    co_return;
  }
  co_await begin_without_room(run, call, facts);
  if (view.lines != RoomState::open) co_return;
  // There are lines, but no blocks: its tickets are over.
  for (std::uint64_t i = 0; i < tickets.count; ++i) {
    const Meeting meeting = tickets.at(i);
    Visit visit(run, meeting);
    co_await run.until([&] { return view.room.may_finish(meeting); });
    visit.finish();
  }
}

// Takes the tickets of a call, and begins it as the room's state asks.
template <bool two>
BATON_INLINE Task meet(Run& run, const Call& call, const Cutoff& cutoff, const Facts& facts) {
  using lockfree::RoomSpace;
  world::RoomView& view = run.room();
  const RoomSpace space =
      two && is_direct(cutoff.algorithm) ? RoomSpace::lines : view.room.space_for(facts.bytes);
  Meeting first;
  Meeting second;
  bool open;
  {
    platform::Guard guard(view.lock);
    if (BATON_UNLIKELY(view.lines == RoomState::none)) return begin_without_room(run, call, facts);
    // Without blocks, too: another rank may not know it yet, and tickets are alike everywhere.
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

// The same of a call that takes many, all with blocks.
Task meet_in_row(Run& run, const Call& call, const Cutoff& cutoff, const Facts& facts) {
  const std::uint64_t meetings = meetings_in_row(call, cutoff.algorithm);
  if (meetings == 0)
    return begin_otherwise(run, call, facts, trait_no_room, ChoiceReason::too_long_for_room);
  world::RoomView& view = run.room();
  MeetingRow row;
  bool open;
  {
    platform::Guard guard(view.lock);
    if (view.lines == RoomState::none) return begin_without_room(run, call, facts);
    row = view.room.open_row(meetings);
    open = view.lines == RoomState::open && view.blocks == RoomState::open;
  }
  if (!open) return settle_first(run, call, {row, meetings, true}, cutoff, facts);
  count_call(cutoff, facts.bytes);
  return begin_in_row(run, call, cutoff.algorithm, row);
}

}  // namespace

Task select(Run& run, const Call& call) {
  if (BATON_UNLIKELY(call.comm->is_inter())) return select_between(run, call);
  const Facts facts = facts_of(call);
  Cutoff spare;
  const Cutoff& cutoff = find_cutoff(*call.comm, call.kind, facts.traits, facts.bytes, spare);
  if (cutoff.meetings == 1) return meet<false>(run, call, cutoff, facts);
  if (cutoff.meetings == 2) return meet<true>(run, call, cutoff, facts);
  if (cutoff.meetings == many) return meet_in_row(run, call, cutoff, facts);
  count_call(cutoff, facts.bytes);
  return begin_by_messages(run, call, cutoff.algorithm);
}

}  // namespace baton::collective
