// The shape of a datatype says where its bytes lie, as a small tree of blocks, lists of runs, loops
// and sequences whose size depends on how the type was built, not on how many elements it has.
// Datatype construction makes it; pack.hpp moves data by it. Invariant: a shape never changes once
// made; it is shared by reference counting.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::datatype {

struct Shape;

// This is a child of a sequence: a shape, or where that is null a run of `bytes`.
struct Part {
  std::int64_t offset;     // bytes from the parent's origin
  std::int64_t start = 0;  // packed bytes before this part
  const Shape* shape = nullptr;
  std::int64_t bytes = 0;
};

struct Shape {
  enum class Kind : std::uint8_t {
    block,     // `bytes` at the origin
    runs,      // `count` runs of bytes, each at an offset
    loop,      // `count` times the child, `stride` apart, the first at `offset`
    sequence,  // one part after the other
  };

  Kind kind;
  mutable std::atomic<std::int32_t> references;
  std::int64_t bytes;  // packed size
  std::int64_t count;
  std::int64_t stride;
  std::int64_t offset;
  const Shape* child;
  std::int64_t run_bytes;  // for runs: the size of each where all are alike, else 0
  // These are for runs, and owned: the offsets from the origin, and where lengths differ the packed
  // bytes before each run, with the whole size as one more at the end.
  std::int64_t* offsets;
  std::int64_t* starts;
  Part* parts;  // for a sequence; owned
};

// All functions return a new reference, or null when memory is short. Children are retained.
const Shape* make_block(std::int64_t bytes);
const Shape* make_loop(std::int64_t count, std::int64_t stride, std::int64_t offset,
                       const Shape* child);
// Parts need only offset and shape, or offset and bytes. Adjoining runs become one; runs alone
// become a list, or a loop where they are evenly spaced.
const Shape* make_sequence(const Part* parts, std::int64_t count);

void retain_shape(const Shape* shape);
void release_shape(const Shape* shape);

// Returns whether the data is one run of bytes starting at the origin.
inline bool is_block(const Shape* shape) {
  return shape->kind == Shape::Kind::block;
}

}  // namespace baton::datatype
