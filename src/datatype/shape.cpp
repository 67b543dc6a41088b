#include "datatype/shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace baton::datatype {

namespace {

Shape* new_shape(Shape::Kind kind, std::int64_t bytes) {
  void* memory = std::malloc(sizeof(Shape));
  if (!memory) return nullptr;
  return new (memory) Shape{kind, 1, bytes, 0, 0, 0, nullptr, nullptr};
}

constexpr bool packing = true;
constexpr bool unpacking = false;

template <bool direction>
BATON_INLINE void copy(char* origin, char* packed, std::int64_t bytes) {
  if constexpr (direction == packing)
    std::memcpy(packed, origin, static_cast<std::size_t>(bytes));
  else
    std::memcpy(origin, packed, static_cast<std::size_t>(bytes));
}

// Whole blocks of a size known at compile time: the common vectors of scalars.
template <bool direction, std::int64_t block>
void copy_blocks(char* origin, std::int64_t stride, std::int64_t count, char* packed) {
  for (std::int64_t i = 0; i < count; ++i)
    copy<direction>(origin + i * stride, packed + i * block, block);
}

template <bool direction>
void copy_whole_blocks(char* origin, std::int64_t stride, std::int64_t count, std::int64_t block,
                       char* packed) {
  switch (block) {
    case 4:
      return copy_blocks<direction, 4>(origin, stride, count, packed);
    case 8:
      return copy_blocks<direction, 8>(origin, stride, count, packed);
    case 16:
      return copy_blocks<direction, 16>(origin, stride, count, packed);
    default:
      for (std::int64_t i = 0; i < count; ++i)
        copy<direction>(origin + i * stride, packed + i * block, block);
  }
}

template <bool direction>
void walk(const Shape* shape, char* origin, std::int64_t position, char* packed,
          std::int64_t bytes);

template <bool direction>
void walk_loop(const Shape* shape, char* origin, std::int64_t position, char* packed,
               std::int64_t bytes) {
  const std::int64_t child_bytes = shape->child->bytes;
  std::int64_t i = position / child_bytes;
  std::int64_t inside = position % child_bytes;
  origin += shape->offset;
  while (bytes > 0) {
    if (inside == 0 && is_block(shape->child) && bytes >= child_bytes) {
      std::int64_t whole = bytes / child_bytes;
      copy_whole_blocks<direction>(origin + i * shape->stride, shape->stride, whole, child_bytes,
                                   packed);
      i += whole;
      packed += whole * child_bytes;
      bytes -= whole * child_bytes;
      continue;
    }
    std::int64_t here = std::min(bytes, child_bytes - inside);
    walk<direction>(shape->child, origin + i * shape->stride, inside, packed, here);
    packed += here;
    bytes -= here;
    inside = 0;
    ++i;
  }
}

template <bool direction>
void walk_sequence(const Shape* shape, char* origin, std::int64_t position, char* packed,
                   std::int64_t bytes) {
  const Part* first = shape->parts;
  const Part* part = std::upper_bound(first, first + shape->count, position,
                                      [](std::int64_t p, const Part& x) { return p < x.start; }) -
                     1;
  std::int64_t inside = position - part->start;
  for (; bytes > 0; ++part, inside = 0) {
    std::int64_t here = std::min(bytes, part->shape->bytes - inside);
    walk<direction>(part->shape, origin + part->offset, inside, packed, here);
    packed += here;
    bytes -= here;
  }
}

template <bool direction>
void walk(const Shape* shape, char* origin, std::int64_t position, char* packed,
          std::int64_t bytes) {
  switch (shape->kind) {
    case Shape::Kind::block:
      return copy<direction>(origin + position, packed, bytes);
    case Shape::Kind::loop:
      return walk_loop<direction>(shape, origin, position, packed, bytes);
    case Shape::Kind::sequence:
      return walk_sequence<direction>(shape, origin, position, packed, bytes);
  }
}

// A copy of `parts` without empty ones, adjoining blocks joined; returns how many are left.
std::int64_t join_parts(const Part* parts, std::int64_t count, Part* joined) {
  std::int64_t used = 0;
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (parts[i].shape->bytes == 0) continue;
    Part* last = used ? &joined[used - 1] : nullptr;
    if (last && is_block(last->shape) && is_block(parts[i].shape) &&
        last->offset + last->shape->bytes == parts[i].offset) {
      const Shape* both = make_block(last->shape->bytes + parts[i].shape->bytes);
      if (both) {
        release_shape(last->shape);
        last->shape = both;
        start += parts[i].shape->bytes;
        continue;
      }
    }
    retain_shape(parts[i].shape);
    joined[used++] = {parts[i].offset, start, parts[i].shape};
    start += parts[i].shape->bytes;
  }
  return used;
}

}  // namespace

const Shape* make_block(std::int64_t bytes) {
  return new_shape(Shape::Kind::block, bytes);
}

const Shape* make_loop(std::int64_t count, std::int64_t stride, std::int64_t offset,
                       const Shape* child) {
  if (count == 0 || child->bytes == 0) return make_block(0);
  if (offset == 0 && (count == 1 || (is_block(child) && stride == child->bytes))) {
    if (count > 1) return make_block(count * child->bytes);
    retain_shape(child);
    return child;
  }
  Shape* shape = new_shape(Shape::Kind::loop, count * child->bytes);
  if (!shape) return nullptr;
  // A run of adjoining blocks that does not start at the origin is one block repeated once.
  bool one_run = is_block(child) && stride == child->bytes;
  const Shape* body = one_run ? make_block(count * child->bytes) : child;
  if (!body) {
    std::free(shape);
    return nullptr;
  }
  if (!one_run) retain_shape(child);
  shape->count = one_run ? 1 : count;
  shape->stride = one_run ? 0 : stride;
  shape->offset = offset;
  shape->child = body;
  return shape;
}

const Shape* make_sequence(const Part* parts, std::int64_t count) {
  auto* joined = static_cast<Part*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(Part)));
  Shape* shape = new_shape(Shape::Kind::sequence, 0);
  if (!joined || !shape) {
    std::free(joined);
    std::free(shape);
    return nullptr;
  }
  shape->parts = joined;
  shape->count = join_parts(parts, count, joined);
  for (std::int64_t i = 0; i < shape->count; ++i) shape->bytes += joined[i].shape->bytes;
  if (shape->count > 1) return shape;
  const Shape* simple =
      shape->count == 0 ? make_block(0) : make_loop(1, 0, joined[0].offset, joined[0].shape);
  release_shape(shape);
  return simple;
}

void retain_shape(const Shape* shape) {
  // relaxed: whoever retains already holds a reference.
  shape->references.fetch_add(1, std::memory_order_relaxed);
}

void release_shape(const Shape* shape) {
  // ORDER shape.references: release by each, acquire by the last; all uses are over before it is
  // freed.
  if (!shape || shape->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  release_shape(shape->child);
  for (std::int64_t i = 0; shape->parts && i < shape->count; ++i)
    release_shape(shape->parts[i].shape);
  std::free(shape->parts);
  std::free(const_cast<Shape*>(shape));
}

void pack_shape(const Shape* shape, const char* origin, std::int64_t position, char* packed,
                std::int64_t bytes) {
  walk<packing>(shape, const_cast<char*>(origin), position, packed, bytes);
}

void unpack_shape(const Shape* shape, char* origin, std::int64_t position, const char* packed,
                  std::int64_t bytes) {
  walk<unpacking>(shape, origin, position, const_cast<char*>(packed), bytes);
}

}  // namespace baton::datatype
