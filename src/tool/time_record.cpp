#include "tool/time_record.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/report.hpp"
#include "message/core/engine.hpp"
#include "platform/clock.hpp"
#include "platform/fork.hpp"
#include "platform/memory_file.hpp"
#include "transport/node.hpp"

namespace baton::tool {

constinit TimeRecord record;

namespace {

using lockfree::Amount;

// relaxed, everywhere in this file where nothing else is said: readers look at sums while they
// change; no sum implies that another has been written.
void add(Amount& sum, std::uint64_t value) {
  if (BATON_UNLIKELY(platform::threads_multiple))
    sum.fetch_add(value, std::memory_order_relaxed);  // relaxed: as above
  else  // relaxed, both: as above; no other thread adds.
    sum.store(sum.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

void raise_to(Amount& most, std::uint64_t value) {
  // relaxed: as in `add`.
  std::uint64_t now = most.load(std::memory_order_relaxed);
  while (now < value &&
         !most.compare_exchange_weak(now, value, std::memory_order_relaxed)) {  // relaxed: as above
  }
}

}  // namespace

bool TimeRecord::open() {
  if (base_) return true;
  const lockfree::TimingPlan& plan = transport::job().timing;
  static bool tried = false;
  if (plan.bytes == 0 || tried) return false;
  tried = true;
  layout_ = lockfree::timing_layout(transport::process_count(), plan.event_bytes);
  start_ = plan.offset + number_of(transport::own_rank()) * plan.bytes;
  void* mapped = nullptr;
  if (layout_.bytes == plan.bytes &&
      platform::reserve_memory(transport::job_file(), start_, layout_.collectives))
    mapped = platform::map_memory_file(transport::job_file(), plan.bytes, start_);
  if (!mapped) {
    report("--stats, --trace: no memory for this rank's record: %s; its calls are not timed",
           std::strerror(errno));
    return false;
  }
  base_ = static_cast<char*>(mapped);
  platform::keep_from_children(mapped, plan.bytes);
  platform::set_dumped(mapped, plan.bytes, false);
  event_count_max_ = plan.event_bytes / sizeof(lockfree::Event);
  return true;
}

void TimeRecord::begin(std::int64_t began) {
  const std::int64_t now = platform::now_ticks();
  // relaxed: as in `add`, all of these.
  if (head().began.load(std::memory_order_relaxed) == 0) {
    head().collective_stride.store(1, std::memory_order_relaxed);  // relaxed: as above
    head().began.store(now, std::memory_order_relaxed);            // relaxed: as above
  } else {  // a second session: the time between belongs to no run
    const std::int64_t ended =
        head().ended.exchange(0, std::memory_order_relaxed);  // relaxed: same
    if (ended) add(head().paused_ticks, static_cast<std::uint64_t>(now - ended));
  }
  add(head().initializing_ticks, static_cast<std::uint64_t>(now - began));
}

void TimeRecord::serve(int thread_level) {
  if (thread_level == MPI_THREAD_MULTIPLE)
    head().threads.store(1, std::memory_order_relaxed);  // relaxed: as in `add`
}

void TimeRecord::end(std::int64_t asked) {
  resume();
  head().ended.store(asked, std::memory_order_relaxed);  // relaxed: as in `add`
}

void TimeRecord::pause() {
  std::int64_t running = 0;
  // relaxed: calls of other threads are timed or not, as it happens.
  head().paused_since.compare_exchange_strong(running, platform::now_ticks(),
                                              std::memory_order_relaxed);
}

void TimeRecord::resume() {
  const std::int64_t since =
      head().paused_since.exchange(0, std::memory_order_relaxed);  // relaxed: as in `pause`
  if (since) add(head().paused_ticks, static_cast<std::uint64_t>(platform::now_ticks() - since));
}

std::uint16_t TimeRecord::row_of(unsigned procedure, const char* name) {
  // relaxed: the row was complete before its number was there (x86 and the lock keep that order for
  // the thread that made it; a thread that reads the number needs nothing else).
  const std::uint8_t found =
      std::atomic_ref(row_numbers_[procedure]).load(std::memory_order_relaxed);
  return BATON_LIKELY(found != 0) ? static_cast<std::uint16_t>(found - 1)
                                  : new_row(procedure, name);
}

std::uint16_t TimeRecord::new_row(unsigned procedure, const char* name) {
  platform::Guard guard(lock_);
  const std::uint32_t used =
      head().calls.load(std::memory_order_relaxed);  // relaxed: under the lock
  const std::uint32_t row = std::min(used, lockfree::timed_calls_max - 1);
  if (row_numbers_[procedure] == 0) {
    char(&place)[lockfree::timed_name_bytes] = rows<lockfree::TimedCall>(layout_.calls)[row].name;
    const bool last = row == lockfree::timed_calls_max - 1;
    std::snprintf(place, sizeof place, "%s", last ? "other calls" : name);
    // ORDER timing.rows: release here, acquire in whoever reads the record; the name is there.
    head().calls.store(row + 1, std::memory_order_release);
    std::atomic_ref(row_numbers_[procedure])
        .store(static_cast<std::uint8_t>(row + 1), std::memory_order_relaxed);  // relaxed: row_of
  }
  return static_cast<std::uint16_t>(row_numbers_[procedure] - 1);
}

void TimeRecord::add_call(std::uint16_t row, std::uint64_t bytes, std::uint64_t ticks,
                          std::uint64_t waiting_ticks) {
  lockfree::CallTime& time =
      rows<lockfree::TimedCall>(layout_.calls)[row].sizes[lockfree::timed_size(bytes)];
  add(time.calls, 1);
  add(time.ticks, ticks);
  add(time.waiting_ticks, waiting_ticks);
  add(time.bytes, bytes);
  raise_to(time.longest_ticks, ticks);
}

void TimeRecord::add_waiting(std::int32_t peer, std::uint64_t ticks) {
  add(rows<lockfree::PeerTime>(layout_.peers)[peer].waiting_ticks, ticks);
}

void TimeRecord::add_sent(std::int32_t peer, std::uint64_t bytes) {
  add(rows<lockfree::PeerTime>(layout_.peers)[peer].sent_messages, 1);
  add(rows<lockfree::PeerTime>(layout_.peers)[peer].sent_bytes, bytes);
}

void TimeRecord::add_received(std::int32_t peer, std::uint64_t bytes) {
  add(rows<lockfree::PeerTime>(layout_.peers)[peer].received_messages, 1);
  add(rows<lockfree::PeerTime>(layout_.peers)[peer].received_bytes, bytes);
}

bool TimeRecord::has_memory(std::uint64_t offset, std::uint64_t end, std::uint64_t& reserved,
                            std::uint64_t bytes) {
  if (bytes <= reserved) return true;
  constexpr std::uint64_t step = 64 * page_bytes;
  const std::uint64_t more = std::min(step, end - offset - reserved);
  if (head().refused_errno.load(std::memory_order_relaxed)) return false;  // relaxed: as in `add`
  if (platform::reserve_memory(transport::job_file(), start_ + offset + reserved, more)) {
    reserved += more;
    return true;
  }
  head().refused_errno.store(errno, std::memory_order_relaxed);  // relaxed: as in `add`
  return false;
}

// Gives the communicator a row when its first call is kept.
bool TimeRecord::has_row(KnownCommunicator& communicator) {
  if (communicator.row != -1) return communicator.row >= 0;
  const std::uint32_t used =
      head().communicators.load(std::memory_order_relaxed);  // relaxed: under the lock
  const Communicator* object = world::communicators.find(communicator.handle);
  if (used == lockfree::timed_communicators_max || !object) {
    communicator.row = -2;
    add(head().unkept_communicators, 1);
    return false;
  }
  auto& row = rows<lockfree::TimedCommunicator>(layout_.communicators)[used];
  row.id = communicator.id;
  const Group& members = object->is_inter() ? *object->both : *object->local;
  row.first_member = message::world_rank(members.processes[0]);
  row.ranks = static_cast<std::uint32_t>(members.size);
  row.between_groups = object->is_inter();
  std::snprintf(row.name, sizeof row.name, "%s", object->name);
  communicator.row = static_cast<std::int32_t>(used);
  // ORDER timing.rows: release here, acquire in whoever reads the record.
  head().communicators.store(used + 1, std::memory_order_release);
  return true;
}

// Keeps every second of the kept calls: all ranks keep equal ones, sooner or later.
void TimeRecord::thin_out() {
  constexpr std::uint32_t stride_max = 1 << 30;
  auto* calls = rows<lockfree::CollectiveTime>(layout_.collectives);
  const std::uint32_t before =
      head().collective_stride.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (before == stride_max) return;
  const std::uint32_t stride = 2 * before;
  std::uint64_t kept = 0;
  const std::uint64_t count =
      head().collectives.load(std::memory_order_relaxed);  // relaxed: under the lock
  for (std::uint64_t i = 0; i < count; ++i)
    if (calls[i].number % stride == 0) calls[kept++] = calls[i];
  head().collective_stride.store(stride, std::memory_order_relaxed);  // relaxed: as in `add`
  head().collectives.store(kept, std::memory_order_relaxed);          // relaxed: as in `add`
}

// Returns whether there is no space for one collective call more.
bool TimeRecord::is_full() {
  const std::uint64_t count =
      head().collectives.load(std::memory_order_relaxed);  // relaxed: under the lock
  return count == layout_.collectives_max ||
         !has_memory(layout_.collectives, layout_.events, collectives_reserved_,
                     (count + 1) * sizeof(lockfree::CollectiveTime));
}

void TimeRecord::add_collective(KnownCommunicator& communicator, lockfree::CollectiveTime call) {
  platform::Guard guard(lock_);
  if (is_full()) thin_out();
  // relaxed, both: under the lock.
  if (call.number % head().collective_stride.load(std::memory_order_relaxed) != 0) return;
  if (is_full() || !has_row(communicator)) return;
  const std::uint64_t count = head().collectives.load(std::memory_order_relaxed);
  call.communicator = static_cast<std::uint16_t>(communicator.row);
  rows<lockfree::CollectiveTime>(layout_.collectives)[count] = call;
  // ORDER timing.rows: release here, acquire in whoever reads the record.
  head().collectives.store(count + 1, std::memory_order_release);
}

void TimeRecord::add_event(const lockfree::Event& event) {
  if (event_count_max_ == 0) return;
  platform::Guard guard(lock_);
  const std::uint64_t count =
      head().events.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (count == event_count_max_ ||
      !has_memory(layout_.events, layout_.bytes, events_reserved_, (count + 1) * sizeof event))
    return add(head().lost_events, 1);
  rows<lockfree::Event>(layout_.events)[count] = event;
  // ORDER timing.rows: release here, acquire in whoever reads the record.
  head().events.store(count + 1, std::memory_order_release);
}

}  // namespace baton::tool
