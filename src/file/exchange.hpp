// Collective accesses in two phases (del Rosario, Bordawekar and Choudhary, "Improved Parallel I/O
// via a Two-phase Run-time Access Strategy"): the ranks of a node exchange their data in memory
// that they share, where it lies as in the file, and move it to or from the file in long pieces.
// Here a rank puts each byte where it belongs itself, nobody packs, and the two phases overlap:
// while one rank moves a piece, the others go on with the next. Used by access_all.cpp.
// Invariant: the choice depends only on what all ranks have told each other, so it is the same
// everywhere.
#pragma once

#include <cstdint>

#include "collective/run.hpp"
#include "file/access.hpp"

namespace baton::file {

// This is what each rank tells all others of its part of an access.
struct Share {
  enum Flag : std::uint64_t {
    writes = 1,
    may_exchange = 2,   // nothing at this rank is against it: view, hints, modes
    shares_memory = 4,  // it reaches the memory for exchanges
    maps = 8,           // it would move its data alone through a mapping
  };
  std::int64_t first;  // address of the first byte
  std::int64_t end;    // address behind the last
  std::int64_t bytes;
  std::int64_t average;  // bytes of a run
  // These say whether the tiles of all ranks fit together without overlap (mark_of).
  TileMark mark;
  std::int64_t extent;
  std::int64_t tile_bytes;
  std::int64_t tile_first;
  std::int64_t tile_end;
  std::uint64_t flags;
};

enum class Way : std::uint8_t {
  alone,
  exchange,     // through memory that all ranks share
  by_messages,  // to and from aggregators
};
struct Plan {
  Way way;
  FileReason why;
  std::int64_t first = 0, end = 0;  // addresses of all ranks' bytes
};

// Chooses the way of an access.
Plan plan(const Share* shares, int ranks);

// Computes what a view contributes to the proof that the tiles of all ranks cover each byte once:
// the sum over the tile's runs of hash(begin) - hash(end). Where the runs of all ranks adjoin,
// these cancel out.
TileMark mark_of(const View& view);

// Moves the data by an exchange. `memory` has this rank's bytes as they are in the file. `number`
// is the access's among those of the file, `first_chunk` its first turn of the staging memory.
struct Exchange {
  File& file;
  bool writes;
  Placed placed;
  Memory memory;
  const Share* shares;
  Plan plan;
  std::uint32_t number;
  std::uint64_t first_chunk;
  std::int64_t moved = 0;  // of this rank's bytes
  // Data with gaps in memory goes through this buffer. Guess: it stays in the nearest cache.
  static constexpr std::int64_t bounce_bytes = 8 << 10;
  char bounce[bounce_bytes];
};
// Returns how many pieces of staging memory an exchange takes.
std::uint64_t chunks_of(const File& file, const Plan& plan);
collective::Task exchange(collective::Run& run, Exchange& state);
// Does so where ranks do not share memory, by messages. It takes no staging memory.
collective::Task exchange_by_messages(collective::Run& run, Exchange& state);

}  // namespace baton::file
