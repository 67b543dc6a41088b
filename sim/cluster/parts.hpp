// How a vector is divided into parts, as the library does (allreduce_halving.cpp), and how steps
// that are alike are sampled. For the files that make schedules.
#pragma once

#include <algorithm>
#include <cstdint>

namespace baton::cluster {

struct Parts {
  static constexpr std::int64_t element_bytes = 8;  // a double, where that divides the vector
  std::int64_t total;
  int count;

  std::int64_t first_byte(int part) const {
    const std::int64_t element = total % element_bytes ? 1 : element_bytes;
    return total / element * part / count * element;
  }
  std::int64_t bytes(int first, int parts) const {
    return first_byte(first + parts) - first_byte(first);
  }
};

// `wanted` of `all`, the middles of equal stretches; 0, or more than there are: all; below 0: none.
struct Sample {
  int all;
  int here;

  Sample(int of, int wanted)
      : all(of),
        here(wanted < 0                  ? 0
             : wanted > 0 && wanted < of ? wanted
                                         : of) {}
  int index(int number) const {
    if (here == all) return number;
    return static_cast<int>((2 * std::int64_t{number} + 1) * all / (2 * here));
  }
};

}  // namespace baton::cluster
