#include "datatype/shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace baton::datatype {

namespace {

Shape* new_shape(Shape::Kind kind, std::int64_t bytes, std::int64_t count) {
  void* memory = std::malloc(sizeof(Shape));
  if (!memory) return nullptr;
  return new (memory) Shape{kind, 1, bytes, count, 0, 0, nullptr, 0, nullptr, nullptr, nullptr};
}

std::int64_t* new_numbers(std::int64_t count) {
  return static_cast<std::int64_t*>(
      std::malloc(static_cast<std::size_t>(count) * sizeof(std::int64_t)));
}

std::int64_t bytes_of(const Part& part) {
  return part.shape ? part.shape->bytes : part.bytes;
}

bool is_run(const Part& part) {
  return !part.shape || is_block(part.shape);
}

// Copies `parts` without empty ones, with blocks as runs, adjoining runs joined, and starts filled
// in. References are taken when the parts have found their place. Returns how many are left.
std::int64_t join_parts(const Part* parts, std::int64_t count, Part* joined) {
  std::int64_t used = 0;
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t bytes = bytes_of(parts[i]);
    if (bytes == 0) continue;
    bool run = is_run(parts[i]);
    Part* last = used ? &joined[used - 1] : nullptr;
    if (run && last && is_run(*last) && last->offset + last->bytes == parts[i].offset)
      last->bytes += bytes;
    else
      joined[used++] = {parts[i].offset, start, run ? nullptr : parts[i].shape, run ? bytes : 0};
    start += bytes;
  }
  return used;
}

bool all_runs(const Part* parts, std::int64_t count) {
  return std::all_of(parts, parts + count, is_run);
}

bool alike(const Part* parts, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i)
    if (parts[i].bytes != parts[0].bytes) return false;
  return true;
}

bool evenly_spaced(const Part* parts, std::int64_t count) {
  for (std::int64_t i = 2; i < count; ++i)
    if (parts[i].offset - parts[i - 1].offset != parts[1].offset - parts[0].offset) return false;
  return true;
}

const Shape* make_runs(const Part* parts, std::int64_t count) {
  bool same = alike(parts, count);
  if (same && evenly_spaced(parts, count)) {
    const Shape* block = make_block(parts[0].bytes);
    std::int64_t stride = count > 1 ? parts[1].offset - parts[0].offset : 0;
    const Shape* loop = block ? make_loop(count, stride, parts[0].offset, block) : nullptr;
    release_shape(block);
    return loop;
  }
  std::int64_t bytes = parts[count - 1].start + parts[count - 1].bytes;
  Shape* shape = new_shape(Shape::Kind::runs, bytes, count);
  if (!shape) return nullptr;
  shape->offsets = new_numbers(count);
  shape->starts = same ? nullptr : new_numbers(count + 1);
  shape->run_bytes = same ? parts[0].bytes : 0;
  if (!shape->offsets || (!same && !shape->starts)) {
    release_shape(shape);
    return nullptr;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    shape->offsets[i] = parts[i].offset;
    if (!same) shape->starts[i] = parts[i].start;
  }
  if (!same) shape->starts[count] = bytes;
  return shape;
}

// Takes over the array of parts, which stays the caller's when this fails.
const Shape* adopt_parts(Part* parts, std::int64_t count) {
  std::int64_t bytes = parts[count - 1].start + bytes_of(parts[count - 1]);
  Shape* shape = new_shape(Shape::Kind::sequence, bytes, count);
  if (!shape) return nullptr;
  for (std::int64_t i = 0; i < count; ++i)
    if (parts[i].shape) retain_shape(parts[i].shape);
  if (void* fitted = std::realloc(parts, static_cast<std::size_t>(count) * sizeof(Part)))
    parts = static_cast<Part*>(fitted);
  shape->parts = parts;
  return shape;
}

}  // namespace

const Shape* make_block(std::int64_t bytes) {
  return new_shape(Shape::Kind::block, bytes, 0);
}

const Shape* make_loop(std::int64_t count, std::int64_t stride, std::int64_t offset,
                       const Shape* child) {
  if (count == 0 || child->bytes == 0) return make_block(0);
  if (offset == 0 && count == 1) {
    retain_shape(child);
    return child;
  }
  if (is_block(child) && (stride == child->bytes || count == 1)) {
    // The result is one run. Away from the origin it is one block repeated once.
    const Shape* block = make_block(count * child->bytes);
    if (offset == 0 || !block) return block;
    Shape* shape = new_shape(Shape::Kind::loop, block->bytes, 1);
    if (!shape) {
      release_shape(block);
      return nullptr;
    }
    shape->offset = offset;
    shape->child = block;
    return shape;
  }
  // A loop of loops that goes on in the same steps is one loop.
  bool inner = child->kind == Shape::Kind::loop;
  if (inner && count == 1)
    return make_loop(child->count, child->stride, offset + child->offset, child->child);
  if (inner && (stride == child->count * child->stride || child->count == 1)) {
    std::int64_t step = child->count == 1 ? stride : child->stride;
    return make_loop(count * child->count, step, offset + child->offset, child->child);
  }
  Shape* shape = new_shape(Shape::Kind::loop, count * child->bytes, count);
  if (!shape) return nullptr;
  retain_shape(child);
  shape->stride = stride;
  shape->offset = offset;
  shape->child = child;
  return shape;
}

const Shape* make_sequence(const Part* parts, std::int64_t count) {
  auto* joined = static_cast<Part*>(
      std::malloc(std::max<std::size_t>(static_cast<std::size_t>(count), 1) * sizeof(Part)));
  if (!joined) return nullptr;
  std::int64_t used = join_parts(parts, count, joined);
  const Shape* shape = nullptr;
  if (used == 0)
    shape = make_block(0);
  else if (all_runs(joined, used))
    shape = make_runs(joined, used);
  else if (used == 1)
    shape = make_loop(1, 0, joined[0].offset, joined[0].shape);
  else if ((shape = adopt_parts(joined, used)))
    return shape;
  std::free(joined);
  return shape;
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
  std::free(shape->offsets);
  std::free(shape->starts);
  std::free(const_cast<Shape*>(shape));
}

}  // namespace baton::datatype
