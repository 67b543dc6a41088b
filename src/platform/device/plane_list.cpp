#include "platform/device/plane_list.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "platform/device/device_memory.hpp"

namespace baton::platform {

namespace {

// A copy in a row takes 3.7 us, and a launch with its wait 9 (H200, 2026-11-26).
constexpr std::size_t kernel_copies_min = 4;
// The driver copies longer runs, and planes of longer rows, as quickly. guess
constexpr std::size_t run_bytes_max = 65536;
constexpr std::size_t row_bytes_max = 4096;
// Longer planes do not go through a kernel's space, so that there is space for several. guess
constexpr std::size_t staged_bytes_max = KernelSpace::data_bytes / 4;
// Where data is staged words begin at whole numbers of this, the longest word.
constexpr std::size_t word_bytes_max = 8;

// Returns whether the host's side of a copy is the one that gets the data.
bool is_to_host(const PlaneCopy& copy) {
  return copy.from_device;
}

// Copies rows by the processor, between a copy's host side and where they are staged.
void move_rows(const PlaneCopy& copy, char* staged, bool to_host) {
  for (std::size_t i = 0; i < copy.rows; ++i, staged += copy.bytes)
    if (to_host)
      std::memcpy(copy.to + i * copy.to_step, staged, copy.bytes);
    else
      std::memcpy(staged, copy.from + i * copy.from_step, copy.bytes);
}

}  // namespace

bool PlaneList::takes(const PlaneCopy& copy) {
  const bool stays_on_device = copy.to_device && copy.from_device;
  return copy.bytes <= (copy.rows == 1 ? run_bytes_max : row_bytes_max) &&
         (stays_on_device || copy.rows * copy.bytes <= staged_bytes_max);
}

// Finds whether kernels reach bytes of host memory where they lie.
bool PlaneList::find_host(Launch& launch, void* context, const char* place, std::size_t bytes) {
  const auto here = reinterpret_cast<std::uintptr_t>(place);
  if (launch.host.contains(here)) return launch.host.end - here >= bytes;
  HostRange range;
  std::uint64_t address = 0;
  if (!host_registrations.find(place, bytes, &range) ||
      device_memory.driver()->reach_host(context, reinterpret_cast<void*>(range.start), &address))
    return false;
  launch.host = range;
  launch.host_shift = address - range.start;
  return true;
}

// Finds where a kernel reaches one side of a copy; false: the space is full.
bool PlaneList::find_side(Launch& launch, void* context, const PlaneCopy& copy, bool is_to,
                          char** staged, Side* side) {
  const char* place = is_to ? copy.to : copy.from;
  const std::size_t step = is_to ? copy.to_step : copy.from_step;
  *side = {reinterpret_cast<std::uint64_t>(place), step};
  if (is_to ? copy.to_device : copy.from_device) return true;
  if (find_host(launch, context, place, (copy.rows - 1) * step + copy.bytes)) {
    side->address += launch.host_shift;
    return true;
  }
  const std::size_t bytes = copy.rows * copy.bytes;
  if (bytes > KernelSpace::data_bytes - launch.data_bytes) return false;
  *staged = launch.space.memory->data + launch.data_bytes;
  *side = {launch.space.reached(*staged), copy.bytes};
  launch.data_bytes += (bytes + word_bytes_max - 1) / word_bytes_max * word_bytes_max;
  return true;
}

void PlaneList::add_plane(Launch& launch, Side to, Side from, std::size_t bytes, std::size_t rows) {
  if (rows == 1) to.step = from.step = 0;
  const std::uint64_t all =
      to.address | from.address | to.step | from.step | bytes | word_bytes_max;
  const std::uint64_t word = all & (~all + 1);
  launch.space.memory->planes[launch.planes++] = {to.address, from.address, bytes / word, rows,
                                                  to.step,    from.step,    word,         0};
  launch.rows += rows;
  launch.words += bytes / word * rows;
  launch.rows_max = std::max<std::uint64_t>(launch.rows_max, rows);
}

// Adds a copy to a launch; false: the space is full. A long run becomes rows, on which many threads
// work.
bool PlaneList::make_ready(Launch& launch, void* context, const PlaneCopy& copy, char** staged) {
  Side to, from;
  *staged = nullptr;
  if (!find_side(launch, context, copy, true, staged, &to) ||
      !find_side(launch, context, copy, false, staged, &from))
    return false;
  if (*staged && !is_to_host(copy)) move_rows(copy, *staged, false);
  if (copy.rows > 1) {
    add_plane(launch, to, from, copy.bytes, copy.rows);
    return true;
  }
  const std::size_t rows = copy.bytes / row_bytes_max, whole = rows * row_bytes_max;
  to.step = from.step = row_bytes_max;
  if (rows > 0) add_plane(launch, to, from, row_bytes_max, rows);
  to.address += whole;
  from.address += whole;
  if (copy.bytes > whole) add_plane(launch, to, from, copy.bytes - whole, 1);
  return true;
}

const char* PlaneList::begin_each(void* context, std::size_t first, std::size_t end,
                                  bool* begun) const {
  const char* why = nullptr;
  for (; first < end && !why; ++first) {
    *begun = true;
    why = device_memory.driver()->begin_copy(context, DeviceLane::at_once, copies_[first]);
  }
  return why;
}

void PlaneList::bring_back(std::size_t first, std::size_t end) const {
  for (; first < end; ++first)
    if (staged_[first] && is_to_host(copies_[first]))
      move_rows(copies_[first], staged_[first], true);
}

// Makes the copies by as many launches as the space needs. What the driver refuses to launch it
// copies.
const char* PlaneList::launch_all(KernelSpace& space, void* context, std::size_t count,
                                  bool* begun) {
  Accelerator& driver = *device_memory.driver();
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    Launch launch{space};
    while (end < count && make_ready(launch, context, copies_[end], &staged_[end])) ++end;
    const std::uint64_t words_of_row = (launch.words + launch.rows - 1) / launch.rows;
    const auto threads = static_cast<unsigned>(std::bit_ceil(
        std::min<std::uint64_t>(words_of_row, 32)));  // guess: as many as a device runs together
    if (driver.begin_planes(context, DeviceLane::at_once, space.reached(space.memory->planes),
                            {static_cast<unsigned>(launch.planes), threads, launch.rows_max}))
      return begin_each(context, first, count, begun);
    if (const char* why = driver.finish(context, DeviceLane::at_once)) return why;
    *begun = false;
    bring_back(first, end);
  }
  return nullptr;
}

const char* PlaneList::carry_out(void* context, bool* begun) {
  const std::size_t count = count_;
  count_ = 0;
  if (count < kernel_copies_min) return begin_each(context, 0, count, begun);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += copies_[i].rows * copies_[i].bytes;
  const PlaneCopy& any = copies_[0];
  if (!any.to_device || !any.from_device)
    host_registrations.prepare(context, any.to_device ? any.from : any.to, bytes);
  KernelSpace* space = kernel_spaces.take(context, count);
  if (!space) return begin_each(context, 0, count, begun);
  const char* why = launch_all(*space, context, count, begun);
  kernel_spaces.give_back(*space);
  return why;
}

}  // namespace baton::platform
