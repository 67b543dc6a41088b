// Which way messages went: how many and how many bytes, by way and by size. Each process counts for
// each of its peers; the launcher adds up and prints (mpiexec --explain).
#pragma once

#include <bit>
#include <cstdint>

namespace baton {

// docs/one-message.md tells them one by one. `offered` is no way yet: the receiver will choose.
enum class Way : std::uint8_t { packed, deposit, staged, cma, offered };
inline constexpr int way_count = static_cast<int>(Way::offered);

// Sizes by factors of 8: up to 8 bytes, up to 64, ... up to 2 MiB, more.
inline constexpr int size_class_count = 8;
constexpr int size_class(std::int64_t bytes) {
  if (bytes <= 8) return 0;
  int place = (std::bit_width(static_cast<std::uint64_t>(bytes - 1)) - 1) / 3;
  return place < size_class_count ? place : size_class_count - 1;
}
static_assert(size_class(8) == 0 && size_class(9) == 1 && size_class(64) == 1);
static_assert(size_class(65) == 2 && size_class(2 << 20) == 6 && size_class((2 << 20) + 1) == 7);

struct Tally {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
struct Traffic {
  Tally tally[way_count][size_class_count];
  Tally& at(Way way, std::int64_t bytes) { return tally[static_cast<int>(way)][size_class(bytes)]; }
  void add(const Traffic& other) {
    for (int way = 0; way < way_count; ++way)
      for (int size = 0; size < size_class_count; ++size) {
        tally[way][size].messages += other.tally[way][size].messages;
        tally[way][size].bytes += other.tally[way][size].bytes;
      }
  }
};

}  // namespace baton
