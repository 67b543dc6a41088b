// This chooses the way of a collective access; it is pure.
#include <algorithm>

#include "file/exchange.hpp"
#include "world/agree/agree.hpp"

namespace baton::file {

namespace {

// Longer runs are moved by calls of their own. Measured on tmpfs and ext4, 2 ranks of 4 MiB, Xeon
// (model 167), ms, exchanged and by calls: writes into an empty file (2026-11-29) of 8 KiB 4.3 and
// 2.0, not measured; 16 KiB 4.0 and 2.0, 4.0 to 4.2 and 3.6 to 4.0; 32 KiB 4.0 and 2.0, 3.7 and
// 2.7; 64 KiB 3.8 and 1.9, 3.7 to 3.9 and 2.2; reads of 4 KiB (2026-11-28) .64 to .87 and .7.
constexpr std::int64_t exchanged_write_bytes_max = 16 << 10, exchanged_read_bytes_max = 4095;
// A read is exchanged if at least one in so many bytes is wanted; guess.
constexpr std::int64_t read_waste_max = 4;

std::uint64_t hash(std::int64_t address) {
  return world::scramble(static_cast<std::uint64_t>(address) + 0x9e3779b97f4a7c15u);
}

// Returns whether the tiles, taken as rings of one length, cover each byte once.
bool tiles_fit_around(const Share* shares, int ranks) {
  std::uint64_t sum = 0;
  std::int64_t bytes = 0;
  for (int r = 0; r < ranks; ++r) {
    if (shares[r].extent != shares[0].extent) return false;
    sum += shares[r].mark.around;
    bytes += shares[r].tile_bytes;
  }
  return sum == 0 && bytes == shares[0].extent;
}

// Returns whether the accesses are one tile of each rank, and these cover each byte once.
bool tiles_fit_once(const Share* shares, int ranks, const Plan& plan) {
  std::uint64_t sum = 0;
  for (int r = 0; r < ranks; ++r) {
    const Share& share = shares[r];
    if (share.bytes == 0) continue;
    if (share.bytes != share.tile_bytes || share.first != share.tile_first ||
        share.end != share.tile_end)
      return false;
    sum += share.mark.once;
  }
  return sum == hash(plan.first) - hash(plan.end);
}

}  // namespace

Plan plan(const Share* shares, int ranks) {
  Plan plan{Way::alone, FileReason::no_bytes};
  std::int64_t bytes = 0, runs = 0;
  bool all_may = true, all_share = true, all_map = true, alike = true;
  for (int r = 0; r < ranks; ++r) {
    const Share& share = shares[r];
    all_may &= (share.flags & Share::may_exchange) != 0;
    all_share &= (share.flags & Share::shares_memory) != 0;
    alike &= ((share.flags ^ shares[0].flags) & Share::writes) == 0;
    if (share.bytes == 0) continue;
    all_map &= (share.flags & Share::maps) != 0;
    plan.first = bytes ? std::min(plan.first, share.first) : share.first;
    plan.end = std::max(plan.end, share.end);
    bytes += share.bytes;
    runs += (share.bytes + share.average - 1) / share.average;
  }
  if (!alike) return {Way::alone, FileReason::mixed};
  if (bytes == 0) return plan;
  if (!all_may) return {Way::alone, FileReason::not_possible};
  const bool writes = (shares[0].flags & Share::writes) != 0;
  if (all_map) return {Way::alone, FileReason::all_map};
  if (bytes / runs > (writes ? exchanged_write_bytes_max : exchanged_read_bytes_max))
    return {Way::alone, FileReason::long_runs};
  if (writes) {
    if (bytes != plan.end - plan.first ||
        !(tiles_fit_around(shares, ranks) || tiles_fit_once(shares, ranks, plan)))
      return {Way::alone, FileReason::holes};
  } else if ((plan.end - plan.first) / read_waste_max > bytes) {
    return {Way::alone, FileReason::sparse};
  }
  plan.way = all_share ? Way::exchange : Way::by_messages;
  plan.why = FileReason::chosen;
  return plan;
}

TileMark mark_of(const View& view) {
  constexpr int space = 256;
  ByteRun runs[space];
  TileMark mark;
  const std::int64_t extent = view.extent();
  for (std::int64_t position = 0, listed = 0; position < view.tile_bytes(); position += listed) {
    const int count = view.list(position, view.tile_bytes() - position, runs, space, &listed);
    for (int i = 0; i < count; ++i) {
      const std::int64_t begin = runs[i].offset, end = begin + runs[i].bytes;
      mark.once += hash(begin) - hash(end);
      mark.around += hash(begin % extent) - hash(end % extent);
    }
  }
  return mark;
}

}  // namespace baton::file
