// This is the sequence of a room's rounds (lockfree/room.hpp): which bank of lines and which blocks
// each has, and which round must be finished before they are written again. Every rank computes it
// alone, in the same order, so that it is equal on all ranks. It is private memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lockfree/room_size.hpp"

namespace baton::lockfree {

inline constexpr std::int64_t room_line_payload_bytes = 56;

// This says where the ranks' payloads lie in a round: in their lines, or each in a block or a part
// of one. There are more parts than blocks, so with parts ranks may be further apart.
enum class RoomSpace : std::uint8_t { lines, parts, blocks };

// In a round of a room all its ranks write what they give, and read.
struct Round {
  std::uint64_t sequence = 0;
  std::uint64_t must_be_finished = 0;  // before anybody may write
  std::uint32_t part = 0;              // the first of the bank's
  std::uint32_t parts = 0;             // how many of each rank's block; 0: lines only
  std::uint32_t turn = 0;              // how often the parts have been used before

  bool has_blocks() const { return parts != 0; }
};

template <class Sizes = RoomSizes>
class RoomSequence {
 public:
  // Sets the number of ranks, before the first round.
  void prepare(std::uint32_t ranks) {
    banks_ = room_banks<Sizes>(ranks);
    part_bytes_ = room_block_bytes<Sizes>(ranks) / Sizes::block_parts;
  }
  std::uint64_t part_bytes() const { return part_bytes_; }

  // Returns the space that `bytes` of each rank need; at most a block.
  RoomSpace space_for(std::int64_t bytes) const {
    if (bytes <= room_line_payload_bytes) return RoomSpace::lines;
    return bytes <= static_cast<std::int64_t>(part_bytes_) ? RoomSpace::parts : RoomSpace::blocks;
  }

  // Opens the next round. Every rank opens equal rounds in the same order, also before the room is
  // attached.
  Round open(RoomSpace space) {
    Round round;
    round.sequence = ++opened_;
    round.must_be_finished = round.sequence > banks_ ? round.sequence - banks_ : 0;
    if (space == RoomSpace::lines) return round;
    round.parts = space == RoomSpace::parts ? 1 : Sizes::block_parts;
    // The rest of a begun bank stays unused.
    next_part_ += (round.parts - next_part_ % round.parts) % round.parts;
    round.part = static_cast<std::uint32_t>(next_part_ % all_parts);
    next_part_ += round.parts;
    round.turn = part_turns_[round.part];
    for (std::uint64_t i = round.part; i < round.part + round.parts; ++i) {
      part_turns_[i] = round.turn + 1;
      round.must_be_finished = std::max(round.must_be_finished, part_sequences_[i]);
      part_sequences_[i] = round.sequence;
    }
    return round;
  }

  // A row is `count` consecutive rounds of one call, all with blocks. The first ones are kept;
  // in_row computes the others, whose blocks have been used in the row before. (Ranks say at once
  // that a block is free again, so a later round depends only on the round that had its block. That
  // a line is free they may say later.)
  using Row = std::array<Round, Sizes::block_banks>;
  Row open_row(std::uint64_t count) {
    Row row{};
    for (std::uint64_t i = 0; i < count; ++i) {
      const Round round = open(RoomSpace::blocks);
      if (i < row.size()) row[i] = round;
    }
    return row;
  }
  // Returns round `i` of a row.
  static Round in_row(const Row& row, std::uint64_t i) {
    if (i < row.size()) return row[i];
    const std::uint64_t sequence = row[0].sequence + i;
    const std::uint64_t part = (row[0].part + i * Sizes::block_parts) % all_parts;
    const std::uint64_t turn = row[i % row.size()].turn + i / row.size();
    return {sequence, sequence - row.size(), static_cast<std::uint32_t>(part), Sizes::block_parts,
            static_cast<std::uint32_t>(turn)};
  }

 protected:
  std::uint64_t banks() const { return banks_; }

 private:
  static constexpr std::uint64_t all_parts = Sizes::block_banks * Sizes::block_parts;

  std::uint64_t opened_ = 0;  // rounds opened so far
  std::uint64_t banks_ = Sizes::banks;
  std::uint64_t part_bytes_ = Sizes::block_bytes / Sizes::block_parts;
  std::uint64_t next_part_ = 0;
  std::uint64_t part_sequences_[all_parts] = {};  // the round that used each part last
  std::uint32_t part_turns_[all_parts] = {};      // how often each part has been used
};

}  // namespace baton::lockfree
