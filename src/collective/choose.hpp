// Which algorithm a collective takes, and why: pure. Facts and rows in (base/selection.hpp),
// algorithm and reason out. Called once a range of sizes (collective/cutoffs.hpp), by tools and by
// tests; never for each call.
// Invariant: a Situation holds what all ranks know alike, so that all choose the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/selection.hpp"
#include "collective/divide.hpp"

namespace baton::collective {

struct Situation {
  CollectiveKind kind;
  int ranks;
  std::int64_t bytes = 0;              // as in SelectionRow
  bool commuting = true;               // the operation, where there is one
  bool uneven = false;                 // ranks do not know how much the others give
  bool in_place = false;               // of an alltoall: elsewhere ranks may differ in it
  bool oversubscribed = false;         // more ranks than usable CPUs in the job
  bool rooms = true;                   // false: it is known that there is none
  bool direct = true;                  // false: ranks may not copy from and to others' buffers
  Grouping grouping = Grouping::none;  // of the ranks, by the machine
  std::int64_t room_bytes_max = 0;     // what a rank may put into a block of a room, at most
  bool several_nodes = false;          // the ranks are not all on one node
  bool shared_nodes = false;           // and some of them share one
  bool regular_nodes = false;          // each of those has as many, and they follow one another
};

struct Choice {
  Algorithm algorithm;
  ChoiceReason reason;
};

// What is sure to fit into a room, in a line (see RoomLine).
inline constexpr std::int64_t room_line_bytes = 56;

// Why an algorithm cannot serve; empty: it can.
std::optional<ChoiceReason> obstacle(Algorithm algorithm, const Situation& situation);

// The last row that fits and whose algorithm can serve. Where a later one fits, too, but cannot
// serve, its obstacle is the reason.
Choice choose(const Situation& situation, std::span<const SelectionRow> rows);

// The first size above the situation's at which another choice is possible; no_end: none.
std::int64_t next_boundary(const Situation& situation, std::span<const SelectionRow> rows);

}  // namespace baton::collective
