#include "datatype/pack.hpp"

#include <algorithm>
#include <cstring>

#include "datatype/move.hpp"

namespace baton::datatype {

namespace {

template <Direction direction>
void walk(const Shape* shape, char* origin, std::int64_t position, char* packed,
          std::int64_t bytes);

// A list that short is repeated run by run; guess.
constexpr std::int64_t runs_of_a_struct = 16;

// Whole repetitions of a loop's child.
template <Direction direction>
void walk_repetitions(const Shape* child, char* origin, std::int64_t stride, std::int64_t count,
                      char* packed) {
  if (is_block(child))
    return move_blocks<direction>(origin, stride, count, child->bytes, packed, child->bytes);
  if (child->kind == Shape::Kind::runs && child->count <= runs_of_a_struct)
    return move_repeated_runs<direction>(*child, origin, stride, count, packed);
  for (; count > 0; --count, origin += stride, packed += child->bytes) {
    if (child->kind == Shape::Kind::runs)
      move_runs<direction>(*child, 0, child->count, origin, packed);
    else
      walk<direction>(child, origin, 0, packed, child->bytes);
  }
}

// Part of a repetition, all whole ones, part of the last.
template <Direction direction>
void walk_loop(const Shape* child, std::int64_t stride, char* origin, std::int64_t position,
               char* packed, std::int64_t bytes) {
  std::int64_t first = position / child->bytes;
  std::int64_t inside = position - first * child->bytes;
  origin += first * stride;
  if (inside != 0) {
    std::int64_t here = std::min(bytes, child->bytes - inside);
    walk<direction>(child, origin, inside, packed, here);
    origin += stride;
    packed += here;
    bytes -= here;
  }
  if (bytes >= child->bytes) {
    std::int64_t whole = bytes / child->bytes;
    walk_repetitions<direction>(child, origin, stride, whole, packed);
    origin += whole * stride;
    packed += whole * child->bytes;
    bytes -= whole * child->bytes;
  }
  if (bytes > 0) walk<direction>(child, origin, 0, packed, bytes);
}

// The run that holds a packed position.
std::int64_t find_run(const Shape* shape, std::int64_t position) {
  if (shape->run_bytes) return position / shape->run_bytes;
  return std::upper_bound(shape->starts, shape->starts + shape->count, position) - shape->starts -
         1;
}

std::int64_t run_start(const Shape* shape, std::int64_t run) {
  return shape->run_bytes ? run * shape->run_bytes : shape->starts[run];
}

template <Direction direction>
void walk_runs(const Shape* shape, char* origin, std::int64_t position, char* packed,
               std::int64_t bytes) {
  std::int64_t end = position + bytes;
  std::int64_t run = find_run(shape, position);
  std::int64_t inside = position - run_start(shape, run);
  if (inside != 0) {
    std::int64_t here = std::min(end, run_start(shape, run + 1)) - position;
    move_bytes<direction>(origin + shape->offsets[run] + inside, packed, here);
    packed += here;
    position += here;
    ++run;
  }
  if (position == end) return;
  std::int64_t last = end == shape->bytes ? shape->count : find_run(shape, end);
  move_runs<direction>(*shape, run, last, origin, packed);
  std::int64_t rest = end - run_start(shape, last);
  if (rest > 0)
    move_bytes<direction>(origin + shape->offsets[last],
                          packed + (run_start(shape, last) - position), rest);
}

template <Direction direction>
void walk_sequence(const Shape* shape, char* origin, std::int64_t position, char* packed,
                   std::int64_t bytes) {
  const Part* first = shape->parts;
  const Part* part = std::upper_bound(first, first + shape->count, position,
                                      [](std::int64_t p, const Part& x) { return p < x.start; }) -
                     1;
  std::int64_t inside = position - part->start;
  for (; bytes > 0; ++part, inside = 0) {
    std::int64_t here = std::min(bytes, (part->shape ? part->shape->bytes : part->bytes) - inside);
    if (part->shape)
      walk<direction>(part->shape, origin + part->offset, inside, packed, here);
    else
      move_bytes<direction>(origin + part->offset + inside, packed, here);
    packed += here;
    bytes -= here;
  }
}

template <Direction direction>
void walk(const Shape* shape, char* origin, std::int64_t position, char* packed,
          std::int64_t bytes) {
  switch (shape->kind) {
    case Shape::Kind::block:
      return move_bytes<direction>(origin + position, packed, bytes);
    case Shape::Kind::runs:
      return walk_runs<direction>(shape, origin, position, packed, bytes);
    case Shape::Kind::loop:
      return walk_loop<direction>(shape->child, shape->stride, origin + shape->offset, position,
                                  packed, bytes);
    case Shape::Kind::sequence:
      return walk_sequence<direction>(shape, origin, position, packed, bytes);
  }
}

// Elements one after another are a loop without end.
template <Direction direction>
void walk_elements(const Datatype& type, char* buffer, std::int64_t position, char* packed,
                   std::int64_t bytes) {
  if (bytes == 0) return;
  if (type.contiguous) return move_bytes<direction>(buffer + position, packed, bytes);
  walk_loop<direction>(type.shape, type.extent, buffer, position, packed, bytes);
}

}  // namespace

void pack(const Datatype& type, const void* buffer, std::int64_t position, void* packed,
          std::int64_t bytes) {
  walk_elements<Direction::pack>(type, static_cast<char*>(const_cast<void*>(buffer)), position,
                                 static_cast<char*>(packed), bytes);
}

void unpack(const Datatype& type, void* buffer, std::int64_t position, const void* packed,
            std::int64_t bytes) {
  walk_elements<Direction::unpack>(type, static_cast<char*>(buffer), position,
                                   static_cast<char*>(const_cast<void*>(packed)), bytes);
}

void copy(const Datatype& from_type, const void* from, const Datatype& to_type, void* to,
          std::int64_t bytes) {
  if (from_type.contiguous) return unpack(to_type, to, 0, from, bytes);
  if (to_type.contiguous) return pack(from_type, from, 0, to, bytes);
  // Neither is one run: through a bounce buffer that stays in cache.
  constexpr std::int64_t bounce_bytes = 4096;
  char bounce[bounce_bytes];
  for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
    std::int64_t piece = std::min(bounce_bytes, bytes - done);
    pack(from_type, from, done, bounce, piece);
    unpack(to_type, to, done, bounce, piece);
  }
}

void pack_shape(const Shape* shape, const char* origin, std::int64_t position, char* packed,
                std::int64_t bytes) {
  if (bytes) walk<Direction::pack>(shape, const_cast<char*>(origin), position, packed, bytes);
}

void unpack_shape(const Shape* shape, char* origin, std::int64_t position, const char* packed,
                  std::int64_t bytes) {
  if (bytes) walk<Direction::unpack>(shape, origin, position, const_cast<char*>(packed), bytes);
}

}  // namespace baton::datatype
