// These are the inner loops of packing and unpacking: evenly spaced blocks and lists of runs.
// walk.cpp calls them, which is compiled once a level of vector instructions. Nothing outside the
// blocks is written, and of a packed buffer nothing beyond its data.
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "base/cache_line.hpp"
#include "datatype/shape.hpp"
#include "platform/copy.hpp"

#ifndef BATON_KERNEL_LEVEL
#define BATON_KERNEL_LEVEL baseline
#endif

namespace baton::datatype::BATON_KERNEL_LEVEL {

enum class Direction { pack, unpack };

// Moves one run of bytes between its place and the packed form.
template <Direction direction>
BATON_INLINE void move_bytes(char* place, char* packed, std::int64_t bytes) {
  auto length = static_cast<std::size_t>(bytes);
  char* from = direction == Direction::pack ? place : packed;
  char* to = direction == Direction::pack ? packed : place;
  platform::copy_run(to, from, length);
}

// Packs numbers with gaps of their own size, 64 bytes at a time: two loads and a shuffle for eight.
// The gaps are read, too, but nothing beyond the last number, so no memory that may not be mapped.
template <class Number>
std::int64_t pack_every_second(const char* place, std::int64_t count, char* packed) {
  typedef Number Group __attribute__((vector_size(64)));
  constexpr std::int64_t group = 64 / sizeof(Number);
  std::int64_t done = 0;
  for (; done + group < count; done += group, place += 2 * sizeof(Group), packed += sizeof(Group)) {
    Group low, high;
    std::memcpy(&low, place, sizeof low);
    std::memcpy(&high, place + sizeof low, sizeof high);
    Group numbers;
    if constexpr (group == 8)
      numbers = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    else
      numbers = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                        26, 28, 30);
    std::memcpy(packed, &numbers, sizeof numbers);
  }
  return done;
}

// Packs numbers 64 bytes at a time, so that few stores are under way to memory that another core
// holds. Returns how many it has done; a few may be left.
template <class Number>
std::int64_t pack_numbers(const char* place, std::int64_t stride, std::int64_t count,
                          char* packed) {
  if (stride == 2 * sizeof(Number)) return pack_every_second<Number>(place, count, packed);
  typedef Number Group __attribute__((vector_size(64)));
  constexpr std::int64_t group = 64 / sizeof(Number);
  std::int64_t done = 0;
  for (; done + group <= count; done += group, place += group * stride, packed += 64) {
    Group numbers;
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < group; ++i) {
      Number number;
      std::memcpy(&number, place + i * stride, sizeof number);
      numbers[i] = number;
    }
    std::memcpy(packed, &numbers, sizeof numbers);
  }
  return done;
}

// Unpacks to every second place, four numbers of 8 bytes a store; the mask spares the gaps. Returns
// how many it has done: none without instructions for it.
inline std::int64_t unpack_every_second(char* place, std::int64_t count, const char* packed) {
  std::int64_t done = 0;
#ifdef __AVX512F__
  constexpr __mmask8 every_second = 0x55;
  for (; done + 8 <= count; done += 8, place += 128, packed += 64) {
    __m512i numbers = _mm512_loadu_si512(packed);
    __m512i low = __builtin_shufflevector(numbers, numbers, 0, 0, 1, 1, 2, 2, 3, 3);
    __m512i high = __builtin_shufflevector(numbers, numbers, 4, 4, 5, 5, 6, 6, 7, 7);
    _mm512_mask_storeu_epi64(place, every_second, low);
    _mm512_mask_storeu_epi64(place + 64, every_second, high);
  }
#endif
  return done;
}

