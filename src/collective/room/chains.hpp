// Reductions of long vectors where ranks outnumber CPUs: ranks add their vectors one after the
// other, along a chain, to a sum that stays in cache; no vector is copied first. This is used by
// the algorithm, and by select for its rounds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lockfree/room_sequence.hpp"

namespace baton::collective {

struct Call;

// This is the division of a vector. Each segment has a round, and in the round a sum for each
// chain. Chains are ranges of ranks, from the last rank of a range down to its first.
struct Chains {
  int count;
  int blocks;              // blocks of the room, one behind the other, for one sum
  std::int64_t step;       // elements of a segment
  std::uint64_t segments;  // 0: the vector cannot be reduced so

  // These return the chain of a rank, and the first rank of a chain.
  int of(int rank, int ranks) const { return ((rank + 1) * count - 1) / ranks; }
  int begin(int chain, int ranks) const { return chain * ranks / count; }
};

// Divides vectors of `elements` elements of `size` bytes, which are not divided themselves. All
// ranks get the same result.
inline Chains divide_into_chains(int ranks, int cpus, std::int64_t elements, std::int64_t size) {
  using Sizes = lockfree::RoomSizes;
  // At most as many ranks of a chain can work at once as segments are under way. So there are that
  // many segments, if the vector is long, and enough chains for all CPUs.
  constexpr int at_once = Sizes::block_banks;
  constexpr std::int64_t segment_min = 16384;    // guess
  constexpr std::int64_t segment_max = 1 << 20;  // longer ones leave the cache
  Chains chains{};
  chains.count = std::clamp((cpus + at_once - 1) / at_once, 1, ranks);
  chains.blocks = ranks == 2 ? 1 : ranks / chains.count;  // two ranks' slots swap
  // Two ranks write and add at the same time, in eight steps, of which the first and last overlap
  // with nothing.
  const int steps = ranks == 2 ? 8 : std::clamp(cpus, 2, at_once);
  const std::int64_t share = elements * size / steps;
  const auto block = lockfree::room_block_bytes(static_cast<std::uint32_t>(ranks));
  const auto room = static_cast<std::int64_t>(block) * chains.blocks;
  const std::int64_t bytes = std::min(room, std::clamp(share, segment_min, segment_max));
  chains.step = bytes / std::max<std::int64_t>(1, size);
  if (chains.step > 0)
    chains.segments = static_cast<std::uint64_t>((elements + chains.step - 1) / chains.step);
  return chains;
}
// Returns the chains of a call.
Chains chains_of(const Call& call);

}  // namespace baton::collective
