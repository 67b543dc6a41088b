// Longer collectives in a room: its blocks are filled piece by piece. Each piece is a meeting of
// its own; a rank writes some pieces before it reads the first, so that it has much to do each time
// the others have come. Used by the algorithms of that kind, and by select for their tickets.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/room_tickets.hpp"

namespace baton::collective {

struct Call;

// Who writes piece i needs that all have read piece i - banks, who reads piece i - ahead that all
// have written it: half of the banks lets ranks be furthest apart.
inline constexpr std::uint64_t pieces_ahead = lockfree::RoomSizes::block_banks / 2;

// How such a call is divided: a piece has a slice of what all have for each of some ranks, its
// readers. Slices are not too short, so of many ranks few read a piece.
struct Pieces {
  int readers;          // of a piece; the last of a turn may have fewer
  int turns;            // so many pieces until all ranks have read one
  std::int64_t step;    // elements of a slice
  std::uint64_t count;  // of pieces; 0: it cannot be done so

  std::int64_t begin(std::uint64_t piece) const {
    return static_cast<std::int64_t>(piece / static_cast<std::uint64_t>(turns)) * step;
  }
  int first_reader(std::uint64_t piece) const {
    return static_cast<int>(piece % static_cast<std::uint64_t>(turns)) * readers;
  }
  // Behind the last.
  int readers_end(std::uint64_t piece, int ranks) const {
    return std::min(ranks, first_reader(piece) + readers);
  }
  bool is_read_by(int rank, std::uint64_t piece) const {
    return first_reader(piece) <= rank && rank < first_reader(piece) + readers;
  }
  // Where the slice of a writer for a reader begins in the writer's part of the room, in elements.
  std::int64_t slice(int writer, int reader, std::uint64_t piece) const {
    return (writer + reader - first_reader(piece)) % readers * step;
  }
};

// The same on all ranks. Of what each has for each other `longest` elements of `size` bytes, which
// are not divided. `all_read`: all read every piece. Slices are no longer than `slice_max` bytes.
inline Pieces divide_into_pieces(int ranks, std::int64_t longest, std::int64_t size, bool all_read,
                                 std::int64_t slice_max = lockfree::RoomSizes::block_bytes) {
  // The beginning of each slice is dear: its page is looked up, its lines are not fetched ahead.
  const auto block =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  const std::int64_t slice_min = std::min<std::int64_t>(8192, block);
  auto parts = [](std::int64_t amount, std::int64_t unit) { return (amount + unit - 1) / unit; };
  // Whole lines, unless all there is takes less of one: of many ranks more can read a piece then.
  const auto line = static_cast<std::int64_t>(std::min<std::uint64_t>(
      cache_line_bytes,
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, longest * size)))));
  const std::int64_t slice = std::clamp(longest * size, line, slice_min);
  const auto most = static_cast<int>(all_read ? ranks : block / slice);
  Pieces pieces{};
  pieces.readers = static_cast<int>(parts(ranks, parts(ranks, most)));
  pieces.turns = static_cast<int>(parts(ranks, pieces.readers));
  const std::int64_t lines = std::min(block / pieces.readers / line, parts(slice_max, line));
  const std::int64_t bytes = lines * line;
  pieces.step = bytes / std::max<std::int64_t>(1, size);
  if (pieces.step > 0)
    pieces.count = static_cast<std::uint64_t>(pieces.turns * parts(longest, pieces.step));
  return pieces;
}
// Of so many bytes that all read: a piece is one slice.
inline Pieces same_for_all(int ranks, std::int64_t bytes) {
  const auto step =
      static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks)));
  return {1, 1, step, static_cast<std::uint64_t>((bytes + step - 1) / step)};
}
// Of a call.
Pieces pieces_of(const Call& call);

}  // namespace baton::collective
