#include "transport/attached.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "platform/valgrind.hpp"
#include "platform/xpmem.hpp"

namespace baton::transport {

struct Region {
  std::uint64_t begin = 0, end = 0;  // at the owner; whole pages
  char* here = nullptr;
  std::uint64_t used = 0;
};
// These are the regions of one process that are mapped here.
struct AttachedRegions {
  static constexpr int regions_max = 16;  // guess
  std::int64_t access = 0;                // -1: refused
  Region regions[regions_max];
};

constinit AttachedMemory attached_memory;

namespace {

// Returns the regions of a process, null when it cannot be attached. The caller holds the lock.
AttachedRegions* owner_of(Slot slot) {
  AttachedRegions**& owners = slot.arena->attached;
  if (!owners)
    owners =
        static_cast<AttachedRegions**>(std::calloc(slot.arena->slots, sizeof(AttachedRegions*)));
  if (!owners) return nullptr;
  if (!owners[slot.index]) owners[slot.index] = new (std::nothrow) AttachedRegions;
  AttachedRegions* owner = owners[slot.index];
  if (!owner) return nullptr;
  // ORDER rank.xpmem: acquire here, release in offer_attaching.
  if (!owner->access)
    owner->access =
        platform::accept_memory(slot.row().state.xpmem_segment.load(std::memory_order_acquire));
  return owner->access > 0 ? owner : nullptr;
}

Region map(const AttachedRegions& owner, std::uint64_t begin, std::size_t bytes) {
  const std::uint64_t first = begin / page_bytes * page_bytes;
  const std::uint64_t end = round_up(begin + bytes, page_bytes);
  return {first, end, static_cast<char*>(platform::map_offered(owner.access, first, end - first))};
}

// Returns the least recently used region. With several threads another thread may be copying in it.
Region* region_for_use(AttachedRegions& owner) {
  Region* oldest = &owner.regions[0];
  for (Region& region : owner.regions) {
    if (!region.here) return &region;
    if (region.used < oldest->used) oldest = &region;
  }
  if (platform::threads_multiple) return nullptr;
  platform::unmap_offered(oldest->here);
  oldest->here = nullptr;
  return oldest;
}

}  // namespace

void offer_attaching(Arena& arena) {
  if (!settings.xpmem || platform::runs_under_valgrind() || !platform::open_xpmem()) return;
  std::int64_t segment = platform::offer_memory();
  arena.maps_offered = segment > 0;
  // ORDER rank.xpmem: release here, acquire in can_attach and owner_of.
  if (arena.maps_offered)
    arena.own_slot().row().state.xpmem_segment.store(segment, std::memory_order_release);
}

bool can_attach(Slot owner) {
  // ORDER rank.xpmem: acquire here, release in offer_attaching.
  return BATON_UNLIKELY(owner.arena->maps_offered) && !owner.is_own() &&
         owner.row().state.xpmem_segment.load(std::memory_order_acquire) > 0;
}

char* AttachedMemory::reach(Slot slot, const void* address, std::size_t bytes) {
  if (BATON_LIKELY(!can_attach(slot)) || bytes == 0) return nullptr;
  platform::Guard guard(lock_);
  AttachedRegions* owner = owner_of(slot);
  if (!owner) return nullptr;
  auto begin = reinterpret_cast<std::uint64_t>(address);
  for (Region& region : owner->regions)
    if (region.here && begin >= region.begin && begin + bytes <= region.end) {
      region.used = ++uses_;
      return region.here + (begin - region.begin);
    }
  Region* region = region_for_use(*owner);
  if (!region) return nullptr;
  *region = map(*owner, begin, bytes);
  region->used = ++uses_;
  return region->here ? region->here + (begin - region->begin) : nullptr;
}

char* AttachedMemory::keep(Slot slot, const void* address, std::size_t bytes) {
  if (BATON_LIKELY(!can_attach(slot)) || bytes == 0) return nullptr;
  platform::Guard guard(lock_);
  AttachedRegions* owner = owner_of(slot);
  if (!owner) return nullptr;
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  const Region region = map(*owner, begin, bytes);
  return region.here ? region.here + (begin - region.begin) : nullptr;
}

void AttachedMemory::let_go(char* here) {
  platform::Guard guard(lock_);
  platform::unmap_offered(here - reinterpret_cast<std::uint64_t>(here) % page_bytes);
}

void detach_regions(Arena& arena) {
  for (std::uint32_t i = 0; arena.attached && i < arena.slots; ++i) {
    if (!arena.attached[i]) continue;
    for (Region& region : arena.attached[i]->regions)
      if (region.here) platform::unmap_offered(region.here);
    delete arena.attached[i];
  }
  std::free(arena.attached);
  arena.attached = nullptr;
}

}  // namespace baton::transport
