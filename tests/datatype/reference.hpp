// A datatype as docs/decisions/extents.md defines it: the list of its basic elements, what its
// parts span, and its markers, one by one. Slow and obvious; what the tests of construction, shapes
// and elements compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace baton::reference {

// A basic element: where it lies, how long it is and what its address is a multiple of.
struct Entry {
  std::int64_t displacement;
  std::int64_t size;
  std::int64_t alignment;
};

struct Type {
  std::vector<Entry> entries;
  bool marked = false;
  std::int64_t lower_marker = 0, upper_marker = 0;
  bool has_parts = false;  // none: it is predefined, or empty
  std::int64_t parts_lower = 0, parts_upper = 0;

  std::int64_t size() const {
    std::int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += entry.size;
    return bytes;
  }
  std::int64_t true_lower() const {
    std::int64_t least = entries.empty() ? 0 : entries[0].displacement;
    for (const Entry& entry : entries) least = std::min(least, entry.displacement);
    return least;
  }
  std::int64_t true_upper() const {
    std::int64_t most = entries.empty() ? 0 : entries[0].displacement + entries[0].size;
    for (const Entry& entry : entries) most = std::max(most, entry.displacement + entry.size);
    return most;
  }
  std::int64_t lower() const {
    return marked ? lower_marker : has_parts ? parts_lower : true_lower();
  }
  std::int64_t extent() const {
    if (marked) return upper_marker - lower_marker;
    return has_parts ? parts_upper - parts_lower : rounded(true_upper() - true_lower());
  }
  std::int64_t rounded(std::int64_t extent) const {
    std::int64_t alignment = 1;
    for (const Entry& entry : entries) alignment = std::max(alignment, entry.alignment);
    while (extent % alignment != 0) ++extent;
    return extent;
  }
  // The last step of a struct.
  void round_up() { parts_upper = parts_lower + rounded(parts_upper - parts_lower); }
  void mark(std::int64_t low, std::int64_t high) {
    marked = true;
    lower_marker = low;
    upper_marker = high;
  }
};

// Puts one copy of `old` behind what `type` has.
inline void append(Type& type, const Type& old, std::int64_t displacement) {
  for (const Entry& entry : old.entries)
    type.entries.push_back({entry.displacement + displacement, entry.size, entry.alignment});
  if (!old.entries.empty()) {
    std::int64_t lower = displacement + old.lower(), upper = lower + old.extent();
    type.parts_lower = type.has_parts ? std::min(type.parts_lower, lower) : lower;
    type.parts_upper = type.has_parts ? std::max(type.parts_upper, upper) : upper;
    type.has_parts = true;
  }
  if (!old.marked) return;
  std::int64_t low = displacement + old.lower_marker, high = displacement + old.upper_marker;
  if (type.marked) {
    low = std::min(low, type.lower_marker);
    high = std::max(high, type.upper_marker);
  }
  type.mark(low, high);
}

// A block of copies, one extent apart.
inline void append(Type& type, const Type& old, std::int64_t displacement, std::int64_t length) {
  for (std::int64_t i = 0, extent = old.extent(); i < length; ++i)
    append(type, old, displacement + i * extent);
}

// Displacements of the packed bytes of `count` elements, one after another.
inline std::vector<std::int64_t> lay_out(const Type& type, std::int64_t count) {
  std::vector<std::int64_t> all;
  std::int64_t extent = type.extent();
  for (std::int64_t i = 0; i < count; ++i)
    for (const Entry& entry : type.entries)
      for (std::int64_t byte = 0; byte < entry.size; ++byte)
        all.push_back(i * extent + entry.displacement + byte);
  return all;
}

}  // namespace baton::reference
