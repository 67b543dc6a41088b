// These are copy kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "base/cache_line.hpp"

namespace baton::platform {

// Copies at most 48 bytes without a call: overlapping words of fixed size, nothing beyond `bytes`.
BATON_INLINE void copy_short(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<char*>(to);
  auto* source = static_cast<const char*>(from);
  auto ends = [&](auto word) {
    decltype(word) first, last;
    std::memcpy(&first, source, sizeof word);
    std::memcpy(&last, source + bytes - sizeof word, sizeof word);
    std::memcpy(target, &first, sizeof word);
    std::memcpy(target + bytes - sizeof word, &last, sizeof word);
  };
  struct Sixteen {
    std::uint64_t half[2];
  };
  if (BATON_LIKELY(bytes == 8)) {
    std::memcpy(target, source, 8);
  } else if (bytes > 32) {
    std::memcpy(target + 16, source + 16, 16);
    ends(Sixteen{});
  } else if (bytes >= 16) {
    ends(Sixteen{});
  } else if (bytes > 8) {
    ends(std::uint64_t{});
  } else if (bytes >= 4) {
    ends(std::uint32_t{});
  } else if (bytes >= 2) {
    ends(std::uint16_t{});
  } else if (bytes == 1) {
    *target = *source;
  }
}

// Returns whether a place lies so close behind another one, by their offsets in a page, that the
// processor's string instructions copy slowly. The C library copies runs of more than 2 KiB with
// them. It is so for a buffer of malloc's, 16 bytes into its page, that is filled from the
// beginning of a page. (Zen 3, glibc 2.36, 2026-11-30: 1.9 GB/s for distances of 1 to 31 bytes,
// 29 and more for all others.)
inline bool is_close_behind(const void* to, const void* from) {
  constexpr std::uintptr_t page = 4096, distance_max = 31;
  return (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page -
             1 <
         distance_max;
}

// Copies a run by vector instructions, whatever its place.
[[gnu::noinline]] inline void copy_by_vectors(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<char*>(to);
  auto* source = static_cast<const char*>(from);
#if defined(__x86_64__)
  for (; bytes >= 64; bytes -= 64, source += 64, target += 64) {
    __m128i parts[4];
    for (int i = 0; i < 4; ++i)
      parts[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + i);
    for (int i = 0; i < 4; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(target) + i, parts[i]);
  }
#endif
  std::memcpy(target, source, bytes);
}

// Copies a run of any length; short ones without a function call.
BATON_INLINE void copy_run(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t string_bytes_min = 2048;
  if (bytes <= 48)
    copy_short(to, from, bytes);
  else if (BATON_LIKELY(bytes < string_bytes_min || !is_close_behind(to, from)))
    std::memcpy(to, from, bytes);
  else
    copy_by_vectors(to, from, bytes);
}

// Fetches a line that will be written soon, with ownership. The builtin would only read it, since
// the baseline instruction set leaves prefetchw out, and a line that is shared must then be fetched
// again (131072 bytes through staging: 53 instead of 17 us, 2026-11-21). Where a processor does not
// know the instruction it does nothing.
BATON_INLINE void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

// Copies to lines that somebody else will read, with non-temporal stores, which go around our cache
// (and take no lines away from the reader's). `to` is the start of a cache line. The data is
// visible when end_around_cache has returned.
inline void copy_around_cache(char* to, const char* from, std::size_t bytes) {
#if defined(__x86_64__)
  const std::size_t lines = bytes / cache_line_bytes * cache_line_bytes;
  for (std::size_t i = 0; i < lines; i += 16) {
    __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), part);
  }
  std::memcpy(to + lines, from + lines, bytes - lines);
#else
  std::memcpy(to, from, bytes);
#endif
}
inline void end_around_cache() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace baton::platform
