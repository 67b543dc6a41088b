// Longer collectives in a room: its blocks are filled segment by segment. Each segment is a round
// of its own; a rank writes some segments before it reads the first, so that it has much to do each
// time the others have come. Used by the algorithms of that kind, and by select for their rounds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/room_sequence.hpp"

namespace baton::collective {

struct Call;

// Who writes segment i needs that all have read segment i - banks, who reads segment i - ahead that
// all have written it: half of the banks lets ranks be furthest apart.
inline constexpr std::uint64_t segments_ahead = lockfree::RoomSizes::block_banks / 2;

// How such a call is divided: a segment has a slice of what all have for each of some ranks, its
// readers. Slices are not too short, so of many ranks few read a segment.
struct Segments {
  int readers;          // of a segment; the last of a turn may have fewer
  int turns;            // so many segments until all ranks have read one
  std::int64_t step;    // elements of a slice
  std::uint64_t count;  // of segments; 0: it cannot be done so

  std::int64_t begin(std::uint64_t segment) const {
    return static_cast<std::int64_t>(segment / static_cast<std::uint64_t>(turns)) * step;
  }
  int first_reader(std::uint64_t segment) const {
    return static_cast<int>(segment % static_cast<std::uint64_t>(turns)) * readers;
  }
  // Behind the last.
  int readers_end(std::uint64_t segment, int ranks) const {
    return std::min(ranks, first_reader(segment) + readers);
  }
  bool is_read_by(int rank, std::uint64_t segment) const {
    return first_reader(segment) <= rank && rank < first_reader(segment) + readers;
  }
  // Where the slice of a writer for a reader begins in the writer's part of the room, in elements.
  std::int64_t slice(int writer, int reader, std::uint64_t segment) const {
    return (writer + reader - first_reader(segment)) % readers * step;
  }
};

// The same on all ranks. Of what each has for each other `longest` elements of `size` bytes, which
// are not divided. `all_read`: all read every segment. Slices are no longer than `slice_max` bytes.
inline Segments divide_into_segments(int ranks, std::int64_t longest, std::int64_t size,
                                     bool all_read,
                                     std::int64_t slice_max = lockfree::RoomSizes::block_bytes) {
  // The beginning of each slice is dear: its page is looked up, its lines are not fetched ahead.
  const auto block =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  const std::int64_t slice_min = std::min<std::int64_t>(8192, block);
  auto parts = [](std::int64_t amount, std::int64_t unit) { return (amount + unit - 1) / unit; };
  // Whole lines, unless all there is takes less of one: of many ranks more can read a segment then.
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
// Of so many bytes that all read: a segment is one slice.
inline Segments same_for_all(int ranks, std::int64_t bytes) {
  const auto step =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  return {1, 1, step, static_cast<std::uint64_t>((bytes + step - 1) / step)};
}
// Of a call.
Segments segments_of(const Call& call);

}  // namespace baton::collective
