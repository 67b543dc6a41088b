// There are two clocks. One is read in a few nanoseconds, to compare costs; its ticks are the
// machine's: equal in all processes, and of no known length. The other counts nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace baton::platform {

// Reads CLOCK_MONOTONIC, which is common to all processes of a node.
inline std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

inline std::int64_t now_ticks() {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  std::int64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return now_ns();
#endif
}

// Returns how many ticks a microsecond has; 0 within the first 0.1 ms after the first call. Any
// thread.
std::int64_t ticks_per_us();

// Waits for all loads before it, so that a clock read behind it has seen them end.
inline void finish_loads() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb ld" ::: "memory");
#endif
}

}  // namespace baton::platform
