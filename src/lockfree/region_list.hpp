// This is the list of memory attached to a dynamic window, in shared memory. Its rank changes it,
// other ranks copy it and use the copies until the version has changed. window/region.cpp uses it.
// Invariant: while the version is odd the list is being changed; a copy counts only if the version
// was the same before and behind it. The memory of a list may be given back and be used for
// something else: a rank that still reads there then finds another version.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

// This is a range of memory that is attached, or was; then follows its form in shared memory.
struct WindowRegion {
  std::uint64_t address;  // in its rank's address space
  std::uint64_t bytes;
  bool is_foreign = false;  // only its rank reaches it
};
template <class Atomics>
struct SharedRegion {  // written by its rank
  typename Atomics::template Atomic<std::uint64_t> address;
  typename Atomics::template Atomic<std::uint64_t> bytes;
};

template <class Atomics>
struct alignas(cache_line_bytes) RegionLine {                // written by its rank
  typename Atomics::template Atomic<std::uint64_t> version;  // odd: the list is being changed
  typename Atomics::template Atomic<std::uint64_t> list;     // address of its SharedRegions
  typename Atomics::template Atomic<std::uint64_t> count;
};
static_assert(sizeof(RegionLine<Hardware>) == cache_line_bytes);

// --- These functions are for the rank whose list it is.

template <class Atomics>
void write_region(SharedRegion<Atomics>& there, const WindowRegion& region) {
  // relaxed: ordered by the version, before and behind.
  there.address.store(region.address, std::memory_order_relaxed);
  there.bytes.store(region.bytes, std::memory_order_relaxed);
}

// Changes the list: `change` writes regions; then the list is at `list` and has `count` of them.
// The memory of the former list may be given back afterwards.
template <class Atomics, class Change>
void publish_regions(RegionLine<Atomics>& line, std::uint64_t list, std::uint64_t count,
                     Change change) {
  // relaxed: only this rank writes it.
  const std::uint64_t version = line.version.load(std::memory_order_relaxed);
  // relaxed: the fence orders it before the changes, and before all later writes to the memory of
  // the former list.
  line.version.store(version + 1, std::memory_order_relaxed);
  Atomics::full_fence();
  change();
  // relaxed: ordered by the version.
  line.list.store(list, std::memory_order_relaxed);
  line.count.store(count, std::memory_order_relaxed);
  // ORDER regions.version: release here, acquire in view_regions; the list is whole.
  line.version.store(version + 2, std::memory_order_release);
}

// --- These functions are for the other ranks.

template <class Atomics>
WindowRegion read_region(const SharedRegion<Atomics>& there) {
  // relaxed: checked by is_still.
  return {there.address.load(std::memory_order_relaxed),
          there.bytes.load(std::memory_order_relaxed)};
}

struct RegionView {
  std::uint64_t version;
  std::uint64_t list;
  std::uint64_t count;
};
template <class Atomics>
RegionView view_regions(const RegionLine<Atomics>& line) {
  // ORDER regions.version: acquire here, release in publish_regions; the list is not an older one.
  const std::uint64_t version = line.version.load(std::memory_order_acquire);
  // relaxed: checked by is_still.
  return {version, line.list.load(std::memory_order_relaxed),
          line.count.load(std::memory_order_relaxed)};
}

// Returns whether all that was read since belongs to that version; only then it is a consistent
// list.
template <class Atomics>
bool is_still(const RegionLine<Atomics>& line, const RegionView& view) {
  Atomics::full_fence();
  // relaxed: it follows the fence, as the writer's changes follow the writer's fence.
  return (view.version & 1) == 0 && line.version.load(std::memory_order_relaxed) == view.version;
}

// Returns whether a copy of some version is still the current list.
template <class Atomics>
bool is_current(const RegionLine<Atomics>& line, std::uint64_t version) {
  // relaxed: a change that we know of has come with a message or an epoch, which orders it.
  return line.version.load(std::memory_order_relaxed) == version;
}

}  // namespace baton::lockfree
