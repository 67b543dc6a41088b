#include "datatype/ascending.hpp"

#include <algorithm>

namespace baton::datatype {

namespace {

// ---- the parts of a list of runs, and of a sequence

std::int64_t run_start(const Shape& runs, std::int64_t i) {
  return runs.run_bytes ? i * runs.run_bytes : runs.starts[i];
}
std::int64_t run_bytes(const Shape& runs, std::int64_t i) {
  return runs.run_bytes ? runs.run_bytes : runs.starts[i + 1] - runs.starts[i];
}
std::int64_t first_address(const Part& part) {
  return part.offset + (part.shape ? address_at(part.shape, 0) : 0);
}
AddressSpan span_of_part(const Part& part) {
  if (!part.shape) return {part.offset, part.offset + part.bytes};
  AddressSpan span = span_of(part.shape);
  span.first += part.offset;
  span.end += part.offset;
  return span;
}

// Returns the last of `count` indices whose key is at most `limit`; the first where none is.
template <class Key>
std::int64_t last_up_to(std::int64_t count, std::int64_t limit, Key key) {
  std::int64_t low = 0, high = count;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (key(middle) <= limit ? low : high) = middle;
  }
  return low;
}

std::int64_t run_at(const Shape& runs, std::int64_t position) {
  if (runs.run_bytes) return std::min(position / runs.run_bytes, runs.count - 1);
  return last_up_to(runs.count, position, [&](std::int64_t i) { return runs.starts[i]; });
}
std::int64_t part_at(const Shape& sequence, std::int64_t position) {
  return last_up_to(sequence.count, position,
                    [&](std::int64_t i) { return sequence.parts[i].start; });
}

// Adds the span of what comes next.
void append(AddressSpan& span, const AddressSpan& next, bool is_first) {
  if (is_first) {
    span = next;
    return;
  }
  span.ascends &= next.ascends && next.first >= span.end;
  span.end = next.end;
}

// ---- listing

struct List {
  ByteRun* runs;
  int space;
  int count = 0;
  std::int64_t left;  // bytes still to be listed
  std::int64_t listed = 0;

  // Returns whether the list goes on.
  bool add(std::int64_t offset, std::int64_t bytes) {
    bytes = std::min(bytes, left);
    ByteRun* last = count ? &runs[count - 1] : nullptr;
    if (last && last->offset + last->bytes == offset)
      last->bytes += bytes;
    else if (count == space)
      return false;
    else
      runs[count++] = {offset, bytes};
    left -= bytes;
    listed += bytes;
    return left > 0;
  }
};

// Lists the runs of a shape at `origin` without its first `skipped` bytes. Returns whether the list
// goes on.
bool list_shape(const Shape* shape, std::int64_t origin, std::int64_t skipped, List& list) {
  switch (shape->kind) {
    case Shape::Kind::block:
      return list.add(origin + skipped, shape->bytes - skipped);
    case Shape::Kind::runs:
      for (std::int64_t i = run_at(*shape, skipped); i < shape->count; ++i) {
        const std::int64_t before = std::max<std::int64_t>(skipped - run_start(*shape, i), 0);
        if (!list.add(origin + shape->offsets[i] + before, run_bytes(*shape, i) - before))
          return false;
      }
      return true;
    case Shape::Kind::loop: {
      const std::int64_t each = shape->child->bytes;
      for (std::int64_t i = skipped / each; i < shape->count; ++i) {
        const std::int64_t before = std::max<std::int64_t>(skipped - i * each, 0);
        const std::int64_t place = origin + shape->offset + i * shape->stride;
        if (!list_shape(shape->child, place, before, list)) return false;
      }
      return true;
    }
    case Shape::Kind::sequence:
      for (std::int64_t i = part_at(*shape, skipped); i < shape->count; ++i) {
        const Part& part = shape->parts[i];
        const std::int64_t before = std::max<std::int64_t>(skipped - part.start, 0);
        const std::int64_t place = origin + part.offset;
        if (!(part.shape ? list_shape(part.shape, place, before, list)
                         : list.add(place + before, part.bytes - before)))
          return false;
      }
      return true;
  }
  return true;
}

}  // namespace

