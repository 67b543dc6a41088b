// This says how large rooms are (lockfree/room.hpp), and how much all rooms of a job may hold
// together. It is pure: numbers of ranks in, numbers of bytes out, equal on all ranks and for the
// choice of an algorithm (collective/choose.hpp). Invariant: up to 64 ranks nothing depends on
// their number; with more, the size of a room stays about the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace baton::lockfree {

// Tests have smaller sizes.
struct RoomSizes {
  static constexpr std::uint64_t banks = 32;        // guess: a rank may be this many rounds ahead
  static constexpr std::uint64_t banks_min = 4;     // with many ranks; as many as banks of blocks
  static constexpr std::uint64_t lines_max = 4096;  // guess: banks x ranks, beyond banks_min
  static constexpr std::uint64_t block_banks = 4;   // guess
  static constexpr std::uint64_t block_bytes = 65536;          // guess
  static constexpr std::uint64_t block_parts = 4;              // guess
  static constexpr std::uint64_t blocks_bytes_max = 16 << 20;  // guess: blocks of all ranks
};

// Returns the banks of lines of a room of `ranks`, a power of two.
template <class Sizes = RoomSizes>
constexpr std::uint64_t room_banks(std::uint32_t ranks) {
  static_assert(std::has_single_bit(Sizes::banks) && std::has_single_bit(Sizes::banks_min));
  static_assert(Sizes::banks_min >= 2 && Sizes::banks_min <= Sizes::banks);
  static_assert(Sizes::banks_min >= Sizes::block_banks);  // see RoomSequence::in_row
  if (Sizes::banks * ranks <= Sizes::lines_max) return Sizes::banks;
  return std::max(Sizes::banks_min, std::bit_floor(Sizes::lines_max / ranks));
}
// Returns the bytes that a rank has in a bank of blocks, a power of two.
template <class Sizes = RoomSizes>
constexpr std::uint64_t room_block_bytes(std::uint32_t ranks) {
  const std::uint64_t all = Sizes::block_banks * ranks;
  if (all * Sizes::block_bytes <= Sizes::blocks_bytes_max) return Sizes::block_bytes;
  return std::bit_floor(Sizes::blocks_bytes_max / all);
}
template <class Sizes = RoomSizes>
constexpr std::uint64_t room_blocks_bytes(std::uint32_t ranks) {
  return Sizes::block_banks * ranks * room_block_bytes<Sizes>(ranks);
}

// Returns the bytes of all rooms of a job together; memory comes with use.
constexpr std::uint64_t room_pool_bytes(std::uint32_t ranks) {
  constexpr std::uint64_t least = 64 << 20, most = 512 << 20, of_a_rank = 4 << 20;  // guesses
  return std::clamp(ranks * of_a_rank, least, most);
}
// Returns the bytes for blocks. They leave some to lines, which make a communicator's shortest
// collectives quick.
constexpr std::uint64_t room_pool_blocks_bytes(std::uint32_t ranks) {
  return room_pool_bytes(ranks) / 4 * 3;
}
// Returns how much memory of rooms that all ranks have left is kept for the next rooms; the rest
// goes back to the system.
constexpr std::uint64_t room_pool_kept_bytes(std::uint32_t ranks) {
  return room_pool_bytes(ranks) / 8;
}

static_assert(room_banks(64) == 32 && room_banks(128) == 32 && room_banks(129) == 16);
static_assert(room_banks(1024) == 4 && room_banks(4096) == 4);
static_assert(room_block_bytes(64) == 65536 && room_block_bytes(65) == 32768);
static_assert(room_block_bytes(1024) == 4096 && room_block_bytes(4096) == 1024);
static_assert(room_block_bytes(4096) / RoomSizes::block_parts >= 64);  // whole lines

}  // namespace baton::lockfree
