// Combining what the ranks have written to their places in a room, in rank order.
#pragma once

#include "collective/algorithms.hpp"
#include "collective/visit.hpp"

namespace baton::collective {

// Elements [first, first + part.count) of the vectors at places [from, to), into `result`: the last
// one's, and the others folded in from the right (inout = in op inout). `unpacked` holds one such
// part where the type's data does not lie as it is packed; else it is not used.
inline void combine(const Visit& visit, int from, int to, Vector part, std::int64_t first,
                    void* result, void* unpacked) {
  const std::int64_t offset = first * part.type->size;
  int place = to - 1;
  visit.take(place, result, part.count, *part.type, offset);
  while (place-- > from) {
    const void* theirs = visit.place(place) + offset;
    if (!part.type->contiguous) {
      visit.take(place, unpacked, part.count, *part.type, offset);
      theirs = unpacked;
    }
    part.reduce(theirs, result);
  }
}

// Memory for `unpacked`; `*good` is false, and the run has the error, without.
inline void* memory_to_unpack(Run& run, const Vector& vector, bool* good) {
  *good = true;
  if (vector.type->contiguous) return nullptr;
  void* memory = run.scratch(vector.count, *vector.type);
  *good = memory != nullptr;
  return memory;
}

}  // namespace baton::collective
