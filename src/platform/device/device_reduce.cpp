#include "platform/device/device_reduce.hpp"

#include <cstdlib>

#include "base/report.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::platform {

constinit DeviceScratch device_scratch;

namespace {

// More than this is freed when it is given back. guess
constexpr std::size_t kept_bytes_max = std::size_t{1} << 28;
// Blocks are whole numbers of this, so that calls of about the same length find them again. guess
constexpr std::size_t block_bytes_step = std::size_t{1} << 20;

bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace

bool reduce_on_device(const DeviceReduction& reduction) {
  const std::size_t alignment = reduction.element.alignment();
  DeviceRange in, inout;
  if (!is_aligned(reduction.in, alignment) || !is_aligned(reduction.inout, alignment) ||
      !device_memory.find(reduction.in, in) || !device_memory.find(reduction.inout, inout) ||
      in.context != inout.context)
    return false;
  Accelerator& driver = *device_memory.driver();
  if (driver.begin_reduction(inout.context, DeviceLane::at_once, reduction)) return false;
  if (const char* why = driver.finish(inout.context, DeviceLane::at_once)) {
    report("a reduction of %lld elements by the device of %p failed: %s",
           static_cast<long long>(reduction.count), reduction.inout, why);
    std::abort();
  }
  return true;
}

// --- under the lock

bool DeviceScratch::is_alive(const Block& block) const {
  std::uint64_t now;
  return device_memory.driver()->tell_id(block.memory, &now) && now == block.id;
}

void DeviceScratch::drop(Block& block) {
  unused_bytes_ -= block.bytes;
  if (is_alive(block)) device_memory.driver()->release(block.context, block.memory);
  block.memory = nullptr;
}

// Where the device has no more, or the list is full, what is not in use makes place.
void* DeviceScratch::take_new(void* context, std::size_t bytes) {
  Accelerator& driver = *device_memory.driver();
  void* memory = nullptr;
  const auto place = [this] {
    for (Block& block : blocks_)
      if (!block.memory) return &block;
    return static_cast<Block*>(nullptr);
  };
  if (!place() || driver.allocate(context, bytes, &memory)) {
    for (Block& block : blocks_)
      if (block.memory && !block.in_use) drop(block);
    if (!place() || driver.allocate(context, bytes, &memory)) return nullptr;
  }
  std::uint64_t id = 0;
  driver.tell_id(memory, &id);
  *place() = {static_cast<char*>(memory), context, bytes, id, true};
  return memory;
}

void* DeviceScratch::take(const void* beside, std::size_t bytes) {
  DeviceRange range;
  if (!device_memory.find(beside, range) || !range.context) return nullptr;
  bytes = (bytes + block_bytes_step - 1) / block_bytes_step * block_bytes_step;
  Guard guard(lock_);
  for (Block& block : blocks_) {
    // A block that is much longer is left to those that need it.
    if (!block.memory || block.in_use || block.context != range.context || block.bytes < bytes ||
        block.bytes / 2 > bytes)
      continue;
    if (!is_alive(block)) {
      drop(block);
      continue;
    }
    block.in_use = true;
    unused_bytes_ -= block.bytes;
    return block.memory;
  }
  return take_new(range.context, bytes);
}

void DeviceScratch::give_back(void* memory) {
  Guard guard(lock_);
  for (Block& block : blocks_) {
    if (block.memory != memory) continue;
    block.in_use = false;
    unused_bytes_ += block.bytes;
    if (unused_bytes_ > kept_bytes_max) drop(block);
    return;
  }
}

void DeviceScratch::end() {
  for (Block& block : blocks_)
    if (block.memory) drop(block);
  unused_bytes_ = 0;
}

}  // namespace baton::platform
