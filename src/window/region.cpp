// This is memory attached to dynamic windows. Each rank publishes its list in shared memory, with a
// version; the others keep copies, which they read again when the version has changed. A detached
// region stays in the list for a while: programs rely on others' reaching its memory as long as the
// memory exists (docs/one-sided.md).
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "platform/memory_kind.hpp"
#include "platform/own_memory.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"
#include "window/window.hpp"
#include "world/portability.hpp"

namespace baton::window {

namespace {

using lockfree::WindowRegion;

Error check_flavor(const Window& window) {
  if (window.is_dynamic()) return MPI_SUCCESS;
  return fail(MPI_ERR_RMA_FLAVOR,
              "argument 1 (win): memory is attached to windows of MPI_Win_create_dynamic only");
}

// These bits in the bytes of a published region say that it was detached, and that it is foreign.
constexpr std::uint64_t detached_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t foreign_bit = std::uint64_t{1} << 62;

std::size_t listed(const Regions& regions) {
  return regions.count + regions.detached;
}

// Returns the first attached region that does not lie before an address.
WindowRegion* find(const Regions& regions, std::uint64_t address) {
  return std::lower_bound(
      regions.list, regions.list + regions.count, address,
      [](const WindowRegion& region, std::uint64_t wanted) { return region.address < wanted; });
}

// Makes space for this many regions.
bool make_space(Regions& regions, std::size_t count) {
  if (count <= regions.space) return true;
  const std::size_t space = std::max<std::size_t>(count, 2 * regions.space);
  void* memory = std::realloc(regions.list, space * sizeof(WindowRegion));
  if (!memory) return false;
  regions.list = static_cast<WindowRegion*>(memory);
  regions.space = space;
  return true;
}

// Makes space for one region more in a list that others map: in the present list, or in a longer
// one.
bool make_shared_space(const Window& window, PublishedRegions* longer) {
  *longer = window.published;
  if (!window.row_is_shared || listed(window.attached) < longer->space) return true;
  longer->space = std::max<std::size_t>(page_bytes / sizeof(WindowRegion), 2 * longer->space);
  void* memory = nullptr;
  if (transport::exported_heap.allocate(longer->space * sizeof *longer->list, cache_line_bytes,
                                        nullptr, true, &memory))
    memory = nullptr;
  longer->list = static_cast<decltype(longer->list)>(memory);
  return memory != nullptr;
}

// Publishes the list, which has changed from an index on, to the others, in the given memory.
void publish(Window& window, std::size_t changed, const PublishedRegions& shared) {
  if (!window.row_is_shared) return;
  const Regions& attached = window.attached;
  const PublishedRegions before = std::exchange(window.published, shared);
  if (before.list != shared.list) changed = 0;
  lockfree::publish_regions(window.row->regions, reinterpret_cast<std::uint64_t>(shared.list),
                            listed(attached), [&] {
                              for (std::size_t i = changed; i < listed(attached); ++i) {
                                WindowRegion region = attached.list[i];
                                if (i >= attached.count) region.bytes |= detached_bit;
                                if (region.is_foreign) region.bytes |= foreign_bit;
                                write_region(shared.list[i], region);
                              }
                            });
  if (before.list && before.list != shared.list)
    (void)transport::exported_heap.release(before.list);
}

// Tries to read another rank's list. Returns false if the owner was changing it.
bool read_list(Target& target, Error* error) {
  const auto& line = target.row->regions;
  const lockfree::RegionView view = view_regions(line);
  if (!is_still(line, view)) return false;  // the list may have become shorter than that
  Regions& copy = *target.regions;
  const auto* list = reinterpret_cast<const lockfree::SharedRegion<lockfree::Hardware>*>(
      view.count == 0 ? nullptr
                      : transport::exported_heap.reach(target.local_rank,
                                                       reinterpret_cast<const void*>(view.list)));
  if (!make_space(copy, view.count)) {
    *error = fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
    return true;
  }
  std::size_t attached = 0;
  for (std::size_t i = 0; list && i < view.count; ++i) {
    copy.list[i] = read_region(list[i]);
    attached += (copy.list[i].bytes & detached_bit) == 0;
    copy.list[i].is_foreign = (copy.list[i].bytes & foreign_bit) != 0;
    copy.list[i].bytes &= ~(detached_bit | foreign_bit);
  }
  if (!is_still(line, view)) return false;
  copy.count = attached;
  copy.detached = list ? view.count - attached : 0;
  copy.version = view.version;
  return true;
}

// Removes the region at an index of a list; the regions behind it move up.
void remove_at(Regions& regions, std::size_t index, std::size_t* of) {
  WindowRegion* place = regions.list + index;
  std::memmove(place, place + 1, (listed(regions) - index - 1) * sizeof *place);
  --*of;
}

// Adds a detached region; where there are many it replaces the oldest. The caller has made space.
void keep_detached(Regions& regions, const WindowRegion& region) {
  if (region.bytes == 0) return;
  if (regions.detached == Regions::detached_max)
    remove_at(regions, regions.count, &regions.detached);
  regions.list[listed(regions)] = region;
  ++regions.detached;
}

// Forgets detached regions that are attached again.
void forget_detached(Regions& regions, const WindowRegion& within) {
  for (std::size_t i = regions.count; i < listed(regions);) {
    const WindowRegion& old = regions.list[i];
    const std::uint64_t offset = old.address - within.address;
    if (offset < within.bytes && old.bytes <= within.bytes - offset)
      remove_at(regions, i, &regions.detached);
    else
      ++i;
  }
}

// Returns the last attached region that does not begin behind an address; null: there is none.
const WindowRegion* region_before(const Regions& regions, std::uint64_t address) {
  const WindowRegion* place = find(regions, address);
  if (place != regions.list + regions.count && place->address == address) return place;
  return place == regions.list ? nullptr : place - 1;
}

bool has(const WindowRegion& region, std::uint64_t address) {
  return address - region.address < region.bytes;
}

// Returns how far memory reaches from an address that is, or was, attached; the address itself: not
// at all.
std::uint64_t end_of_known(const Regions& regions, std::uint64_t address, bool* is_foreign) {
  const WindowRegion* place = region_before(regions, address);
  if (place && has(*place, address)) {
    *is_foreign |= place->is_foreign;
    return place->address + place->bytes;
  }
  std::uint64_t end = address;
  for (std::size_t i = regions.count; i < listed(regions); ++i)
    if (has(regions.list[i], address)) {
      *is_foreign |= regions.list[i].is_foreign;
      end = std::max(end, regions.list[i].address + regions.list[i].bytes);
    }
  return end;
}

Lies find_in(const Regions& regions, std::uint64_t address, std::uint64_t bytes,
             WindowRegion* region) {
  const std::uint64_t end = address + bytes;
  if (end < address) return Lies::nowhere;
  if (const WindowRegion* place = region_before(regions, address)) {
    *region = *place;
    // Regions that follow without a gap are joined to it, as far as they are wanted.
    const WindowRegion* behind = regions.list + regions.count;
    while (region->address + region->bytes < end && ++place != behind &&
           place->address == region->address + region->bytes) {
      region->bytes += place->bytes;
      region->is_foreign |= place->is_foreign;
    }
    if (address - region->address <= region->bytes && end <= region->address + region->bytes)
      return Lies::attached;
  }
  *region = {address, bytes, false};
  if (regions.detached == 0) return Lies::nowhere;
  for (std::uint64_t known = address; known < end;) {
    const std::uint64_t further = end_of_known(regions, known, &region->is_foreign);
    if (further == known) return Lies::nowhere;
    known = further;
  }
  return Lies::detached;
}

}  // namespace

Error attach(Window& window, void* base, MPI_Aint bytes) {
  if (Error error = check_flavor(window)) return error;
  if (bytes < 0)
    return fail(MPI_ERR_SIZE, "argument 3 (size): %lld is negative", static_cast<long long>(bytes));
  platform::Guard guard(window.memory_lock);
  Regions& attached = window.attached;
  const auto address = reinterpret_cast<std::uint64_t>(base);
  const auto size = static_cast<std::uint64_t>(bytes);
  WindowRegion* place = find(attached, address);
  const bool meets_next = place != attached.list + attached.count &&
                          (place->address == address || place->address - address < size);
  const bool meets_last = place != attached.list && address - place[-1].address < place[-1].bytes;
  if (meets_next || meets_last)
    return fail(MPI_ERR_RMA_ATTACH,
                "argument 2 (base): some of the %lld bytes at %p are attached already; "
                "MPI_Win_detach them first",
                static_cast<long long>(bytes), base);
  const auto index = static_cast<std::size_t>(place - attached.list);
  PublishedRegions shared;
  forget_detached(attached, {address, size});
  if (!make_space(attached, listed(attached) + 1) || !make_shared_space(window, &shared))
    return fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
  place = attached.list + index;
  std::memmove(place + 1, place, (listed(attached) - index) * sizeof *place);
  *place = {address, size, platform::memory_kinds.find(base) != nullptr};
  ++attached.count;
  publish(window, index, shared);
  return MPI_SUCCESS;
}

Error detach(Window& window, const void* base) {
  if (Error error = check_flavor(window)) return error;
  platform::Guard guard(window.memory_lock);
  Regions& attached = window.attached;
  const auto address = reinterpret_cast<std::uint64_t>(base);
  WindowRegion* place = find(attached, address);
  const auto index = static_cast<std::size_t>(place - attached.list);
  if (index == attached.count || place->address != address)
    return fail(MPI_ERR_RMA_ATTACH,
                "argument 2 (base): nothing that is attached begins at %p; give the address that "
                "MPI_Win_attach was given",
                base);
  const WindowRegion region = *place;
  remove_at(attached, index, &attached.count);
  keep_detached(attached, region);
  publish(window, index, window.published);
  return MPI_SUCCESS;
}

Lies find_region(Window& window, Target& target, std::uint64_t address, std::int64_t bytes,
                 WindowRegion* region) {
  const bool own = &target == &window.own();
  platform::Guard guard(window.memory_lock);
  if (!own) {
    if (!target.regions) target.regions = new (std::nothrow) Regions;
    if (!target.regions) return Lies::nowhere;
    Error error = MPI_SUCCESS;
    while (!is_current(target.row->regions, target.regions->version) &&
           !read_list(target, &error)) {
      if (transport::has_died(target.local_rank)) return Lies::nowhere;
      platform::yield_cpu();
    }
    if (error) return Lies::nowhere;
  }
  const Lies lies = find_in(own ? window.attached : *target.regions, address,
                            static_cast<std::uint64_t>(bytes), region);
  if (BATON_UNLIKELY(lies == Lies::detached)) note_not_portable(Lenience::detached_memory);
  return lies;
}

bool is_usable(Window& window, std::uint64_t address, std::int64_t bytes) {
  WindowRegion region;
  const Lies lies = find_region(window, window.own(), address, bytes, &region);
  return lies == Lies::attached ||
         (lies == Lies::detached &&
          (platform::memory_kinds.find(reinterpret_cast<const void*>(address)) ||
           platform::is_mapped_now(address, static_cast<std::uint64_t>(bytes))));
}

void forget_regions(Window& window) {
  if (window.published.list) (void)transport::exported_heap.release(window.published.list);
  std::free(window.attached.list);
  for (int rank = 0; window.targets && rank < window.ranks(); ++rank) {
    Regions* regions = window.targets[rank].regions;
    if (regions) std::free(regions->list);
    delete regions;
  }
}

}  // namespace baton::window
