// All the situations in which an algorithm is chosen, and the rows that tests choose by.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/shipped_profile.hpp"
#include "collective/choose.hpp"

namespace baton::collective {

// What a failed check prints.
inline void PrintTo(const Situation& s, std::ostream* out) {
  *out << collective_kind_names[static_cast<int>(s.kind)] << " of " << s.ranks << " ranks, "
       << s.bytes << " bytes" << (s.commuting ? "" : ", ordered") << (s.uneven ? ", uneven" : "")
       << (s.in_place ? ", in place" : "") << (s.oversubscribed ? ", oversubscribed" : "")
       << (s.direct ? ", direct" : "")
       << (s.grouping == Grouping::none    ? ""
           : s.grouping == Grouping::mixed ? ", mixed groups"
                                           : ", groups")
       << (s.rooms ? ", rooms of " : ", no rooms of ") << s.room_bytes_max
       << (s.several_nodes ? ", several nodes" : "") << (s.shared_nodes ? ", shared" : "")
       << (s.regular_nodes ? ", regular" : "");
}

using Kind = CollectiveKind;

inline constexpr std::int64_t sizes[] = {
    0,     1,     8,     56,    57,    512,   4096,  5461,  5462,   8191,    8192,    8193,
    16384, 16385, 32767, 32768, 32769, 65536, 65537, 99999, 131072, 1 << 20, 1 << 26, no_end - 1};
inline constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 100, 292, 293, 4096};

// Instead of a size of rooms: ranks on several nodes, where rooms do not matter; of one rank each,
// of several, and of equally many.
inline constexpr int in_several_nodes = -1, in_shared_nodes = -2, in_regular_nodes = -3;

// Whether the machine's groups matter to a kind.
inline bool may_be_hierarchical(Kind kind) {
  return std::ranges::any_of(algorithm_rows, [kind](const AlgorithmRow& row) {
    return row.kind == kind && (row.needs & needs_groups);
  });
}

// Every situation of a kind, but for sizes; then those too.
template <class Do>
void each_situation(Kind kind, Do&& act) {
  std::vector<Grouping> groupings{Grouping::none};
  if (may_be_hierarchical(kind)) groupings = {Grouping::none, Grouping::in_order, Grouping::mixed};
  for (int ranks : rank_counts)
    for (unsigned bits = 0; bits < 64; ++bits)
      for (Grouping grouping : groupings)
        for (int room_bytes_max :
             {0, 1000, 65536, in_several_nodes, in_shared_nodes, in_regular_nodes})
          for (std::int64_t bytes : sizes) {
            Situation s{kind, ranks, bytes};
            s.commuting = bits & 1;
            s.uneven = bits & 2;
            s.in_place = bits & 4;
            s.oversubscribed = bits & 8;
            s.rooms = bits & 16;
            s.direct = bits & 32;
            s.grouping = grouping;
            s.several_nodes = room_bytes_max < 0;
            s.shared_nodes = room_bytes_max <= in_shared_nodes;
            s.regular_nodes = room_bytes_max == in_regular_nodes;
            if (s.several_nodes && !(s.rooms && s.direct)) continue;  // no matter there
            s.room_bytes_max = s.several_nodes ? 65536 : room_bytes_max;
            act(s);
          }
}
template <class Do>
void each_situation(Do&& act) {
  for (int kind = 0; kind < collective_kind_count; ++kind)
    each_situation(static_cast<Kind>(kind), act);
}

inline SelectionRow forced(Algorithm algorithm) {
  return {.algorithm = algorithm, .source = SelectionSource::forced, .nodes = Nodes::any};
}

using enum ProcessorFamily;
inline const auto on_zen4 = shipped_profile_of(zen4).selection;
inline const auto on_emerald_rapids = shipped_profile_of(emerald_rapids).selection;

inline std::vector<SelectionRow> defaults_and(const SelectionRow& row) {
  std::vector rows(default_selection().begin(), default_selection().end());
  rows.push_back(row);
  return rows;
}

}  // namespace baton::collective
