// Chooses the algorithm that a collective takes, and says why. The functions are pure: facts and
// rows (base/selection.hpp) go in, algorithm and reason come out. They are called once per range of
// sizes (collective/cutoffs.hpp), by tools and by tests; never for each call.
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
  std::int64_t bytes = 0;       // as in SelectionRow
  bool commuting = true;        // the operation commutes, where there is one
  bool uneven = false;          // ranks do not know how much the others give
  bool in_place = false;        // an alltoall in place; in other kinds ranks may differ in it
  bool oversubscribed = false;  // more ranks than usable CPUs in the job
  bool near = false;            // all ranks are near each other; else they count as far
  bool rooms = true;            // false: it is known that there is none
  bool direct = true;           // false: ranks may not copy from and to others' buffers
  Grouping grouping = Grouping::none;  // of the ranks, by the machine
  std::int64_t room_bytes_max = 0;     // the most that a rank may put into a block of a room
  bool spans_jobs = false;     // the ranks are of several jobs, each with settings of its own
  bool several_nodes = false;  // the ranks are not all on one node
  bool shared_nodes = false;   // and some of them share one
  bool regular_nodes = false;  // each node has the same number of ranks, and they are consecutive
};

struct Choice {
  Algorithm algorithm;
  ChoiceReason reason;
};

// This many bytes are sure to fit into a room, in a line (see RoomLine).
inline constexpr std::int64_t room_line_bytes = 56;

// Returns why an algorithm cannot serve; empty: it can.
std::optional<ChoiceReason> obstacle(Algorithm algorithm, const Situation& situation);

// Chooses the last row that fits and whose algorithm can serve. If a later row fits, too, but
// cannot serve, its obstacle is the reason.
Choice choose(const Situation& situation, std::span<const SelectionRow> rows);

// Returns the first size above the situation's at which another choice is possible; no_end: none.
std::int64_t next_boundary(const Situation& situation, std::span<const SelectionRow> rows);

}  // namespace baton::collective
