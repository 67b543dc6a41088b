// Pairs of a value and an index that have gaps, as C structs have: what an accumulate does to one
// of them, by plain instructions or with its gap as a whole. Used by accumulates alone.
// Invariant: gaps of the target stay as they are.
#pragma once

#include <algorithm>

#include "datatype/runs.hpp"
#include "window/elements.hpp"

namespace baton::window {

// The largest element: a pair of numbers of 16 bytes each.
inline constexpr std::int64_t element_bytes_max = 64;

// Calls `visit` with the place of each pair; it returns false to stop. A pair begins where the run
// before it has ended one.
template <class Visit>
bool for_each_pair(const Datatype& pair, const Datatype& type, char* origin, std::int64_t count,
                   Visit visit) {
  std::int64_t begun = 0;  // packed bytes of a pair that earlier runs had
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

// `there` is one pair with its gaps, and becomes what the change makes of it. `in` is packed, as is
// `old`, which gets what was there, or is null.
void change_pair(const Change& change, const Datatype& pair, const char* in, char* there,
                 char* old);
// The same by an atomic instruction: the pair's extent is an atomic size, and its place is one.
void change_pair_atomically(const Change& change, const Datatype& pair, const char* in, char* place,
                            char* old);

}  // namespace baton::window
