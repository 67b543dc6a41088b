#include "transport/move/device_copy.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/device/host_registrations.hpp"
#include "transport/heap.hpp"

namespace baton::transport {

constinit DeviceCopies device_copies;

namespace {

// guess: to open an allocation of a pool for a copy takes as long as staging so much.
constexpr std::int64_t pooled_bytes_min = 262144;

int opened_max() {
  return static_cast<int>(settings.device_handles_max);
}

// Reads what another process has published; false: it is being changed, or gone.
bool read(Slot owner, std::uint64_t published, DeviceExport& copy) {
  const char* here = exported_heap.reach(owner, reinterpret_cast<const void*>(published));
  if (!here) return false;
  const auto& theirs = *reinterpret_cast<const DeviceExport*>(here);
  // ORDER device_export.id: acquire here, release in publish; what is read in between belongs to
  // the id if the id is still the same afterwards.
  const std::uint64_t id = theirs.id.load(std::memory_order_acquire);
  copy.id.store(id, std::memory_order_relaxed);  // relaxed: our own
  copy.start = theirs.start;
  copy.bytes = theirs.bytes;
  copy.handle = theirs.handle;
  std::atomic_thread_fence(std::memory_order_acquire);
  return id != 0 && theirs.id.load(std::memory_order_relaxed) == id;  // relaxed: after the fence
}

std::uint64_t id_of(const DeviceExport& one) {
  return one.id.load(std::memory_order_relaxed);  // relaxed: only its owner changes it, or our own
}

}  // namespace

// --- the owner

// Receivers see the id first.
static void forget(DeviceExport& one) {
  // ORDER device_export.id: release here, acquire in read.
  one.id.store(0, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  platform::device_memory.driver()->forget_export(one.handle);
  one.handle = {};
}

// Returns a free place for one more, or the one that was published longest ago; null: no memory.
// What was freed since makes place.
DeviceExport* DeviceCopies::place_for_export() {
  if (!exports_) {
    void* memory = nullptr;
    if (exported_heap.allocate(exports_max * sizeof(DeviceExport), alignof(DeviceExport), nullptr,
                               true, &memory) ||
        !memory)
      return nullptr;
    exports_ = new (memory) DeviceExport[exports_max]{};
  }
  DeviceExport* free = nullptr;
  for (int i = 0; i < exports_max; ++i) {
    DeviceExport& one = exports_[i];
    const bool gone = id_of(one) != 0 && platform::device_memory.is_gone(
                                             reinterpret_cast<const void*>(one.start), id_of(one));
    // Receivers find out by the id, and close it.
    if (gone) forget(one);
    if (id_of(one) == 0) free = &one;
  }
  if (free) return free;
  next_export_ = (next_export_ + 1) % exports_max;
  return &exports_[next_export_];
}

// Returns what was published of an allocation, now or before; null: it cannot be. Under the lock.
DeviceExport* DeviceCopies::publish(const platform::DeviceRange& range) {
  if (exports_)
    for (int i = 0; i < exports_max; ++i)
      if (id_of(exports_[i]) == range.id) return &exports_[i];
  platform::DeviceHandle handle;
  if (platform::device_memory.driver()->export_range(range, handle)) return nullptr;
  DeviceExport* one = place_for_export();
  if (!one) {
    platform::device_memory.driver()->forget_export(handle);
    return nullptr;
  }
  forget(*one);
  // ORDER device_export.id: release here, acquire in read.
  std::atomic_thread_fence(std::memory_order_release);
  one->start = range.start;
  one->bytes = range.end - range.start;
  one->handle = handle;
  one->id.store(range.id, std::memory_order_release);
  return one;
}

std::uint64_t DeviceCopies::offer(const void* ours, std::int64_t bytes, bool contiguous,
                                  Reason* why) {
  *why = Reason::none;
  platform::DeviceRange range;
  if (!platform::device_memory.find(ours, range)) return 0;
  *why = Reason::device_ipc_off;
  if (!settings.device_ipc) return 0;
  *why = Reason::device_gaps;
  if (!contiguous) return 0;
  *why = Reason::device_not_exported;
  const auto start = reinterpret_cast<std::uintptr_t>(ours);
  if (!range.may_export || static_cast<std::uintptr_t>(bytes) > range.end - start) return 0;
  if (range.of_pool && bytes < pooled_bytes_min) return 0;
  platform::Guard guard(lock_);
  const DeviceExport* published = publish(range);
  if (!published) return 0;
  *why = Reason::none;
  return reinterpret_cast<std::uint64_t>(published);
}

// --- the receiver, under the lock

DeviceCopies::Opened* DeviceCopies::find(const Memory& theirs, std::uint64_t published,
                                         const DeviceExport& read) {
  for (int i = 0; i < opened_max(); ++i) {
    Opened& one = opened_[i];
    if (!one.mapped || one.id != id_of(read) || one.published != published ||
        one.owner != theirs.owner)
      continue;
    if (!platform::device_memory.is_gone(one.mapped, one.mapped_id)) return &one;
    if (one.copies == 0) one.mapped = nullptr;
    return nullptr;
  }
  return nullptr;
}

void DeviceCopies::close(Opened& one) {
  // Else its context has ended, and something else may lie there now.
  if (!platform::device_memory.is_gone(one.mapped, one.mapped_id))
    platform::device_memory.driver()->close(one.context,
                                            {one.mapped, one.mapped_bytes, one.of_pool});
  one.mapped = nullptr;
}

// The owner may free what is of a pool once no copy of its messages is under way.
void DeviceCopies::let_go(Opened& one) {
  if (one.of_pool && one.copies == 0) close(one);
}

// Looks whether allocations that are open here were freed by their owners, at so many of them.
void DeviceCopies::close_gone(int looks) {
  for (; looks > 0; --looks) {
    next_look_ = (next_look_ + 1) % opened_max();
    Opened& one = opened_[next_look_];
    DeviceExport now;
    if (one.mapped && one.copies == 0 &&
        (!read(one.owner, one.published, now) || id_of(now) != one.id))
      close(one);
  }
}

// Returns a place for one more; if there is none, that of the one not used for longest; null: all
// are in use.
DeviceCopies::Opened* DeviceCopies::place_to_open() {
  Opened* oldest = nullptr;
  for (int i = 0; i < opened_max(); ++i) {
    Opened& one = opened_[i];
    if (!one.mapped) return &one;
    if (one.copies == 0 && (!oldest || one.last_used < oldest->last_used)) oldest = &one;
  }
  if (oldest) close(*oldest);
  return oldest;
}

DeviceCopies::Opened* DeviceCopies::open(const Memory& theirs, std::uint64_t published,
                                         const DeviceExport& read, void* context) {
  close_gone(opened_max());
  Opened* place = place_to_open();
  platform::Accelerator& driver = *platform::device_memory.driver();
  platform::DeviceMapping mapped{};
  if (!place || driver.open(context, read.handle, &mapped)) return nullptr;
  // A descriptor may have become that of something else: its owner lets go of it behind the id.
  DeviceExport now;
  if (!transport::read(theirs.owner, published, now) || id_of(now) != id_of(read)) {
    driver.close(context, mapped);
    return nullptr;
  }
  std::uint64_t mapped_id = 0;
  driver.tell_id(mapped.address, &mapped_id);
  *place = {theirs.owner,
            published,
            id_of(read),
            read.start,
            context,
            static_cast<char*>(mapped.address),
            mapped.bytes,
            mapped_id,
            mapped.of_pool,
            0,
            0};
  return place;
}

// Returns the context in which data is copied to or from `ours`: of that memory, if it is a
// device's. Long data goes straight between host memory and a device, too. Null: it is to go
// otherwise.
static void* context_for(const void* ours, std::int64_t bytes) {
  platform::DeviceRange range;
  if (platform::device_memory.find(ours, range)) return range.context;
  platform::Accelerator* driver = platform::device_memory.find_driver();
  return driver && bytes >= settings.device_bytes_min ? driver->own_context() : nullptr;
}

// Returns where memory that its owner has offered lies here; null: it cannot be opened. Under the
// lock.
char* DeviceCopies::reach(const Memory& theirs, std::uint64_t offered, void* context,
                          Opened** opened) {
  DeviceExport there;
  const auto address = reinterpret_cast<std::uint64_t>(theirs.address);
  if (!read(theirs.owner, offered, there) || address - there.start >= there.bytes) return nullptr;
  if (!opened_)
    opened_ =
        static_cast<Opened*>(std::calloc(static_cast<std::size_t>(opened_max()), sizeof(Opened)));
  if (!opened_) return nullptr;
  constexpr int looks = 2;  // guess: so that what nobody uses any more does not stay
  close_gone(looks);
  *opened = find(theirs, offered, there);
  if (!*opened) *opened = open(theirs, offered, there, context);
  return *opened ? (*opened)->mapped + (address - there.start) : nullptr;
}

bool DeviceCopies::begin(const Memory& theirs, std::uint64_t offered, void* ours,
                         std::int64_t bytes, bool contiguous, Direction direction, DeviceCopy& copy,
                         Reason* why) {
  *why = Reason::device_one_side;
  void* context = context_for(ours, bytes);
  if (!context) return false;
  *why = Reason::device_gaps;
  if (!contiguous) return false;
  *why = Reason::device_not_opened;
  platform::Guard guard(lock_);
  Opened* opened = nullptr;
  char* there = reach(theirs, offered, context, &opened);
  if (!there) return false;
  platform::Accelerator& driver = *platform::device_memory.driver();
  copy.context = context;
  const auto length = static_cast<std::size_t>(bytes);
  platform::host_registrations.prepare(context, ours, length);
  char* here = static_cast<char*>(ours);
  const bool in = direction == Direction::in;
  const platform::PlaneCopy whole{in ? here : there, in ? there : here, length, length, length, 1};
  const char* failed = driver.begin_copy(context, platform::DeviceLane::messages, whole);
  if (!failed && driver.mark(context, &copy.mark)) {
    // Nobody can look at it, so it is waited for; what comes otherwise is the same data.
    driver.finish(context, platform::DeviceLane::messages);
    failed = "it cannot be marked";
  }
  if (failed) return let_go(*opened), false;
  *why = Reason::none;
  copy.opened = static_cast<int>(opened - opened_);
  opened->last_used = ++uses_;
  ++opened->copies;
  return true;
}

platform::CopyState DeviceCopies::look(DeviceCopy& copy) {
  const char* why = nullptr;
  const platform::CopyState state =
      platform::device_memory.driver()->look(copy.context, copy.mark, &why);
  if (state == platform::CopyState::under_way) return state;
  platform::Guard guard(lock_);
  Opened& opened = opened_[copy.opened];
  --opened.copies;
  let_go(opened);
  return state;
}

void DeviceCopies::end() {
  for (int i = 0; opened_ && i < opened_max(); ++i)
    if (opened_[i].mapped) close(opened_[i]);
  std::free(opened_);
  opened_ = nullptr;
  for (int i = 0; exports_ && i < exports_max; ++i)
    if (id_of(exports_[i])) forget(exports_[i]);
  if (exports_) exported_heap.release(exports_);
  exports_ = nullptr;
}

}  // namespace baton::transport
