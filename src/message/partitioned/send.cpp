// The sender's side: partitions become ready, in any threads, and their units leave. A thread that
// has marked the last partition of a unit ready touches nothing of the side after it has handed the
// unit on: another thread may see the message complete, and free it.
#include <cstdlib>
#include <cstring>
#include <new>

#include "datatype/pack.hpp"
#include "message/core/notify.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/wake.hpp"
#include "message/partitioned/side.hpp"
#include "platform/copy.hpp"
#include "transport/move/copy.hpp"
#include "transport/node.hpp"

namespace baton::message::partitioned {

namespace {

// A thread has left something to whoever makes progress, or has made complete what somebody waits
// for: it may sleep.
void tell_own_threads() {
  if (BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();
}

void fill(Side& side, std::uint32_t unit, UnitState& state) {
  const std::int64_t begin = side.units.begin(unit), bytes = side.units.bytes(unit);
  if (side.is_run)
    platform::copy_run(Side::data(state), static_cast<const char*>(side.arguments.buffer) + begin,
                       static_cast<std::size_t>(bytes));
  else
    datatype::pack(*side.arguments.type, side.arguments.buffer, begin, Side::data(state), bytes,
                   side.context.is_host());
  const transport::Slot peer = side.peer;
  publish_unit(state, side.iteration);
  wake_rank(peer);
}

// Copies a unit that this side has claimed to the receiver's buffer; false: the kernel refuses.
bool push(Side& side, std::uint32_t unit) {
  const std::int64_t begin = side.units.begin(unit), bytes = side.units.bytes(unit);
  const char* from = static_cast<const char*>(side.arguments.buffer) + begin;
  if (side.there)
    platform::copy_run(side.there + begin, from, static_cast<std::size_t>(bytes));
  else if (!transport::kernel_copy_to(
               {side.peer, reinterpret_cast<char*>(side.answer.address) + begin}, from, bytes))
    return false;
  return true;
}

// Pushes a claimed unit. Where the kernel refuses, the receiver pulls this one and all others, or
// learns why it cannot.
void push_or_publish(Side& side, std::uint32_t unit) {
  UnitState& state = side.unit(unit);
  const transport::Slot peer = side.peer;
  if (push(side, unit)) {
    finish_unit(state, side.iteration);
  } else {
    platform::store_shared(side.by_kernel, false);
    publish_unit(state, side.iteration);
  }
  wake_rank(peer);
}

// These two are for units that go from buffer to buffer. False: the unit is withdrawn.
bool keep(UnitState& state, std::uint64_t iteration) {
  if (BATON_UNLIKELY(transport::job().continues)) return keep_if_wanted(state, iteration);
  keep_unit(state, iteration);
  return true;
}
bool publish(UnitState& state, std::uint64_t iteration) {
  if (BATON_UNLIKELY(transport::job().continues)) return publish_if_wanted(state, iteration);
  publish_unit(state, iteration);
  return true;
}

void hand_direct(Side& side, std::uint32_t unit) {
  UnitState& state = side.unit(unit);
  if (reaches(side) && has_begun(*side.board, side.iteration)) {
    if (keep(state, side.iteration)) push_or_publish(side, unit);
    return;
  }
  // Whoever looks first when the receiver has begun copies it.
  const transport::Slot peer = side.peer;
  if (publish(state, side.iteration)) wake_rank(peer);
}

void hand_staged(Side& side, std::uint32_t unit) {
  UnitState& state = side.unit(unit);
  if (is_free(state)) return fill(side, unit, state);
  // ORDER side.waiting: release here, acquire in fill_waiting; the partitions' data.
  std::atomic_ref(side.waiting[unit]).store(side.iteration, std::memory_order_release);
}

void send_unit(Side& side, std::uint32_t unit) {
  const Arguments& arguments = side.arguments;
  Request& message = *new (&side.messages[unit]) Request;
  side.waiting[unit] = side.iteration;
  begin_send(side.context, side.partition(side.units.first_partition(unit)),
             side.units.partitions_of(unit) * arguments.count, *arguments.type, arguments.rank,
             side.message_tag(unit), false, message);
}

// Puts a unit on the stack of those that progress is to send. Units are only pushed one by one and
// taken all together, so no unit can come back under a thread's feet.
void tell(Side& side, std::uint32_t unit) {
  // relaxed: the exchange publishes.
  std::uint32_t first = side.first_told.load(std::memory_order_relaxed);
  do side.next_told[unit] = first;
  // ORDER side.told: release here, acquire in send_told; the unit's link and data.
  while (!side.first_told.compare_exchange_weak(first, unit + 1, std::memory_order_release,
                                                std::memory_order_relaxed));
}

void hand_message(Side& side, std::uint32_t unit) {
  if (BATON_LIKELY(!platform::threads_multiple)) {
    side.way == Way::messages ? send_unit(side, unit) : void(side.waiting[unit] = side.iteration);
    return;
  }
  tell(side, unit);
  progress();
}

void hand_unit(Side& side, std::uint32_t unit) {
  switch (side.way) {
    case Way::staged:
      hand_staged(side, unit);
      break;
    case Way::direct:
      hand_direct(side, unit);
      break;
    case Way::messages:
    case Way::nothing:
      hand_message(side, unit);
  }
  tell_own_threads();
}

// Returns whether the partition was the last of its unit.
bool completes_unit(Side& side, std::uint32_t unit) {
  const auto wanted = static_cast<std::uint64_t>(side.units.partitions_of(unit)) * side.iteration;
  if (!platform::threads_multiple) return ++side.counts[unit] == wanted;
  // ORDER side.counts: acquire here, release here; the other partitions' data, for the last thread.
  return std::atomic_ref(side.counts[unit]).fetch_add(1, std::memory_order_acq_rel) + 1 == wanted;
}

void hand_partition(Side& side, std::int32_t partition) {
  if (platform::load_shared(side.error)) return;
  const std::uint32_t first = side.units.first_unit(partition);
  if (side.counts) {
    if (completes_unit(side, first)) hand_unit(side, first);
    return;
  }
  const std::uint32_t units = side.units.units_each();
  for (std::uint32_t i = 0; i < units; ++i) hand_unit(side, first + i);
}

std::uint64_t& mark_of(Side& side, std::int32_t partition) {
  return side.marks[static_cast<std::size_t>(partition) * side.mark_step];
}

// Hands on what became ready before the sides had met. Threads may still add to it in this
// iteration.
bool hand_told(Side& side) {
  bool any = false;
  for (std::int32_t partition = 0; partition < side.arguments.partitions; ++partition) {
    std::uint64_t& mark = mark_of(side, partition);
    // ORDER side.marks: acquire here, release in mark_ready; the partition's data.
    const std::uint64_t seen = std::atomic_ref(mark).load(std::memory_order_acquire);
    if (seen != partition_told(side.iteration)) continue;
    platform::store_shared(mark, partition_handed(side.iteration));
    hand_partition(side, partition);
    any = true;
  }
  return any;
}

bool send_told(Side& side) {
  // ORDER side.told: acquire here, release in tell.
  std::uint32_t told = side.first_told.exchange(0, std::memory_order_acquire);
  const bool any = told != 0;
  for (std::uint32_t next; told; told = next) {
    next = side.next_told[told - 1];
    if (side.way == Way::messages)
      send_unit(side, told - 1);
    else
      side.waiting[told - 1] = side.iteration;
  }
  return any;
}

// Returns whether all of a unit has left this side's buffer.
bool is_over(Side& side, std::uint32_t unit) {
  switch (side.way) {
    case Way::staged:
      return has_left(side.unit(unit), side.iteration);
    case Way::direct:
      return has_arrived(side.unit(unit), side.iteration);
    case Way::nothing:
      return side.waiting[unit] == side.iteration;
    case Way::messages:
      break;
  }
  if (side.waiting[unit] != side.iteration || !is_complete(side.messages[unit])) return false;
  if (side.messages[unit].error) side.failed = side.messages[unit].error;
  return true;
}

// Goes on with a unit that could not leave when it became ready.
bool go_on(Side& side, std::uint32_t unit) {
  UnitState& state = side.unit(unit);
  if (side.way == Way::staged) {
    // ORDER side.waiting: acquire here, release in hand_staged.
    if (std::atomic_ref(side.waiting[unit]).load(std::memory_order_acquire) != side.iteration ||
        has_left(state, side.iteration) || !is_free(state))
      return false;
    fill(side, unit, state);
    return true;
  }
  if (!reaches(side) || !has_begun(*side.board, side.iteration) ||
      !claim_unit(state, side.iteration))
    return false;
  push_or_publish(side, unit);
  return true;
}

}  // namespace

bool prepare_send(Side& side) {
  const std::size_t units = side.units.count();
  if (units == 0) return true;
  const bool by_messages = side.way == Way::messages;
  if (side.units.partitions_each() > 1) {
    side.counts = static_cast<std::uint64_t*>(std::calloc(units, sizeof(std::uint64_t)));
    if (!side.counts) return false;
  }
  if (side.way != Way::direct)
    side.waiting = static_cast<std::uint64_t*>(std::calloc(units, sizeof(std::uint64_t)));
  if (by_messages) side.messages = static_cast<Request*>(std::calloc(units, sizeof(Request)));
  if (by_messages || side.way == Way::nothing)
    side.next_told = static_cast<std::uint32_t*>(std::calloc(units, sizeof(std::uint32_t)));
  return (side.waiting || side.way == Way::direct) && (side.messages || !by_messages) &&
         (side.next_told || side.way == Way::staged || side.way == Way::direct);
}

bool advance_send(Side& side) {
  if (!meet_peer(side)) return false;
  bool any = side.met_in == side.iteration && hand_told(side);
  if (side.next_told)
    any |= send_told(side);
  else
    any |= look_at_units(side, [&](std::uint32_t unit) { return go_on(side, unit); });
  const std::uint32_t before = side.done;
  while (side.done < side.units.count() && is_over(side, side.done)) ++side.done;
  return any || side.done != before;
}

bool has_more_to_send(Side& side) {
  for (std::int32_t partition = 0; partition < side.arguments.partitions; ++partition)
    if (platform::load_shared(mark_of(side, partition)) < partition_told(side.iteration))
      return true;
  return false;
}

Error mark_ready(Request& request, std::int32_t low, std::int32_t high) {
  Side& side = side_of(request);
  // 64 bits, so that `high` may be the greatest number there is.
  for (std::int64_t i = low; i <= high; ++i) {
    const auto partition = static_cast<std::int32_t>(i);
    std::uint64_t& mark = mark_of(side, partition);
    if (BATON_UNLIKELY(platform::load_shared(mark) >= partition_told(side.iteration)))
      return fail(MPI_ERR_ARG,
                  "partition %d was marked ready before since the request was started; each is "
                  "marked once, and all again after the next start",
                  partition);
    if (BATON_LIKELY(has_met(side))) {
      platform::store_shared(mark, partition_handed(side.iteration));
      hand_partition(side, partition);
    } else {
      // ORDER side.marks: release here, acquire in hand_told.
      std::atomic_ref(mark).store(partition_told(side.iteration), std::memory_order_release);
      tell_own_threads();
    }
  }
  return MPI_SUCCESS;
}

}  // namespace baton::message::partitioned
