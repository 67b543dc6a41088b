// Copies of one context that wait until it is known how many there are. Some are begun one by one,
// as ever; from a few on a kernel makes all of them at once, since launch and wait take as long as
// two or three copies. What kernels cannot reach of host memory goes through memory that they do
// (kernel_spaces.hpp), and the processor copies it from or to its place.
#pragma once

#include <cstddef>

#include "platform/device/accelerator.hpp"
#include "platform/device/host_registrations.hpp"
#include "platform/device/kernel_spaces.hpp"

namespace baton::platform {

class PlaneList {
 public:
  // Returns whether a kernel may make a copy as well as the driver. All that is no host memory lies
  // in one context, and the copy says which sides do.
  static bool takes(const PlaneCopy& copy);
  void add(const PlaneCopy& copy) { copies_[count_++] = copy; }
  bool is_full() const { return count_ == copies_max; }
  // Makes or begins all copies, in any order; the list is empty again. `begun`: some are under way
  // in the lane of copies that are waited for at once. Returns why it failed; null: it did not.
  const char* carry_out(void* context, bool* begun);

 private:
  // guess: so many that a launch is short beside them. A copy is up to two planes.
  static constexpr std::size_t copies_max = 512;
  static_assert(2 * copies_max <= KernelSpace::planes_max);
  // One side of a copy, as a kernel reaches it.
  struct Side {
    std::uint64_t address;
    std::uint64_t step;
  };
  // A launch that is made ready.
  struct Launch {
    KernelSpace& space;
    std::size_t planes = 0;
    std::size_t data_bytes = 0;  // of the space that are in use
    std::uint64_t rows = 0;
    std::uint64_t words = 0;
    std::uint64_t rows_max = 0;
    // Registered memory that was looked for last, and what to add to its addresses.
    HostRange host{};
    std::uint64_t host_shift = 0;
  };

  static bool find_host(Launch& launch, void* context, const char* place, std::size_t bytes);
  static bool find_side(Launch& launch, void* context, const PlaneCopy& copy, bool is_to,
                        char** staged, Side* side);
  static void add_plane(Launch& launch, Side to, Side from, std::size_t bytes, std::size_t rows);
  static bool make_ready(Launch& launch, void* context, const PlaneCopy& copy, char** staged);
  void bring_back(std::size_t first, std::size_t end) const;
  const char* begin_each(void* context, std::size_t first, std::size_t end, bool* begun) const;
  const char* launch_all(KernelSpace& space, void* context, std::size_t count, bool* begun);

  std::size_t count_ = 0;
  PlaneCopy copies_[copies_max];
  char* staged_[copies_max];  // where a copy's host side is meanwhile; null: where it belongs
};

}  // namespace baton::platform
