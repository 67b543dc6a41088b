// Copies from, to or between device memory that are begun one after the other and waited for once:
// in a row each takes less than half as long as alone. Runs of the same length at equal distances
// on both sides, as types with gaps make them, become one copy of a plane. A thread's own; it lives
// within a call of the program, which may not free the memory meanwhile. A function that fails
// returns why, in words that stay.
#pragma once

#include <cstddef>

#include "platform/device/accelerator.hpp"

namespace baton::platform {

class DeviceBatch {
 public:
  // Adds a copy, of which at least one side is device memory.
  const char* copy(void* to, const void* from, std::size_t bytes);
  // Waits for all that was added. The batch is empty again.
  const char* finish();

 private:
  bool knows(const void* address) const;
  const char* find(const void* to, const void* from);
  bool extends_plane(char* to, const char* from, std::size_t bytes);
  const char* begin();

  DeviceRange range_;   // the allocation that one side of the latest copies lies in
  bool waits_ = false;  // copies have begun in its context
  PlaneCopy plane_{};   // not begun yet; no rows: nothing
};

}  // namespace baton::platform
