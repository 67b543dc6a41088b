// Combines what the ranks have written to their slots of a room, in rank order.
#pragma once

#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

// This is the place of a vector that is combined: in a slot, from an element on, or, for this
// rank's own vector, in the program's buffer.
struct Source {
  int slot;
  std::int64_t first;
  const void* own = nullptr;
};

// Combines the elements of `part` from `count` sources into `result`: it begins with the last
// source and folds the others in from the right (inout = in op inout). `source_at(i)` gives the
// sources in the order in which they are combined. `unpacked` holds one such part where the type is
// not contiguous; else it is not used.
template <class SourceAt>
void combine_at(const Visit& visit, int count, SourceAt&& source_at, Vector part, void* result,
                void* unpacked) {
  const std::int64_t size = part.type->size;
  auto take = [&](const Source& source, void* to) {
    visit.take(source.slot, to, part.count, *part.type, source.first * size);
  };
  int i = count - 1;
  const Source last = source_at(i);
  if (!last.own)
    take(last, result);
  else if (last.own != result)  // else in place
    datatype::copy(*part.type, last.own, *part.type, result, part.count * size, visit.is_host());
  while (i-- > 0) {
    const Source source = source_at(i);
    const void* theirs = source.own;
    if (!theirs && part.type->contiguous) {
      theirs = visit.payload(source.slot) + source.first * size;
    } else if (!theirs) {
      take(source, unpacked);
      theirs = unpacked;
    }
    part.reduce(theirs, result);
  }
}
// Combines the slots [from, to), from element `first` on; the second form, whole vectors of some
// slots.
inline void combine(const Visit& visit, int from, int to, Vector part, std::int64_t first,
                    void* result, void* unpacked) {
  combine_at(
      visit, to - from,
      [from, first](int i) {
        return Source{from + i, first};
      },
      part, result, unpacked);
}
inline void combine(const Visit& visit, Places places, Vector vector, void* result,
                    void* unpacked) {
  combine_at(
      visit, places.count,
      [places](int i) {
        return Source{places[i], 0};
      },
      vector, result, unpacked);
}

// Takes memory for `unpacked`. Without memory `*good` is false, and the run has the error.
inline void* memory_to_unpack(Run& run, const Vector& vector, bool* good) {
  *good = true;
  if (vector.type->contiguous) return nullptr;
  void* memory = run.scratch(vector.count, *vector.type);
  *good = memory != nullptr;
  return memory;
}

}  // namespace baton::collective
