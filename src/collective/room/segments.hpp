// Longer collectives in a room fill its blocks segment by segment. Each segment is a round of its
// own; a rank writes some segments before it reads the first, so that it has much to do each time
// the others have come. This is used by the algorithms named segmented, and by select for their
// rounds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/room_sequence.hpp"

namespace baton::collective {

struct Call;

// A rank that writes segment i needs that all have read segment i - banks; a rank that reads
// segment i - ahead needs that all have written it. Half of the banks lets ranks be furthest apart.
inline constexpr std::uint64_t segments_ahead = lockfree::RoomSizes::block_banks / 2;

// This is the division of such a call: a segment has a slice of the data that each rank has for
// each of some ranks, the segment's readers. Slices are not too short, so with many ranks few read
// a segment.
struct Segments {
  int readers;          // of a segment; the last segment of a turn may have fewer
  int turns;            // segments until all ranks have read one
  std::int64_t step;    // elements of a slice
  std::uint64_t count;  // number of segments; 0: the call cannot be divided so

  std::int64_t begin(std::uint64_t segment) const {
    return static_cast<std::int64_t>(segment / static_cast<std::uint64_t>(turns)) * step;
  }
  int first_reader(std::uint64_t segment) const {
    return static_cast<int>(segment % static_cast<std::uint64_t>(turns)) * readers;
  }
  // Returns the end of the range of readers.
  int readers_end(std::uint64_t segment, int ranks) const {
    return std::min(ranks, first_reader(segment) + readers);
  }
  bool is_read_by(int rank, std::uint64_t segment) const {
    return first_reader(segment) <= rank && rank < first_reader(segment) + readers;
  }
  // Returns where the slice of a writer for a reader begins in the writer's part of the room, in
  // elements.
  std::int64_t slice(int writer, int reader, std::uint64_t segment) const {
    return (writer + reader - first_reader(segment)) % readers * step;
  }
};

// Divides calls in which each rank has at most `longest` elements of `size` bytes for each other
// rank; elements are not divided. All ranks get the same result. `all_read`: all ranks read every
// segment. Slices are no longer than `slice_max` bytes.
inline Segments divide_into_segments(int ranks, std::int64_t longest, std::int64_t size,
                                     bool all_read,
                                     std::int64_t slice_max = lockfree::RoomSizes::block_bytes) {
  // The beginning of each slice costs much: its page is looked up, and its lines are not
  // prefetched.
  const auto block =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  const std::int64_t slice_min = std::min<std::int64_t>(8192, block);
  auto parts = [](std::int64_t amount, std::int64_t unit) { return (amount + unit - 1) / unit; };
  // Slices are whole lines, unless all data takes less than one: with many ranks more can then read
  // a segment.
  const auto line = static_cast<std::int64_t>(std::min<std::uint64_t>(
      cache_line_bytes,
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, longest * size)))));
  const std::int64_t slice = std::clamp(longest * size, line, slice_min);
  const auto most = static_cast<int>(all_read ? ranks : block / slice);
  Segments segments{};
  segments.readers = static_cast<int>(parts(ranks, parts(ranks, most)));
  segments.turns = static_cast<int>(parts(ranks, segments.readers));
  const std::int64_t lines = std::min(block / segments.readers / line, parts(slice_max, line));
  const std::int64_t bytes = lines * line;
  segments.step = bytes / std::max<std::int64_t>(1, size);
  if (segments.step > 0)
    segments.count = static_cast<std::uint64_t>(segments.turns * parts(longest, segments.step));
  return segments;
}
// Divides data of `bytes` that all ranks read: a segment is one slice.
inline Segments same_for_all(int ranks, std::int64_t bytes) {
  const auto step =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  return {1, 1, step, static_cast<std::uint64_t>((bytes + step - 1) / step)};
}
// Returns the segments of a call.
Segments segments_of(const Call& call);

}  // namespace baton::collective
