// This file has the cache-line size and the attributes of hot paths. Every layer uses it.
#pragma once

#include <cstddef>

namespace baton {

// A cache line is the unit of transfer between cores: 64 bytes on x86-64 and on the 64-bit Arm
// servers we know.
inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Rounds `value` up to a multiple of `unit`, which is a power of two.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) & ~(unit - 1);
}

}  // namespace baton

#define BATON_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define BATON_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
// Keeps rare work out of the caller's instruction stream.
#define BATON_COLD __attribute__((cold, noinline))
#define BATON_INLINE inline __attribute__((always_inline))
