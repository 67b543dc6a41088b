// Packing and unpacking use this walk over a shape. walk.cpp is compiled once a level of vector
// instructions, each time into a namespace of its own; pack.cpp chooses.
#pragma once

#include <cstdint>

#include "datatype/shape.hpp"

namespace baton::datatype {

// A walk moves packed bytes [position, position + bytes) of a child that repeats without end,
// `stride` bytes apart from `place` on, to or from `packed`.
using Walk = void (*)(const Shape* child, std::int64_t stride, char* place, std::int64_t position,
                      char* packed, std::int64_t bytes);
struct Walks {
  Walk pack;
  Walk unpack;
};

namespace baseline {
Walks find_walks();
}
#ifdef __x86_64__
namespace x86_64_v3 {
Walks find_walks();
}
namespace x86_64_v4 {
Walks find_walks();
}
#endif

}  // namespace baton::datatype
