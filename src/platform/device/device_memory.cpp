#include "platform/device/device_memory.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/report.hpp"
#include "base/settings.hpp"
#include "platform/device/cuda.hpp"

namespace baton::platform {

constinit DeviceMemory device_memory;

namespace {

constexpr const char driver_library[] = "libcuda.so";
// Device files that the drivers of NVIDIA make, on servers and under Windows' Linux.
constexpr const char* device_files[] = {"/dev/nvidiactl", "/dev/dxg"};

cuda::Driver cuda_driver;

int is_device(const void* address) {
  DeviceRange range;
  return device_memory.find(address, range) && range.place == DevicePlace::device;
}
int is_managed(const void* address) {
  DeviceRange range;
  return device_memory.find(address, range) && range.place == DevicePlace::managed;
}

constexpr BatonMemoryKind device_kind{baton_memory_kind_version, "cuda:device", is_device,
                                      copy_device_memory};
constexpr BatonMemoryKind managed_kind{baton_memory_kind_version, "cuda:managed", is_managed,
                                       copy_device_memory};

}  // namespace

bool has_device_file() {
  for (const char* file : device_files)
    if (::access(file, F_OK) == 0) return true;
  return false;
}

bool DeviceMemory::may_come() {
  char path[4096];
  return settings.device != 0 && (settings.device == 1 || has_device_file() ||
                                  find_loaded(driver_library, path, sizeof path));
}

void DeviceMemory::begin() {
  may_be_used_ = may_come();
  if (!may_be_used_) return;
  host_ranges.find();
  loader_.begin();
  look_for_driver();
}

void DeviceMemory::end() {
  if (Accelerator* driver = this->driver()) driver->give_back();
  kept_count_ = latest_ = replaced_ = 0;
}

// The driver library stays loaded from here on, so that its functions do.
void DeviceMemory::look_for_driver() {
  char path[4096];
  if (driver() || !find_loaded(driver_library, path, sizeof path)) return;
  void* library = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL);
  if (!library) return;
  const char* missing = cuda_driver.use(library);
  if (missing) {
    report(
        "%s, which this program has loaded, has no %s as of CUDA 12: buffers in device memory "
        "cannot be used; update the driver, or copy data to host memory first",
        path, missing);
    may_be_used_ = false;
    return;
  }
  // ORDER device_memory.driver: release here, acquire in driver.
  std::atomic_ref(driver_).store(&cuda_driver, std::memory_order_release);
}

bool DeviceMemory::driver_is_there() {
  if (BATON_LIKELY(driver() != nullptr)) return true;
  if (BATON_LIKELY(!loader_.may_have_news())) return false;
  // Who comes while another thread looks waits for what that finds.
  Guard guard(lock_);
  if (loader_.has_news()) look_for_driver();
  return driver() != nullptr;
}

bool DeviceMemory::find_kept(const void* address, DeviceRange& range) {
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  Guard guard(lock_);
  int index = latest_;
  const auto holds = [&](int i) { return here - kept_[i].start < kept_[i].end - kept_[i].start; };
  if (index >= kept_count_ || !holds(index))
    for (index = 0; index < kept_count_; ++index)
      if (holds(index)) break;
  if (index == kept_count_) return false;
  // A driver that does not answer any more has not got other memory: copies will say what is wrong.
  std::uint64_t now;
  if (!driver()->tell_id(address, &now) || now == kept_[index].id) {
    latest_ = index;
    range = kept_[index];
    return true;
  }
  kept_[index] = kept_[--kept_count_];
  return false;
}

void DeviceMemory::keep(const DeviceRange& range) {
  Guard guard(lock_);
  // All that a range overlaps is gone.
  for (int i = 0; i < kept_count_;)
    if (kept_[i].start < range.end && range.start < kept_[i].end)
      kept_[i] = kept_[--kept_count_];
    else
      ++i;
  if (kept_count_ < kept_max) {
    latest_ = kept_count_++;
  } else {
    latest_ = replaced_;
    replaced_ = (replaced_ + 1) % kept_max;
  }
  kept_[latest_] = range;
  store_shared(lowest_, std::min(lowest_, range.start));
  store_shared(highest_, std::max(highest_, range.end));
}

bool DeviceMemory::find(const void* address, DeviceRange& range) {
  if (!may_be_used_ || !address) return false;
  const auto here = reinterpret_cast<std::uintptr_t>(address);
  const bool may_be_kept = here >= load_shared(lowest_) && here < load_shared(highest_);
  if (may_be_kept && find_kept(address, range)) return true;
  if (host_ranges.contain(address) || !driver_is_there()) return false;
  if (!driver()->describe(address, range)) return false;
  keep(range);
  return true;
}

const BatonMemoryKind* DeviceMemory::kind_of(const void* address) {
  DeviceRange range;
  if (BATON_LIKELY(!find(address, range))) return nullptr;
  return range.place == DevicePlace::managed ? &managed_kind : &device_kind;
}

}  // namespace baton::platform
