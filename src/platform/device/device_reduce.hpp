// Reductions of operands that both lie in device memory, by their device, and memory of devices for
// intermediate results. The rest of the library reduces through datatype/device_reduce.hpp.
#pragma once

#include "platform/device/accelerator.hpp"
#include "platform/lock.hpp"

namespace baton::platform {

// Reduces and waits. False: nothing has changed, and the processor is to do it: an operand is host
// memory or not aligned, the operands belong to several contexts, or the driver refuses. A device
// that fails within the reduction ends the process, since its operands are lost.
bool reduce_on_device(const DeviceReduction& reduction);

// Memory of devices for intermediate results, which is kept for the next call: to free memory waits
// for all that the device does. Any thread.
class DeviceScratch {
 public:
  // Takes memory where another place lies, which is device memory. Null: there is none.
  void* take(const void* beside, std::size_t bytes);
  // Gives memory of `take` back.
  void give_back(void* memory);
  // Frees all. Nothing is in use.
  void end();

 private:
  struct Block {
    char* memory;  // null: this is free
    void* context;
    std::size_t bytes;
    std::uint64_t id;  // of the memory: with its context it goes
    bool in_use;
  };
  static constexpr int blocks_max = 64;  // guess

  bool is_alive(const Block& block) const;
  void drop(Block& block);
  void* take_new(void* context, std::size_t bytes);

  Block blocks_[blocks_max] = {};
  std::size_t unused_bytes_ = 0;
  Lock lock_;
};

extern DeviceScratch device_scratch;

}  // namespace baton::platform
