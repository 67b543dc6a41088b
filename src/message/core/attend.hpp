// Work that ranks of the node ask this one for, to be done while it is in MPI
// (window/delegate.cpp). Progress and waiting look at one word for it. Used by the engine, by waits
// and by window/.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.hpp"
#include "platform/lock.hpp"

namespace baton::message {

inline constinit const std::atomic<std::uint64_t> nobody{0};

struct Attendance {
  const std::atomic<std::uint64_t>* askers = &nobody;  // not 0: somebody may have asked
  // Does what was asked, and returns whether there was anything. It stays when nobody can ask any
  // more: another thread may have seen the word just before.
  bool (*attend)() = nullptr;
};
inline constinit Attendance attendance;

BATON_INLINE bool is_asked() {
  // relaxed: who takes the work orders.
  return BATON_UNLIKELY(platform::load_shared(attendance.askers)->load(std::memory_order_relaxed) !=
                        0);
}

}  // namespace baton::message
