// A datatype as the standard defines it: the list of its bytes' displacements, one by one. Slow and
// obvious; what construct_test.cpp and shape_test.cpp compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace baton::reference {

struct Type {
  std::vector<std::int64_t> bytes;  // displacement of each packed byte
  std::int64_t lower = 0, upper = 0;
  std::int64_t extent() const { return upper - lower; }
};

// Puts a block of copies of `old` behind what `type` has. `first`: nothing has set the bounds yet.
inline void append(Type& type, const Type& old, std::int64_t displacement, std::int64_t length,
                   bool& first) {
  for (std::int64_t i = 0; i < length; ++i) {
    std::int64_t at = displacement + i * old.extent();
    for (std::int64_t byte : old.bytes) type.bytes.push_back(at + byte);
    type.lower = first ? at + old.lower : std::min(type.lower, at + old.lower);
    type.upper = first ? at + old.upper : std::max(type.upper, at + old.upper);
    first = false;
  }
}

// Displacements of `count` elements, one after another.
inline std::vector<std::int64_t> lay_out(const Type& type, std::int64_t count) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t byte : type.bytes) all.push_back(i * type.extent() + byte);
  return all;
}

}  // namespace baton::reference
