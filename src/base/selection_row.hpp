// A row of the selection (base/selection.hpp): where it holds, which algorithm it takes there, and
// who says so. Used by the tables of such rows (base/selection_rows.hpp, base/shipped_profile.hpp)
// and by the rows of orders (base/order.hpp). Invariant: plain data.
#pragma once

#include <cstdint>

#include "base/algorithm.hpp"

namespace baton {

// Who says so, and so how much it counts.
enum class SelectionSource : std::uint8_t { guess, measured, tuned, forced };
// Whether a row is for jobs of more ranks than usable CPUs, for others, or for all.
enum class Load : std::uint8_t { any, oversubscribed, not_oversubscribed };
// Whether a row is for communicators whose ranks are all on one node, on several, or for both.
enum class Nodes : std::uint8_t { any, one, several };

inline constexpr std::int64_t no_end = std::int64_t{1} << 62;

// `bytes` are what one rank gives: its block; in a broadcast or scatter what one gets; in an
// alltoall or reduce_scatter all its blocks; 0 in barriers, and where not all ranks know it.
struct SelectionRow {
  Algorithm algorithm;
  SelectionSource source;
  std::int64_t ranks_from = 1;
  std::int64_t ranks_to = no_end;
  std::int64_t bytes_from = 0;
  std::int64_t bytes_to = no_end;
  const char* where = "";  // machine and date of what was measured
  bool of_all = false;     // bytes are those of all ranks together
  Load load = Load::any;
  // Of a measured row: whether ranks outnumbered CPUs there. Elsewhere it is a guess.
  Load measured = Load::any;
  Nodes nodes = Nodes::one;

  CollectiveKind kind() const { return row_of(algorithm).kind; }
};

}  // namespace baton
