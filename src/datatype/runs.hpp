// This visits the runs of bytes of which typed data consists, in its order, for callers that must
// treat each by itself. Callers that only pack or copy use pack.hpp.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"

namespace baton::datatype {

// Calls use(place, bytes) for each run of a shape laid over `origin`, until it returns false.
// Returns whether it never did.
template <class Use>
bool for_each_run(const Shape* shape, char* origin, Use&& use) {
  switch (shape->kind) {
    case Shape::Kind::block:
      return use(origin, shape->bytes);
    case Shape::Kind::runs:
      for (std::int64_t i = 0; i < shape->count; ++i) {
        const std::int64_t bytes =
            shape->run_bytes ? shape->run_bytes : shape->starts[i + 1] - shape->starts[i];
        if (!use(origin + shape->offsets[i], bytes)) return false;
      }
      return true;
    case Shape::Kind::loop:
      for (std::int64_t i = 0; i < shape->count; ++i)
        if (!for_each_run(shape->child, origin + shape->offset + i * shape->stride, use))
          return false;
      return true;
    case Shape::Kind::sequence:
      for (std::int64_t i = 0; i < shape->count; ++i) {
        const Part& part = shape->parts[i];
        if (!(part.shape ? for_each_run(part.shape, origin + part.offset, use)
                         : use(origin + part.offset, part.bytes)))
          return false;
      }
      return true;
  }
  return true;
}

// Does so for `count` elements of a type at `buffer`.
template <class Use>
bool for_each_run(const Datatype& type, void* buffer, std::int64_t count, Use&& use) {
  char* place = static_cast<char*>(buffer);
  if (type.size == 0 || count == 0) return true;
  if (type.contiguous) return use(place, count * type.size);
  for (std::int64_t i = 0; i < count; ++i, place += type.extent)
    if (!for_each_run(type.shape, place, use)) return false;
  return true;
}

}  // namespace baton::datatype
