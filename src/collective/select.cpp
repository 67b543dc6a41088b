#include "collective/select.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/settings.hpp"
#include "collective/in_room.hpp"
#include "collective/settle.hpp"
#include "collective/visit.hpp"

namespace baton::collective {

namespace {

using world::RoomPart;
using world::RoomState;

// From here on every rank reduces a part only; guesses, until `baton tune --collectives`.
constexpr std::int64_t halving_bytes_min = 8192;
constexpr std::int64_t pairwise_bytes_min = 8192;

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

Task select_allreduce(Run& run, const Call& call) {
  Vector vector = vector_of(call);
  void* total = call.in.buffer;
  if (!call.out.in_place())
    run.copy(call.out.buffer, vector.count, *vector.type, total, vector.count, *vector.type);
  bool long_one = vector.count * vector.type->size >= halving_bytes_min;
  if (long_one && call.commutes())
    return allreduce_halving(run, call.comm->collective, vector, total);
  return allreduce_doubling(run, call.comm->collective, vector, total);
}

Task select_reduce_scatter(Run& run, const Call& call) {
  Vector whole = whole_of(call);
  bool long_one = whole.count * whole.type->size >= pairwise_bytes_min;
  if (call.commutes() && (long_one || call.comm->size() == 2))
    return reduce_scatter_pairwise(run, call.comm->collective, whole, call.contribution(), call.in);
  return reduce_scatter_rooted(run, call.comm->collective, whole, call.contribution(), call.in);
}

// ---- rooms ----

enum class Place : std::uint8_t { messages, line, block };

// What each rank writes in a room; -1 where not all ranks know it, or it is nothing for rooms.
std::int64_t room_bytes(const Call& call) {
  const int ranks = call.comm->size();
  if (call.uneven || is_among_neighbours(call)) return -1;
  const Blocks& known = call.in.type && !call.in.in_place() ? call.in : call.out;
  switch (call.kind) {
    case Kind::barrier:
      return 0;
    case Kind::alltoall:
      return ranks * call.in.bytes(0);
    case Kind::reduce_scatter: {
      Vector whole = whole_of(call);
      return whole.count * whole.type->size;
    }
    default:
      return known.uniform * known.type->size;
  }
}

// Up to here blocks are quicker than messages. With two ranks only where both give and both get:
// what goes one way follows the sender line by line (2 cores of a Sapphire Rapids virtual machine,
// 2026-11-22, us, blocks and messages: allgather 512 B .43 .56, 4 KiB 1.28 1.43, 32 KiB 5.8 5.0;
// scatter 64 B .16 .12, 512 B .22 .20, 4 KiB .52 .61, 32 KiB 3.7 2.2).
std::int64_t block_bytes_max(const Call& call) {
  if (call.comm->size() > 2) return lockfree::RoomSizes::block_bytes;
  switch (call.kind) {
    case Kind::allgather:
    case Kind::alltoall:
    case Kind::allreduce:
    case Kind::reduce_scatter:
      return 16384;
    default:
      return 0;
  }
}

Place place_of(const Call& call) {
  const int ranks = call.comm->size();
  if (ranks == 1) return Place::messages;
  std::int64_t bytes = room_bytes(call);
  if (bytes < 0) return Place::messages;
  if (bytes <= lockfree::room_line_payload_bytes) return Place::line;
  return bytes <= std::min(settings.room_bytes_max, block_bytes_max(call)) ? Place::block
                                                                           : Place::messages;
}

struct Meetings {
  Meeting first;
  Meeting second;  // of what takes two steps
};

// From here on the ranks combine a part each.
bool goes_by_parts(const Call& call) {
  constexpr std::int64_t read_bytes_max = 16384;  // guess
  return call.kind == Kind::allreduce &&
         call.comm->size() * call.in.uniform * call.in.type->size > read_bytes_max;
}

Task select_in_room(Run& run, const Call& call, const Meetings& meetings) {
  const Meeting& meeting = meetings.first;
  message::count(message::engine.counters.room_collectives);
  switch (call.kind) {
    case Kind::barrier:
      return barrier_in_room(run, meeting);
    case Kind::broadcast:
      return broadcast_in_room(run, meeting, call.in, call.root);
    case Kind::gather:
      return gather_in_room(run, meeting, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_in_room(run, meeting, call.out, call.in, call.root);
    case Kind::allgather:
      return allgather_in_room(run, meeting, call.out, call.in);
    case Kind::alltoall:
      return alltoall_in_room(run, meeting, call.out, call.in);
    case Kind::reduce:
      return reduce_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer,
                            call.root);
    case Kind::allreduce:
      if (goes_by_parts(call))
        return allreduce_by_parts_in_room(run, meeting, meetings.second, vector_of(call),
                                          call.contribution(), call.in.buffer);
      return allreduce_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer);
    case Kind::reduce_scatter:
      return reduce_scatter_in_room(run, meeting, whole_of(call), call.contribution(), call.in);
    case Kind::scan:
    case Kind::exscan:
      return scan_in_room(run, meeting, vector_of(call), call.contribution(), call.in.buffer,
                          call.kind == Kind::scan);
    case Kind::neighbour_allgather:
    case Kind::neighbour_alltoall:
      break;
  }
  invariant_broken("neighbours do not meet in rooms", __FILE__, __LINE__);
}

Task select_messages(Run& run, const Call& call) {
  Communicator& comm = *call.comm;
  const Context& context = comm.collective;
  switch (call.kind) {
    case Kind::barrier:
      return barrier_dissemination(run, comm.members(0));
    case Kind::broadcast:
      return broadcast_binomial(run, context, call.in.buffer, call.in.uniform, *call.in.type,
                                call.root);
    case Kind::gather:
      return gather_linear(run, context, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_linear(run, context, call.out, call.in, call.root);
    case Kind::allgather:
      return allgather_ring(run, context, call.out, call.in);
    case Kind::alltoall:
      if (call.out.in_place()) return alltoall_in_place(run, context, call.in);
      return alltoall_pairwise(run, context, call.out, call.in);
    case Kind::reduce:
      return reduce_binomial(run, context, vector_of(call), call.contribution(), call.in.buffer,
                             call.root);
    case Kind::allreduce:
      return select_allreduce(run, call);
    case Kind::reduce_scatter:
      return select_reduce_scatter(run, call);
    case Kind::scan:
    case Kind::exscan:
      return scan_doubling(run, context, vector_of(call), call.contribution(), call.in.buffer,
                           call.kind == Kind::scan);
    case Kind::neighbour_allgather:
    case Kind::neighbour_alltoall:
      return neighbour_exchange(run, comm, call.out, call.in);
  }
  invariant_broken("a collective has a kind", __FILE__, __LINE__);
}

// The first calls in a room: by the time they know whether it is there, others may have begun.
Task settle_first(Run& run, const Call& call, Place place, Meetings meetings) {
  world::RoomView& view = run.room();
  co_await settle_room(run, RoomPart::lines);
  bool open = view.lines == RoomState::open;
  if (open && place == Place::block) {
    co_await settle_room(run, RoomPart::blocks);
    open = view.blocks == RoomState::open;
  }
  if (open) {
    co_await select_in_room(run, call, meetings);
    co_return;
  }
  co_await select_messages(run, call);
  if (view.lines != RoomState::open) co_return;
  // There are lines, but no blocks: its tickets are over.
  for (const Meeting& meeting : {meetings.first, meetings.second}) {
    if (meeting.ticket == 0) continue;
    Visit visit(run, meeting);
    co_await run.until([&] { return view.room.may_finish(meeting); });
    visit.finish();
  }
}

}  // namespace

Task select(Run& run, const Call& call) {
  if (BATON_UNLIKELY(call.comm->is_inter())) return select_between(run, call);
  const Place place = place_of(call);
  if (place == Place::messages) return select_messages(run, call);
  const bool wants_block = place == Place::block;
  world::RoomView& view = run.room();
  bool open;
  Meetings meetings;
  {
    platform::Guard guard(view.lock);
    if (view.lines == RoomState::none) return select_messages(run, call);
    // Without blocks, too: another rank may not know it yet, and tickets are alike everywhere.
    meetings.first = view.room.open(wants_block);
    if (wants_block && goes_by_parts(call)) meetings.second = view.room.open(true);
    open = view.lines == RoomState::open && (!wants_block || view.blocks == RoomState::open);
  }
  if (BATON_LIKELY(open)) return select_in_room(run, call, meetings);
  return settle_first(run, call, place, meetings);
}

}  // namespace baton::collective
