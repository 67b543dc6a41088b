// The receiver's side: units arrive, and are taken in where they have to be. On a board any thread
// that looks for a partition may take its units; whoever claims a unit does.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/failure_class.hpp"
#include "datatype/pack.hpp"
#include "message/core/notify.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/requests.hpp"
#include "message/core/wake.hpp"
#include "message/partitioned/side.hpp"
#include "platform/copy.hpp"
#include "transport/move/copy.hpp"

namespace baton::message::partitioned {

namespace {

void unpack(Side& side, std::uint32_t unit, const char* data) {
  const std::int64_t begin = side.units.begin(unit), bytes = side.units.bytes(unit);
  if (side.is_run)
    platform::copy_run(static_cast<char*>(side.arguments.buffer) + begin, data,
                       static_cast<std::size_t>(bytes));
  else
    datatype::unpack(*side.arguments.type, side.arguments.buffer, begin, data, bytes,
                     side.context.is_host());
}

// Copies a unit from the sender's buffer; false: the kernel refuses.
bool pull(Side& side, std::uint32_t unit) {
  const std::int64_t begin = side.units.begin(unit), bytes = side.units.bytes(unit);
  char* to = static_cast<char*>(side.arguments.buffer) + begin;
  if (!side.there)
    return transport::kernel_copy_from(
        {side.peer, reinterpret_cast<char*>(side.offer.address) + begin}, to, bytes);
  platform::copy_run(to, side.there + begin, static_cast<std::size_t>(bytes));
  return true;
}

// Takes in a unit on the board that is ready. False: it is not, or somebody else has it.
bool take_from_board(Side& side, std::uint32_t unit) {
  UnitState& state = side.unit(unit);
  if (side.way == Way::direct && !reaches(side)) return false;
  if (!claim_unit(state, side.iteration)) return false;
  if (side.way == Way::staged)
    unpack(side, unit, Side::data(state));
  else if (!pull(side, unit))
    platform::store_shared(side.failed, errno == ESRCH ? error_process_failed : MPI_ERR_OTHER);
  const transport::Slot peer = side.peer;
  finish_unit(state, side.iteration);
  wake_rank(peer);
  return true;
}

// Returns whether a unit's elements are whole ones of the receiver's type.
bool fits(const Side& side, std::uint32_t unit) {
  const std::int64_t size = side.arguments.type->size;
  return size > 0 && side.units.begin(unit) % size == 0 && side.units.end(unit) % size == 0;
}

void post_unit(Side& side, std::uint32_t unit) {
  const Arguments& arguments = side.arguments;
  Datatype& type = *arguments.type;
  const std::int64_t begin = side.units.begin(unit), bytes = side.units.bytes(unit);
  char* buffer = static_cast<char*>(arguments.buffer);
  Request& message = *new (&side.messages[unit]) Request;
  const std::int32_t tag = side.message_tag(unit);
  if (side.packed)
    begin_receive(side.context, side.packed + begin, bytes, byte_type(), arguments.rank, tag,
                  message);
  else if (type.contiguous || bytes == 0)
    begin_receive(side.context, buffer + begin, bytes, byte_type(), arguments.rank, tag, message);
  else
    begin_receive(side.context, buffer + begin / type.size * type.extent, bytes / type.size, type,
                  arguments.rank, tag, message);
}

bool take_message(Side& side, std::uint32_t unit) {
  if (side.taken[unit] == side.iteration || !is_complete(side.messages[unit])) return false;
  if (side.messages[unit].error)
    platform::store_shared(side.failed, side.messages[unit].error);
  else if (side.packed)
    datatype::unpack(*side.arguments.type, side.arguments.buffer, side.units.begin(unit),
                     side.packed + side.units.begin(unit), side.units.bytes(unit),
                     side.context.is_host());
  // ORDER side.taken: release here, acquire in is_there; the data.
  std::atomic_ref(side.taken[unit]).store(side.iteration, std::memory_order_release);
  return true;
}

bool take(Side& side, std::uint32_t unit) {
  return side.way == Way::messages ? take_message(side, unit) : take_from_board(side, unit);
}

bool is_there(Side& side, std::uint32_t unit) {
  if (side.way != Way::messages) return has_arrived(side.unit(unit), side.iteration);
  // ORDER side.taken: acquire here, release in take_message.
  return std::atomic_ref(side.taken[unit]).load(std::memory_order_acquire) == side.iteration;
}

// The units that have parts of a partition of ours.
struct Range {
  std::uint32_t first, last;
};
Range units_of(const Side& side, std::int32_t partition) {
  const std::int64_t bytes = side.partition_bytes;
  if (bytes == 0) return {0, side.units.count() - 1};
  return {side.units.unit_of(partition * bytes), side.units.unit_of((partition + 1) * bytes - 1)};
}

// Any thread. A unit on the board is taken in at once; messages are left to progress.
bool look_once(Side& side, std::int32_t partition) {
  if (!has_met(side)) return false;
  if (side.units.count() == 0) return true;
  const Range range = units_of(side, partition);
  bool all = true, taken = false;
  for (std::uint32_t unit = range.first; unit <= range.last; ++unit) {
    if (is_there(side, unit)) continue;
    if (side.way != Way::messages && take_from_board(side, unit))
      taken = true;
    else
      all = false;
  }
  // The thread that waits for the whole message may be asleep.
  if (taken && BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();
  return all;
}

void count_way(Way way) {
  Counters& counters = engine.counters;
  if (way == Way::staged) count(counters.partitioned_staged);
  if (way == Way::direct) count(counters.partitioned_direct);
  if (way == Way::messages) count(counters.partitioned_messages);
}

}  // namespace

bool prepare_receive(Side& side) {
  const std::size_t units = side.units.count();
  if (side.way != Way::messages || units == 0) return true;
  side.messages = static_cast<Request*>(std::calloc(units, sizeof(Request)));
  side.taken = static_cast<std::uint64_t*>(std::calloc(units, sizeof(std::uint64_t)));
  if (!side.messages || !side.taken) return false;
  bool all_fit = side.arguments.type->contiguous;
  if (!all_fit) {
    all_fit = true;
    for (std::uint32_t unit = 0; unit < units; ++unit) all_fit = all_fit && fits(side, unit);
  }
  if (all_fit || side.total_bytes() == 0) return true;
  side.packed = static_cast<char*>(std::malloc(static_cast<std::size_t>(side.total_bytes())));
  return side.packed != nullptr;
}

void open_receive(Side& side) {
  count_way(side.way);
  if (side.way == Way::messages)
    for (std::uint32_t unit = 0; unit < side.units.count(); ++unit) post_unit(side, unit);
  if (!side.board) return;
  begin_iteration(*side.board, side.iteration);
  wake_rank(side.peer);  // it may have partitions that wait for this
}

bool advance_receive(Side& side) {
  if (!meet_peer(side)) return false;
  bool any = side.opened != side.iteration;
  if (any) {
    side.opened = side.iteration;
    open_receive(side);
  }
  any |= look_at_units(side, [&](std::uint32_t unit) { return take(side, unit); });
  while (side.done < side.units.count() && is_there(side, side.done)) ++side.done;
  return any;
}

bool has_more_to_take(const Side& side) {
  if (side.way == Way::direct && !reaches(side)) return false;
  for (std::uint32_t unit = side.done; unit < side.units.count(); ++unit)
    if (is_ready(side.unit(unit), side.iteration)) return true;
  return false;
}

bool look_for_arrival(Request& request, std::int32_t partition) {
  if (!is_active(request) || is_complete(request)) return true;
  Side& side = side_of(request);
  if (look_once(side, partition)) return true;
  progress();
  return is_complete(request) || look_once(side, partition);
}

}  // namespace baton::message::partitioned
