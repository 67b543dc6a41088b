// The shape of a datatype: where its bytes lie, as a small tree of blocks, loops and sequences
// whose size depends on how the type was built, not on how many elements it has. Packing can start
// and stop at any byte. Used by datatype construction and by every way that moves typed data.
// Invariant: a shape never changes once made; it is shared by reference counting.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::datatype {

struct Shape;

// A child of a sequence.
struct Part {
  std::int64_t offset;  // bytes from the parent's origin
  std::int64_t start;   // packed bytes before this part
  const Shape* shape;
};

struct Shape {
  enum class Kind : std::uint8_t { block, loop, sequence };

  Kind kind;
  mutable std::atomic<std::int32_t> references;
  std::int64_t bytes;   // packed size
  std::int64_t count;   // of a loop: repetitions; of a sequence: parts
  std::int64_t stride;  // of a loop: bytes from one repetition to the next
  std::int64_t offset;  // of a loop: where the first repetition lies
  const Shape* child;   // of a loop
  Part* parts;          // of a sequence, owned
};

// All return a new reference, or null when memory is short. Children are retained.
const Shape* make_block(std::int64_t bytes);
const Shape* make_loop(std::int64_t count, std::int64_t stride, std::int64_t offset,
                       const Shape* child);
// Parts need only offset and shape; adjoining blocks are merged.
const Shape* make_sequence(const Part* parts, std::int64_t count);

void retain_shape(const Shape* shape);
void release_shape(const Shape* shape);

// Whether the data is one run of bytes starting at the origin.
inline bool is_block(const Shape* shape) {
  return shape->kind == Shape::Kind::block;
}

// Copies packed bytes [position, position + bytes) of `shape` laid over `origin` to or from
// `packed`.
void pack_shape(const Shape* shape, const char* origin, std::int64_t position, char* packed,
                std::int64_t bytes);
void unpack_shape(const Shape* shape, char* origin, std::int64_t position, const char* packed,
                  std::int64_t bytes);

}  // namespace baton::datatype