// Moves `count` blocks of the size of a Word; or, overlapping, of up to twice that size. Steps
// apply to both sides.
template <Direction direction, class Word, bool overlapping>
void move_words(char* place, std::int64_t stride, std::int64_t count, std::int64_t bytes,
                char* packed, std::int64_t packed_stride) {
  std::int64_t last = bytes - static_cast<std::int64_t>(sizeof(Word));
#pragma GCC unroll 4
  for (; count > 0; --count, place += stride, packed += packed_stride) {
    char* from = direction == Direction::pack ? place : packed;
    char* to = direction == Direction::pack ? packed : place;
    Word first_word, last_word;
    std::memcpy(&first_word, from, sizeof(Word));
    if constexpr (overlapping) std::memcpy(&last_word, from + last, sizeof(Word));
    std::memcpy(to, &first_word, sizeof(Word));
    if constexpr (overlapping) std::memcpy(to + last, &last_word, sizeof(Word));
  }
}

// Moves `count` blocks of `bytes`, `stride` bytes apart in memory and `packed_stride` when packed.
template <Direction direction>
void move_blocks(char* place, std::int64_t stride, std::int64_t count, std::int64_t bytes,
                 char* packed, std::int64_t packed_stride) {
  typedef std::uint64_t Sixteen __attribute__((vector_size(16)));
  std::int64_t done = 0;
  if (direction == Direction::pack && bytes == packed_stride) {
    if (bytes == 8) done = pack_numbers<std::uint64_t>(place, stride, count, packed);
    if (bytes == 4) done = pack_numbers<std::uint32_t>(place, stride, count, packed);
  }
  if (direction == Direction::unpack && bytes == 8 && packed_stride == 8 && stride == 16)
    done = unpack_every_second(place, count, packed);
  place += done * stride;
  packed += done * packed_stride;
  count -= done;
  auto words = [&](auto word) {
    using Word = decltype(word);
    if (bytes == sizeof(Word))
      move_words<direction, Word, false>(place, stride, count, bytes, packed, packed_stride);
    else
      move_words<direction, Word, true>(place, stride, count, bytes, packed, packed_stride);
  };
  if (bytes > 32) {
    for (; count > 0; --count, place += stride, packed += packed_stride)
      move_bytes<direction>(place, packed, bytes);
  } else if (bytes >= 16) {
    words(Sixteen{});
  } else if (bytes >= 8) {
    words(std::uint64_t{});
  } else if (bytes >= 4) {
    words(std::uint32_t{});
  } else if (bytes >= 2) {
    words(std::uint16_t{});
  } else {
    words(std::uint8_t{});
  }
}

// Moves `count` times a short list of runs, `stride` bytes apart: run by run for many repetitions,
// so that each inner loop moves one size.
template <Direction direction>
void move_repeated_runs(const Shape& list, char* origin, std::int64_t stride, std::int64_t count,
                        char* packed) {
  constexpr std::int64_t in_cache_bytes = 4096;  // guess
  std::int64_t group = in_cache_bytes / list.bytes + 1;
  while (count > 0) {
    std::int64_t here = count < group ? count : group;
    for (std::int64_t run = 0; run < list.count; ++run) {
      std::int64_t start = list.run_bytes ? run * list.run_bytes : list.starts[run];
      std::int64_t bytes = list.run_bytes ? list.run_bytes : list.starts[run + 1] - start;
      move_blocks<direction>(origin + list.offsets[run], stride, here, bytes, packed + start,
                             list.bytes);
    }
    origin += here * stride;
    packed += here * list.bytes;
    count -= here;
  }
}

// Moves runs [first, last) of a list.
template <Direction direction>
void move_runs(const Shape& list, std::int64_t first, std::int64_t last, char* origin,
               char* packed) {
  if (list.run_bytes == 8) {
    for (std::int64_t i = first; i < last; ++i, packed += 8)
      move_bytes<direction>(origin + list.offsets[i], packed, 8);
  } else if (list.run_bytes) {
    for (std::int64_t i = first; i < last; ++i, packed += list.run_bytes)
      move_bytes<direction>(origin + list.offsets[i], packed, list.run_bytes);
  } else {
    const char* base = packed - list.starts[first];
    for (std::int64_t i = first; i < last; ++i)
      move_bytes<direction>(origin + list.offsets[i], const_cast<char*>(base) + list.starts[i],
                            list.starts[i + 1] - list.starts[i]);
  }
}

}  // namespace baton::datatype::BATON_KERNEL_LEVEL
