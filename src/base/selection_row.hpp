// A row of the selection (base/selection.hpp) says where it holds, which algorithm it takes there,
// and where it comes from. The tables of such rows (base/selection_rows.hpp,
// base/shipped_profile.hpp) and the rows of orders (base/order.hpp) use this. Invariant: a row is
// plain data.
#pragma once

#include <cstdint>

#include "base/algorithm.hpp"

namespace baton {

// The source says who asks for a row, and so how much it counts.
enum class SelectionSource : std::uint8_t { guess, measured, tuned, forced };
// A row is for jobs with more ranks than usable CPUs (oversubscribed), for other jobs, or for any.
enum class Load : std::uint8_t { any, oversubscribed, not_oversubscribed };
// A row is for communicators whose ranks are all on one node, for those on several, or for any.
enum class Nodes : std::uint8_t { any, one, several };

// A row is for communicators whose ranks are all near each other, for others, or for any
// (base/distance.hpp).
enum class Apart : std::uint8_t { any, near, far };

inline constexpr std::int64_t no_end = std::int64_t{1} << 62;

// `bytes` is the length that one rank gives: its block; in a broadcast or scatter the length that
// one rank gets; in an alltoall or reduce_scatter all its blocks; 0 in barriers, and where not all
// ranks know the length.
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
  // This says whether ranks outnumbered CPUs where the row was measured. For the other load the row
  // is a guess.
  Load measured = Load::any;
  Nodes nodes = Nodes::one;
  Apart apart = Apart::any;

  CollectiveKind kind() const { return row_of(algorithm).kind; }
};

}  // namespace baton
