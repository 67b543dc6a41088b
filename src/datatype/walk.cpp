// This walks a shape from one packed byte to another. It is compiled once a level
// (src/CMakeLists.txt), so nothing here may be shared with another file: no inline functions from
// headers but those that are always inlined.
#include "datatype/walk.hpp"

#include "datatype/move.hpp"

namespace baton::datatype::BATON_KERNEL_LEVEL {

namespace {

std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

template <Direction direction>
void walk(const Shape* shape, char* origin, std::int64_t position, char* packed,
          std::int64_t bytes);

// A list of at most this many runs is repeated run by run; a guess.
constexpr std::int64_t runs_of_a_struct = 16;

// Moves whole repetitions of a loop's child.
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

// Moves a part of a repetition, all whole ones, and a part of the last.
template <Direction direction>
void walk_loop(const Shape* child, std::int64_t stride, char* origin, std::int64_t position,
               char* packed, std::int64_t bytes) {
  std::int64_t first = position / child->bytes;
  std::int64_t inside = position - first * child->bytes;
  origin += first * stride;
  if (inside != 0) {
    std::int64_t here = least(bytes, child->bytes - inside);
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

// Returns the last of `count` rising numbers that is not above `position`; the first is 0.
template <class NumberAt>
std::int64_t find_last(std::int64_t count, std::int64_t position, NumberAt number_at) {
  std::int64_t low = 0;
  for (std::int64_t high = count; high - low > 1;) {
    std::int64_t middle = low + (high - low) / 2;
    (number_at(middle) <= position ? low : high) = middle;
  }
  return low;
}

// Returns the run that holds a packed position.
std::int64_t find_run(const Shape* shape, std::int64_t position) {
  if (shape->run_bytes) return position / shape->run_bytes;
  return find_last(shape->count, position, [=](std::int64_t i) { return shape->starts[i]; });
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
    std::int64_t here = least(end, run_start(shape, run + 1)) - position;
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
  const Part* parts = shape->parts;
  const Part* part =
      parts + find_last(shape->count, position, [=](std::int64_t i) { return parts[i].start; });
  std::int64_t inside = position - part->start;
  for (; bytes > 0; ++part, inside = 0) {
    std::int64_t here = least(bytes, (part->shape ? part->shape->bytes : part->bytes) - inside);
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

}  // namespace

Walks find_walks() {
  return {walk_loop<Direction::pack>, walk_loop<Direction::unpack>};
}

}  // namespace baton::datatype::BATON_KERNEL_LEVEL
