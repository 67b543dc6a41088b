// Combines a part of the vectors whose places ranks have told each other, in rank order.
#pragma once

#include <algorithm>

#include "collective/room/direct_copy.hpp"

namespace baton::collective {

// These are two tiles that stay in cache: one that is combined, and one that is combined with it.
struct TileMemory {
  char* total;
  char* incoming;
};
inline constexpr std::int64_t combined_bytes = 32768;  // guess

// Returns the number of elements of a tile.
inline std::int64_t tile_elements(const Datatype& type) {
  return std::max<std::int64_t>(1, combined_bytes / std::max<std::int64_t>(1, type.size));
}

// Takes memory for the tiles. Null without memory, and the run has the error.
inline TileMemory take_tile_memory(Run& run, const Datatype& type) {
  auto bytes = static_cast<std::size_t>(tile_elements(type) * type.size + cache_line_bytes);
  TileMemory memory{static_cast<char*>(run.take(bytes)), nullptr};
  if (memory.total) memory.incoming = static_cast<char*>(run.take(bytes));
  if (!memory.incoming) memory.total = nullptr;
  return memory;
}

// Combines elements [begin, end) of all ranks' vectors, tile by tile, and hands each to put(first
// element, data, bytes).
template <class Put>
void combine_direct(DirectCopy& copies, const TileMemory& memory, Vector vector, std::int64_t begin,
                    std::int64_t end, Put put) {
  const std::int64_t size = vector.type->size, step = tile_elements(*vector.type);
  for (std::int64_t at = begin; at < end; at += step) {
    const Vector tile = vector.part(std::min(step, end - at));
    const std::int64_t bytes = tile.count * size;
    copies.pull(copies.ranks() - 1, at * size, memory.total, bytes);
    for (int from = copies.ranks() - 1; from-- > 0;) {
      copies.pull(from, at * size, memory.incoming, bytes);
      tile.reduce(memory.incoming, memory.total);
    }
    put(at, memory.total, bytes);
  }
}

}  // namespace baton::collective
