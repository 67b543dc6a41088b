// Combining what the ranks have written to their places in a room, in rank order.
#pragma once

#include "collective/algorithms.hpp"
#include "collective/visit.hpp"

namespace baton::collective {

// Elements [first, first + part.count) of the vectors at `count` places, into `result`: the last
// one's, and the others folded in from the right (inout = in op inout). `place_at(i)`: the places
// in the order in which they are combined. `unpacked` holds one such part where the type's data
// does not lie as it is packed; else it is not used.
template <class PlaceAt>
void combine_at(const Visit& visit, int count, PlaceAt&& place_at, Vector part, std::int64_t first,
                void* result, void* unpacked) {
  const std::int64_t offset = first * part.type->size;
  int i = count - 1;
  visit.take(place_at(i), result, part.count, *part.type, offset);
  while (i-- > 0) {
    const int place = place_at(i);
    const void* theirs = visit.place(place) + offset;
    if (!part.type->contiguous) {
      visit.take(place, unpacked, part.count, *part.type, offset);
      theirs = unpacked;
    }
    part.reduce(theirs, result);
  }
}
// Of the places [from, to); of some, whole vectors.
inline void combine(const Visit& visit, int from, int to, Vector part, std::int64_t first,
                    void* result, void* unpacked) {
  combine_at(
      visit, to - from, [from](int i) { return from + i; }, part, first, result, unpacked);
}
inline void combine(const Visit& visit, Places places, Vector vector, void* result,
                    void* unpacked) {
  combine_at(
      visit, places.count, [places](int i) { return places[i]; }, vector, 0, result, unpacked);
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
