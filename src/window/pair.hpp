// Accumulates on pairs of a value and an index that have gaps, as C structs have. One pair is
// changed by plain instructions, or by one atomic instruction that covers its gap, too. This is
// used by accumulates alone.
// Invariant: gaps of the target stay as they are.
#pragma once

#include <algorithm>

#include "datatype/runs.hpp"
#include "window/elements.hpp"

namespace baton::window {

// This bounds the bytes of an element; the largest is a pair of numbers of 16 bytes each.
inline constexpr std::int64_t element_bytes_max = 64;

// Calls `visit` with the place of each pair; `visit` returns false to stop. A run may begin in the
// middle of a pair that the run before it has begun.
template <class Visit>
bool for_each_pair(const Datatype& pair, const Datatype& type, char* origin, std::int64_t count,
                   Visit visit) {
  std::int64_t begun = 0;  // packed bytes of the current pair that earlier runs had
  return datatype::for_each_run(type, origin, count, [&](char* place, std::int64_t bytes) {
    while (bytes > 0) {
      if (begun == 0 && !visit(place)) return false;
      const std::int64_t here = std::min(bytes, pair.size - begun);
      begun = (begun + here) % pair.size;
      place += here;
      bytes -= here;
    }
    return true;
  });
}

// Changes one pair with its gaps at `there`. `in` is packed; `old`, if not null, gets the packed
// pair from before.
void change_pair(const Change& change, const Datatype& pair, const char* in, char* there,
                 char* old);
// Makes the same change by an atomic instruction. The pair's extent must be an atomic size, and its
// address aligned to it.
void change_pair_atomically(const Change& change, const Datatype& pair, const char* in, char* place,
                            char* old);

}  // namespace baton::window
