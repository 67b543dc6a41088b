// Host memory of our own that is registered, so that kernels of a device reach it: lists of what
// they are to copy lie there, and data on its way from or to host memory that they do not reach.
// Invariant: memory in use is registered, and its context lives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/device/accelerator.hpp"
#include "platform/lock.hpp"

namespace baton::platform {

// One piece, in the hands of one thread.
struct KernelSpace {
  static constexpr std::size_t planes_max = 1024;
  static constexpr std::size_t data_bytes = std::size_t{1} << 20;  // guess
  struct Memory {
    KernelPlane planes[planes_max];
    char data[data_bytes];
  };

  // Kernels reach a place in the memory by this address.
  std::uint64_t reached(const void* place) const {
    return address + static_cast<std::uint64_t>(static_cast<const char*>(place) -
                                                reinterpret_cast<const char*>(memory));
  }

  Memory* memory = nullptr;  // null: none so far
  void* context = nullptr;   // that has registered it; null: none has
  std::uint64_t address = 0;
  bool in_use = false;
};

class KernelSpaces {
 public:
  // Takes a piece for a kernel of planes in a context, that is to make so many copies. Null: the
  // driver is to make them as ever. That is so until enough of them have come for the kernel's
  // translation to pay, while other threads have all pieces, and where the driver has no kernels or
  // registers no memory. Any thread.
  KernelSpace* take(void* context, std::size_t copies);
  void give_back(KernelSpace& space);
  // Frees all. None is in use.
  void end();

 private:
  bool pays(std::size_t copies);
  static bool reach(KernelSpace& space, void* context);

  static constexpr int spaces_max = 4;  // guess: threads that copy at once
  KernelSpace spaces_[spaces_max];
  std::size_t copies_ = 0;  // that a kernel would have made so far
  Lock lock_;
};

extern KernelSpaces kernel_spaces;

}  // namespace baton::platform
