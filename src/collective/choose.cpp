#include "collective/choose.hpp"

#include <algorithm>

#include "lockfree/room.hpp"

namespace baton::collective {

static_assert(room_line_bytes == lockfree::room_line_payload_bytes);

namespace {

std::int64_t block_bytes(const Situation& s) {
  return static_cast<std::int64_t>(lockfree::room_block_bytes(static_cast<std::uint32_t>(s.ranks)));
}
std::int64_t room_limit(const Situation& s) {
  return std::max(room_line_bytes, std::min(s.room_bytes_max, block_bytes(s)));
}

// Returns whether a call is longer than a room takes. An algorithm that takes all of a room's
// blocks cannot serve if the room has less than a block for each rank.
bool is_too_long(unsigned needs, const Situation& s) {
  if (needs & needs_direct) return false;
  return (needs & needs_whole_blocks ? block_bytes(s) : s.bytes) > room_limit(s);
}

// Returns the first size of a row for one rank, rounded up.
std::int64_t first_byte(const SelectionRow& row, int ranks) {
  return row.of_all ? (row.bytes_from + ranks - 1) / ranks : row.bytes_from;
}

// Returns whether a row fits except for the size. With several nodes some may have more ranks than
// CPUs, and others not, so no row for a load fits. Ranks of several jobs have only those rows in
// common that no job has for itself.
bool fits_otherwise(const SelectionRow& row, const Situation& s) {
  if (s.spans_jobs && row.source >= SelectionSource::tuned) return false;
  const bool load = row.load == Load::any ||
                    (!s.several_nodes && (row.load == Load::oversubscribed) == s.oversubscribed);
  const bool nodes = row.nodes == Nodes::any || (row.nodes == Nodes::several) == s.several_nodes;
  const bool apart = row.apart == Apart::any || (row.apart == Apart::near) == s.near;
  return row.kind() == s.kind && load && nodes && apart && row.ranks_from <= s.ranks &&
         s.ranks <= row.ranks_to;
}

bool fits(const SelectionRow& row, const Situation& s) {
  return fits_otherwise(row, s) && first_byte(row, s.ranks) <= s.bytes && s.bytes <= row.bytes_to;
}

ChoiceReason reason_of(const SelectionRow& row, const Situation& s) {
  static constexpr ChoiceReason of_source[] = {ChoiceReason::guess, ChoiceReason::measured,
                                               ChoiceReason::tuned, ChoiceReason::forced};
  const bool elsewhere =
      row.measured != Load::any && (row.measured == Load::oversubscribed) != s.oversubscribed;
  return elsewhere ? ChoiceReason::measured_elsewhere : of_source[static_cast<int>(row.source)];
}

}  // namespace

std::optional<ChoiceReason> obstacle(Algorithm algorithm, const Situation& s) {
  static constexpr ChoiceReason reasons[] = {
      ChoiceReason::not_commuting,   ChoiceReason::uneven,           ChoiceReason::not_in_place,
      ChoiceReason::in_place,        ChoiceReason::one_rank,         ChoiceReason::several_nodes,
      ChoiceReason::several_jobs,    ChoiceReason::not_direct,       ChoiceReason::no_room,
      ChoiceReason::no_groups,       ChoiceReason::mixed_groups,     ChoiceReason::no_nodes,
      ChoiceReason::irregular_nodes, ChoiceReason::too_long_for_room};
  const AlgorithmRow& row = row_of(algorithm);
  const bool in_room = row.rounds > 0;
  const bool stands[] = {(row.needs & needs_commuting) && !s.commuting,
                         (row.needs & needs_even) && s.uneven,
                         (row.needs & needs_in_place) && !s.in_place,
                         (row.needs & needs_not_in_place) && s.in_place,
                         in_room && s.ranks == 1,
                         in_room && s.several_nodes,
                         (in_room || (row.needs & needs_direct)) && s.spans_jobs,
                         (row.needs & needs_direct) && !s.direct,
                         in_room && !s.rooms,
                         (row.needs & needs_groups) && s.grouping == Grouping::none,
                         (row.needs & needs_order) && s.grouping == Grouping::mixed && !s.commuting,
                         (row.needs & needs_nodes) && !s.shared_nodes,
                         (row.needs & needs_regular_nodes) && !s.regular_nodes,
                         in_room && is_too_long(row.needs, s)};
  static_assert(std::size(stands) == std::size(reasons));
  for (std::size_t i = 0; i < std::size(stands); ++i)
    if (stands[i]) return reasons[i];
  return std::nullopt;
}

Choice choose(const Situation& situation, std::span<const SelectionRow> rows) {
  std::optional<ChoiceReason> preferred_one;
  for (std::size_t i = rows.size(); i-- > 0;) {
    const SelectionRow& row = rows[i];
    if (!fits(row, situation)) continue;
    const std::optional<ChoiceReason> stands = obstacle(row.algorithm, situation);
    if (!stands) return {row.algorithm, preferred_one ? *preferred_one : reason_of(row, situation)};
    if (!preferred_one) preferred_one = stands;
  }
  Algorithm last{};
  for (int i = 0; i < algorithm_count; ++i)
    if (algorithm_rows[i].kind == situation.kind && !obstacle(static_cast<Algorithm>(i), situation))
      last = static_cast<Algorithm>(i);
  return {last, preferred_one ? *preferred_one : ChoiceReason::last_resort};
}

std::int64_t next_boundary(const Situation& situation, std::span<const SelectionRow> rows) {
  std::int64_t next = no_end;
  auto consider = [&](std::int64_t bytes) {
    if (bytes > situation.bytes) next = std::min(next, bytes);
  };
  consider(room_limit(situation) + 1);
  for (const SelectionRow& row : rows) {
    if (!fits_otherwise(row, situation)) continue;
    consider(first_byte(row, situation.ranks));
    if (row.bytes_to < no_end) consider(row.bytes_to + 1);
  }
  return next;
}

}  // namespace baton::collective
