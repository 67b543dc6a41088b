#include "platform/device/kernel_spaces.hpp"

#include <sys/mman.h>

#include "base/settings.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::platform {

constinit KernelSpaces kernel_spaces;

namespace {

// The translation takes as long as 23 000 copies in a row (85 ms, and 3.7 us), where the driver has
// not kept it from an earlier run. guess
constexpr std::size_t translation_copies = 4096;

}  // namespace

// --- under the lock

bool KernelSpaces::pays(std::size_t copies) {
  if (copies_ < translation_copies) copies_ += copies;
  return copies_ >= translation_copies || settings.device_bytes_min == 0;
}

// Finds the address of a piece in a context, and registers it before where it is not. With a
// context that is destroyed what it has registered may go, so that the driver is asked each time.
bool KernelSpaces::reach(KernelSpace& space, void* context) {
  Accelerator& driver = *device_memory.driver();
  if (!space.memory) {
    // Shared, so that a fork leaves its pages where they are.
    void* memory = ::mmap(nullptr, sizeof(KernelSpace::Memory), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    space.memory = static_cast<KernelSpace::Memory*>(memory);
  }
  if (space.context && !driver.reach_host(context, space.memory, &space.address)) return true;
  if (space.context) driver.unregister_host(space.context, space.memory);
  space.context = nullptr;
  if (driver.register_host(context, space.memory, sizeof *space.memory)) return false;
  space.context = context;
  return !driver.reach_host(context, space.memory, &space.address);
}

KernelSpace* KernelSpaces::take(void* context, std::size_t copies) {
  Guard guard(lock_);
  if (!pays(copies) || device_memory.driver()->load_planes(context)) return nullptr;
  for (KernelSpace& space : spaces_) {
    if (space.in_use) continue;
    if (!reach(space, context)) return nullptr;
    space.in_use = true;
    return &space;
  }
  return nullptr;
}

void KernelSpaces::give_back(KernelSpace& space) {
  Guard guard(lock_);
  space.in_use = false;
}

void KernelSpaces::end() {
  for (KernelSpace& space : spaces_) {
    if (space.context) device_memory.driver()->unregister_host(space.context, space.memory);
    if (space.memory) ::munmap(space.memory, sizeof *space.memory);
    space = {};
  }
  copies_ = 0;
}

}  // namespace baton::platform