AddressSpan span_of(const Shape* shape) {
  AddressSpan span;
  if (shape->bytes == 0) return span;
  switch (shape->kind) {
    case Shape::Kind::block:
      return {0, shape->bytes};
    case Shape::Kind::runs:
      for (std::int64_t i = 0; i < shape->count; ++i)
        append(span, {shape->offsets[i], shape->offsets[i] + run_bytes(*shape, i)}, i == 0);
      return span;
    case Shape::Kind::loop:
      span = span_of(shape->child);
      span.ascends &= shape->count == 1 || shape->stride >= span.end - span.first;
      span.first += shape->offset;
      span.end += shape->offset + (shape->count - 1) * shape->stride;
      return span;
    case Shape::Kind::sequence:
      for (std::int64_t i = 0; i < shape->count; ++i)
        append(span, span_of_part(shape->parts[i]), i == 0);
      return span;
  }
  return span;
}

std::int64_t address_at(const Shape* shape, std::int64_t position) {
  std::int64_t address = 0;
  while (true) switch (shape->kind) {
      case Shape::Kind::block:
        return address + position;
      case Shape::Kind::runs: {
        const std::int64_t i = run_at(*shape, position);
        return address + shape->offsets[i] + position - run_start(*shape, i);
      }
      case Shape::Kind::loop: {
        const std::int64_t i = std::min(position / shape->child->bytes, shape->count - 1);
        address += shape->offset + i * shape->stride;
        position -= i * shape->child->bytes;
        shape = shape->child;
        break;
      }
      case Shape::Kind::sequence: {
        const Part& part = shape->parts[part_at(*shape, position)];
        address += part.offset;
        position -= part.start;
        if (!part.shape) return address + position;
        shape = part.shape;
        break;
      }
    }
}

std::int64_t bytes_before(const Shape* shape, std::int64_t address) {
  std::int64_t before = 0;
  while (true) switch (shape->kind) {
      case Shape::Kind::block:
        return before + std::clamp<std::int64_t>(address, 0, shape->bytes);
      case Shape::Kind::runs: {
        const std::int64_t i =
            last_up_to(shape->count, address, [&](std::int64_t k) { return shape->offsets[k]; });
        const std::int64_t inside = address - shape->offsets[i];
        return before + run_start(*shape, i) +
               std::clamp<std::int64_t>(inside, 0, run_bytes(*shape, i));
      }
      case Shape::Kind::loop: {
        const std::int64_t inside = address - shape->offset - address_at(shape->child, 0);
        if (inside <= 0) return before;
        const std::int64_t i =
            shape->count == 1 ? 0 : std::min(inside / shape->stride, shape->count - 1);
        before += i * shape->child->bytes;
        address -= shape->offset + i * shape->stride;
        shape = shape->child;
        break;
      }
      case Shape::Kind::sequence: {
        const std::int64_t i = last_up_to(
            shape->count, address, [&](std::int64_t k) { return first_address(shape->parts[k]); });
        const Part& part = shape->parts[i];
        before += part.start;
        address -= part.offset;
        if (!part.shape) return before + std::clamp<std::int64_t>(address, 0, part.bytes);
        shape = part.shape;
        break;
      }
    }
}

int list_runs(const Shape* shape, std::int64_t extent, std::int64_t position, std::int64_t bytes,
              ByteRun* runs, int space, std::int64_t* listed) {
  List list{.runs = runs, .space = space, .left = bytes};
  *listed = 0;
  if (shape->bytes == 0 || bytes == 0) return 0;
  if (is_block(shape) && shape->bytes == extent) {  // one run, however often it repeats
    runs[0] = {position, bytes};
    *listed = bytes;
    return 1;
  }
  std::int64_t tile = position / shape->bytes, skipped = position % shape->bytes;
  while (list_shape(shape, tile * extent, skipped, list)) {
    ++tile;
    skipped = 0;
  }
  *listed = list.listed;
  return list.count;
}

}  // namespace baton::datatype
