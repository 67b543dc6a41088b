// Memory of devices in this process: which buffers lie there, and the copies that reach them. The
// program's driver library is looked for only on machines that have a device, and used from when
// the program has loaded it, which may be long after MPI_Init. memory_kind.hpp asks for kinds;
// transport/move/device_copy.hpp moves allocations between processes, and
// transport/network/device_registrations.hpp registers them; nothing else looks.
//
// What is known of an address is never a guess. Host memory is what cannot become anything else
// (host_ranges.hpp) or what the driver does not know when it is asked now. A device's allocations
// are kept under their ids, and whenever an address falls into one that is kept, the driver is
// asked for the id that is there now: another one, or none, and what was kept is forgotten.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "platform/device/accelerator.hpp"
#include "platform/device/host_ranges.hpp"
#include "platform/device/loader_watch.hpp"
#include "platform/lock.hpp"
#include "platform/memory_kind.h"

namespace baton::platform {

class DeviceMemory {
 public:
  // Finds out whether this process may get memory of a device: the machine has one, or a driver is
  // loaded, or the setting `device` says so. It is called once, at start.
  void begin();
  // Says what `begin` would find. Before or after it, by any thread, once settings are read.
  static bool may_come();
  // The rank ends; the driver is not used any more.
  void end();
  // Returns whether it may: if not, nobody need ask.
  bool may_be_used() const { return may_be_used_; }

  // Returns the kind of memory at an address; null: the host's. Any thread.
  const BatonMemoryKind* kind_of(const void* address);
  // Describes the allocation that an address lies in. False: it is host memory.
  bool find(const void* address, DeviceRange& range);
  // Returns whether an address is no longer in the allocation that had this id.
  bool is_gone(const void* address, std::uint64_t id) {
    std::uint64_t now;
    return driver()->tell_id(address, &now) && now != id;
  }
  // The driver; null: there is none in this process so far.
  Accelerator* driver() const {
    // ORDER device_memory.driver: acquire here, release in look_for_driver; its functions.
    return std::atomic_ref(const_cast<Accelerator*&>(driver_)).load(std::memory_order_acquire);
  }

  // Returns the driver as `driver` does, and looks first whether the program has loaded it
  // meanwhile.
  Accelerator* find_driver() { return may_be_used_ && driver_is_there() ? driver() : nullptr; }

  HostRanges host_ranges;

 private:
  bool driver_is_there();
  BATON_COLD void look_for_driver();
  bool find_kept(const void* address, DeviceRange& range);
  void keep(const DeviceRange& range);

  bool may_be_used_ = false;
  Accelerator* driver_ = nullptr;
  LoaderWatch loader_;
  // guess: programs take few large blocks from the driver and divide them.
  static constexpr int kept_max = 64;
  DeviceRange kept_[kept_max];
  int kept_count_ = 0;
  int latest_ = 0;  // of those kept, what was found last
  int replaced_ = 0;
  // All that was ever kept lies between these.
  std::uintptr_t lowest_ = ~std::uintptr_t{0};
  std::uintptr_t highest_ = 0;
  Lock lock_;
};

extern DeviceMemory device_memory;

// Returns whether this machine has a device, as far as the files of its drivers say.
bool has_device_file();

// Copies bytes where a side is, or both are, memory of a device, and waits (device_batch.hpp).
// Returns why it failed; null: it did not.
const char* copy_device_memory(void* to, const void* from, std::size_t bytes);

}  // namespace baton::platform
