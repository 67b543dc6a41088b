// Memory attached to dynamic windows. Each rank publishes its list in shared memory, with a
// version; the others keep copies, which they read again when the version has changed.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

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

// A longer list for this rank.
bool grow(Window& window, WindowRegion** list, std::size_t* room) {
  *room = std::max<std::size_t>(page_bytes / sizeof(WindowRegion), 2 * window.attached.room);
  void* memory = nullptr;
  const std::size_t bytes = *room * sizeof(WindowRegion);
  if (!window.row_is_shared) {
    memory = std::malloc(bytes);
  } else if (transport::allocate_exported(bytes, cache_line_bytes, nullptr, true, &memory)) {
    memory = nullptr;
  }
  *list = static_cast<WindowRegion*>(memory);
  return memory != nullptr;
}

// Changes the list where others read it: they see the one before, the one after, or an odd version.
template <class Change>
void publish(Window& window, Change change) {
  auto& line = window.row->regions;
  // relaxed: only this rank writes it.
  const std::uint64_t version = line.version.load(std::memory_order_relaxed);
  line.version.store(version + 1, std::memory_order_relaxed);
  // ORDER window.regions: the odd version before the changes; readers look at it behind them.
  std::atomic_thread_fence(std::memory_order_release);
  change();
  line.list.store(reinterpret_cast<std::uint64_t>(window.attached.list),
                  std::memory_order_relaxed);  // relaxed: ordered by the version
  line.count.store(window.attached.count, std::memory_order_relaxed);
  // ORDER window.regions: release here, acquire in read_list; the list is whole.
  line.version.store(version + 2, std::memory_order_release);
}

void give_back(const Window& window, WindowRegion* list) {
  if (window.row_is_shared && list)
    (void)transport::release_exported(list);
  else
    std::free(list);
}

// Tries to read another rank's list; false: it was being changed.
bool read_list(Target& target, Error* error) {
  auto& line = target.row->regions;
  // ORDER window.regions: acquire here, release in publish.
  const std::uint64_t version = line.version.load(std::memory_order_acquire);
  if (version & 1) return false;
  // relaxed: checked by the version below.
  const auto* there = reinterpret_cast<const void*>(line.list.load(std::memory_order_relaxed));
  const std::uint64_t count = line.count.load(std::memory_order_relaxed);
  Regions& copy = *target.regions;
  const char* list = count == 0 ? nullptr : transport::reach_exported(target.local_rank, there);
  if (count > copy.room) {
    void* memory = std::realloc(copy.list, count * sizeof(WindowRegion));
    if (!memory) {
      *error = fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
      return true;
    }
    copy.list = static_cast<WindowRegion*>(memory);
    copy.room = count;
  }
  if (list) std::memcpy(copy.list, list, count * sizeof(WindowRegion));
  // ORDER window.regions: the copy before the second look at the version.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (line.version.load(std::memory_order_relaxed) != version) return false;
  copy.count = count;
  copy.version = version;
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
  WindowRegion* list = attached.list;
  std::size_t room = attached.room;
  if (attached.count == attached.room && !grow(window, &list, &room))
    return fail(MPI_ERR_NO_MEM, "no memory for a list of attached memory");
  publish(window, [&] {
    WindowRegion* old = attached.list;
    if (list != old && index > 0) std::memcpy(list, old, index * sizeof *list);
    if (attached.count > index)
      std::memmove(list + index + 1, old + index, (attached.count - index) * sizeof *list);
    list[index] = {address, size};
    attached.list = list;
    attached.room = room;
    ++attached.count;
    if (old && old != list) give_back(window, old);
  });
  return MPI_SUCCESS;
}

Error detach(Window& window, const void* base) {
  if (Error error = check_flavor(window)) return error;
  platform::Guard guard(window.memory_lock);
  Regions& attached = window.attached;
  const auto address = reinterpret_cast<std::uint64_t>(base);
  WindowRegion* place = find(attached, address);
  if (place == attached.list + attached.count || place->address != address)
    return fail(MPI_ERR_RMA_ATTACH,
                "argument 2 (base): nothing that is attached begins at %p; give the address that "
                "MPI_Win_attach was given",
                base);
  publish(window, [&] {
    --attached.count;
    std::memmove(place, place + 1,
                 static_cast<std::size_t>(attached.list + attached.count - place) * sizeof *place);
  });
  return MPI_SUCCESS;
}

bool is_attached(Window& window, Target& target, std::uint64_t address, std::int64_t bytes) {
  const bool own = &target == &window.own();
  platform::Guard guard(window.memory_lock);
  if (!own) {
    if (!target.regions) target.regions = new (std::nothrow) Regions;
    if (!target.regions) return false;
    // relaxed: read_list acquires.
    Error error = MPI_SUCCESS;
    while (target.regions->version != target.row->regions.version.load(std::memory_order_relaxed) &&
           !read_list(target, &error))
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
  const std::uint64_t offset = address - place->address;
  return offset <= place->bytes && place->bytes - offset >= static_cast<std::uint64_t>(bytes);
}

void forget_regions(Window& window) {
  give_back(window, window.attached.list);
  for (int rank = 0; window.targets && rank < window.ranks(); ++rank) {
    Regions* regions = window.targets[rank].regions;
    if (regions) std::free(regions->list);
    delete regions;
  }
}

}  // namespace baton::window
