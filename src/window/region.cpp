// Memory attached to dynamic windows. Each rank publishes its list in shared memory, with a
// version; the others keep copies, which they read again when the version has changed.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "transport/heap.hpp"
#include "window/window.hpp"

namespace baton::window {

namespace {

using lockfree::WindowRegion;

Error check_flavor(const Window& window) {
  if (window.is_dynamic()) return MPI_SUCCESS;
  return fail(MPI_ERR_RMA_FLAVOR,
              "argument 1 (win): memory is attached to windows of MPI_Win_create_dynamic only");
}

// The first that does not lie before an address.
WindowRegion* find(const Regions& regions, std::uint64_t address) {
  return std::lower_bound(
      regions.list, regions.list + regions.count, address,
      [](const WindowRegion& region, std::uint64_t wanted) { return region.address < wanted; });
}

// Room for so many.
bool make_room(Regions& regions, std::size_t count) {
  if (count <= regions.room) return true;
  const std::size_t room = std::max<std::size_t>(count, 2 * regions.room);
  void* memory = std::realloc(regions.list, room * sizeof(WindowRegion));
  if (!memory) return false;
  regions.list = static_cast<WindowRegion*>(memory);
  regions.room = room;
  return true;
}

// A list that others map, with room for one region more; the one there is, or a longer one.
bool make_shared_room(const Window& window, PublishedRegions* longer) {
  *longer = window.published;
  if (!window.row_is_shared || window.attached.count < longer->room) return true;
  longer->room = std::max<std::size_t>(page_bytes / sizeof(WindowRegion), 2 * longer->room);
  void* memory = nullptr;
  if (transport::allocate_exported(longer->room * sizeof *longer->list, cache_line_bytes, nullptr,
                                   true, &memory))
    memory = nullptr;
  longer->list = static_cast<decltype(longer->list)>(memory);
  return memory != nullptr;
}

// What is attached has changed from an index on: so the others shall see it, in that list.
void publish(Window& window, std::size_t changed, const PublishedRegions& shared) {
  if (!window.row_is_shared) return;
  const Regions& attached = window.attached;
  const PublishedRegions before = std::exchange(window.published, shared);
  if (before.list != shared.list) changed = 0;
  lockfree::publish_regions(window.row->regions, reinterpret_cast<std::uint64_t>(shared.list),
                            attached.count, [&] {
                              for (std::size_t i = changed; i < attached.count; ++i)
                                write_region(shared.list[i], attached.list[i]);
                            });
  if (before.list && before.list != shared.list) (void)transport::release_exported(before.list);
}

// Tries to read another rank's list; false: it was being changed.
bool read_list(Target& target, Error* error) {
  const auto& line = target.row->regions;
  const lockfree::RegionView view = view_regions(line);
  if (!is_still(line, view)) return false;  // else the list may be shorter than that
  Regions& copy = *target.regions;
  const auto* list = reinterpret_cast<const lockfree::SharedRegion<lockfree::Hardware>*>(
      view.count == 0
          ? nullptr
          : transport::reach_exported(target.local_rank, reinterpret_cast<const void*>(view.list)));
  if (!make_room(copy, view.count)) {
    *error = fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
    return true;
  }
  for (std::size_t i = 0; list && i < view.count; ++i) copy.list[i] = read_region(list[i]);
  if (!is_still(line, view)) return false;
  copy.count = list ? view.count : 0;
  copy.version = view.version;
  return true;
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
  if (!make_room(attached, attached.count + 1) || !make_shared_room(window, &shared))
    return fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
  place = attached.list + index;
  std::memmove(place + 1, place, (attached.count - index) * sizeof *place);
  *place = {address, size};
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
  --attached.count;
  std::memmove(place, place + 1, (attached.count - index) * sizeof *place);
  publish(window, index, window.published);
  return MPI_SUCCESS;
}

bool find_region(Window& window, Target& target, std::uint64_t address, std::int64_t bytes,
                 WindowRegion* region) {
  const bool own = &target == &window.own();
  platform::Guard guard(window.memory_lock);
  if (!own) {
    if (!target.regions) target.regions = new (std::nothrow) Regions;
    if (!target.regions) return false;
    Error error = MPI_SUCCESS;
    while (!is_current(target.row->regions, target.regions->version) && !read_list(target, &error))
      platform::yield_cpu();
    if (error) return false;
  }
  const Regions& regions = own ? window.attached : *target.regions;
  WindowRegion* place = find(regions, address);
  const bool begins = place != regions.list + regions.count && place->address == address;
  if (!begins) {
    if (place == regions.list) return false;
    --place;
  }
  *region = *place;
  const std::uint64_t offset = address - place->address;
  return offset <= place->bytes && place->bytes - offset >= static_cast<std::uint64_t>(bytes);
}

void forget_regions(Window& window) {
  if (window.published.list) (void)transport::release_exported(window.published.list);
  std::free(window.attached.list);
  for (int rank = 0; window.targets && rank < window.ranks(); ++rank) {
    Regions* regions = window.targets[rank].regions;
    if (regions) std::free(regions->list);
    delete regions;
  }
}

}  // namespace baton::window
