#include "platform/device/device_batch.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "platform/device/device_memory.hpp"
#include "platform/device/host_registrations.hpp"

namespace baton::platform {

namespace {

// Drivers bound the distance of rows; theirs is larger. guess
constexpr std::ptrdiff_t step_max = 1 << 30;

// Returns whether runs so far apart are rows of a plane. A plane's may lie the other way round, on
// both sides.
bool are_rows(std::ptrdiff_t to_step, std::ptrdiff_t from_step, std::size_t bytes) {
  const auto least = static_cast<std::ptrdiff_t>(bytes);
  const auto fits = [&](std::ptrdiff_t step) { return step >= least && step <= step_max; };
  return (fits(to_step) && fits(from_step)) || (fits(-to_step) && fits(-from_step));
}

}  // namespace

bool DeviceBatch::knows(const void* address) const {
  return reinterpret_cast<std::uintptr_t>(address) - range_.start < range_.end - range_.start;
}

// Finds the allocation that one of two places lies in. What was begun in another context is waited
// for first.
const char* DeviceBatch::find(const void* to, const void* from) {
  DeviceRange found;
  if (!device_memory.find(to, found) && !device_memory.find(from, found))
    return "the memory is no device's any more";
  if (latest_.bytes > 0 && !list_) list_ = new (std::nothrow) PlaneList;
  const char* why = begin_all();
  if (found.context != range_.context) {
    if (!why) why = carry_list_out();
    if (!why && waits_) why = device_memory.driver()->finish(range_.context, DeviceLane::at_once);
    waits_ = false;
  }
  range_ = found;
  return why;
}

bool DeviceBatch::repeats(const Run& run, const Run& before, const Repetition& repetition) {
  return run.bytes == before.bytes && run.to - before.to == repetition.to_step &&
         run.from - before.from == repetition.from_step &&
         are_rows(repetition.to_step, repetition.from_step, run.bytes);
}

// Finds the repetition, from the first run on, that saves most copies.
DeviceBatch::Repetition DeviceBatch::find_repetition(const Run* runs, std::size_t count) {
  Repetition best;
  for (std::size_t period = 1; 2 * period <= count && best.length < count; ++period) {
    const Repetition steps{period, period, runs[period].to - runs[0].to,
                           runs[period].from - runs[0].from};
    std::size_t length = period;
    while (length < count && repeats(runs[length], runs[length - period], steps)) ++length;
    if (length < 2 * period || length - period <= best.length - best.period) continue;
    best = steps;
    best.length = length;
  }
  return best;
}

// Returns whether a place is a device's; `elsewhere` becomes true if its context is another one.
bool DeviceBatch::is_device(const void* address, bool* elsewhere) {
  constexpr std::uintptr_t page_bytes = 4096;  // devices get whole pages
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / page_bytes;
  if (knows(address)) return true;
  if (page == host_page_) return false;
  DeviceRange other;
  const bool found = device_memory.find(address, other);
  if (!found) host_page_ = page;
  if (found && other.context != range_.context) *elsewhere = true;
  return found;
}

const char* DeviceBatch::begin(PlaneCopy plane) {
  if (plane.rows > 1 || list_) {
    bool elsewhere = false;
    plane.to_device = is_device(plane.to, &elsewhere);
    plane.from_device = is_device(plane.from, &elsewhere);
    if (list_ && !elsewhere && PlaneList::takes(plane)) {
      list_->add(plane);
      return list_->is_full() ? carry_list_out() : nullptr;
    }
  }
  const bool to_host = !knows(plane.to);
  host_registrations.prepare(range_.context, to_host ? plane.to : plane.from,
                             plane.rows * plane.bytes);
  waits_ = true;
  return device_memory.driver()->begin_copy(range_.context, DeviceLane::at_once, plane);
}

const char* DeviceBatch::carry_list_out() {
  return list_ ? list_->carry_out(range_.context, &waits_) : nullptr;
}

const char* DeviceBatch::begin_repetition(const Run* runs, const Repetition& repetition) {
  const char* why = nullptr;
  for (std::size_t i = 0; i < repetition.period && !why; ++i) {
    const std::size_t rows = (repetition.length - i + repetition.period - 1) / repetition.period;
    PlaneCopy plane{runs[i].to, runs[i].from, runs[i].bytes, runs[i].bytes, runs[i].bytes, rows};
    if (rows > 1) {
      const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(rows) - 1;
      if (repetition.to_step < 0) {
        plane.to += last * repetition.to_step;
        plane.from += last * repetition.from_step;
      }
      plane.to_step = static_cast<std::size_t>(std::abs(repetition.to_step));
      plane.from_step = static_cast<std::size_t>(std::abs(repetition.from_step));
    }
    why = begin(plane);
  }
  return why;
}

// Begins the runs that are kept; or half of them, unless those that are left repeat.
const char* DeviceBatch::begin_kept(bool all) {
  const char* why = nullptr;
  std::size_t first = 0;
  while (!why && first < count_ && (all || count_ - first > runs_max / 2)) {
    const Repetition found = find_repetition(runs_ + first, count_ - first);
    if (!all && found.length == count_ - first) {
      std::copy_n(runs_ + first, found.period, runs_);
      goes_on_ = found;
      count_ = 0;
      return nullptr;
    }
    why = begin_repetition(runs_ + first, found);
    first += found.length;
  }
  if (why) first = count_;
  std::copy(runs_ + first, runs_ + count_, runs_);
  count_ -= first;
  return why;
}

const char* DeviceBatch::add(const Run& run) {
  if (goes_on_.length > 0) {
    const auto rows = static_cast<std::ptrdiff_t>(goes_on_.length / goes_on_.period);
    Run before = runs_[goes_on_.length % goes_on_.period];
    before.to += (rows - 1) * goes_on_.to_step;
    before.from += (rows - 1) * goes_on_.from_step;
    if (repeats(run, before, goes_on_)) {
      ++goes_on_.length;
      return nullptr;
    }
    const char* why = begin_repetition(runs_, goes_on_);
    goes_on_.length = 0;
    if (why) return why;
  }
  if (!runs_) runs_ = new (std::nothrow) Run[runs_max];
  if (!list_) list_ = new (std::nothrow) PlaneList;
  if (!runs_) return begin_repetition(&run, {});
  runs_[count_++] = run;
  return count_ == runs_max ? begin_kept(false) : nullptr;
}

const char* DeviceBatch::begin_all() {
  const Run last = latest_;
  latest_.bytes = 0;
  if (last.bytes == 0) return nullptr;
  if (count_ == 0 && goes_on_.length == 0) return begin_repetition(&last, {});
  const char* why = add(last);
  if (!why && goes_on_.length > 0) why = begin_repetition(runs_, goes_on_);
  goes_on_.length = 0;
  return why ? why : begin_kept(true);
}

const char* DeviceBatch::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (!knows(to) && !knows(from))
    if (const char* why = find(to, from)) return why;
  const Run run{static_cast<char*>(to), static_cast<const char*>(from), bytes};
  if (latest_.bytes > 0 && run.to == latest_.to + latest_.bytes &&
      run.from == latest_.from + latest_.bytes) {
    latest_.bytes += bytes;
    return nullptr;
  }
  const char* why = latest_.bytes > 0 ? add(latest_) : nullptr;
  latest_ = run;
  return why;
}

const char* DeviceBatch::finish() {
  const char* why = begin_all();
  if (!why) why = carry_list_out();
  if (!why && waits_) why = device_memory.driver()->finish(range_.context, DeviceLane::at_once);
  delete[] runs_;
  delete list_;
  *this = {};
  return why;
}

const char* copy_device_memory(void* to, const void* from, std::size_t bytes) {
  DeviceBatch batch;
  const char* why = batch.copy(to, from, bytes);
  return why ? why : batch.finish();
}

}  // namespace baton::platform
