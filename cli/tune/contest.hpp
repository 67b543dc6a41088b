// This decides what `baton tune --collectives` measures next, and turns times into rows of the
// selection. It is pure: times in, rounds and rows out. The command (collectives.cpp) and tests
// call it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/choose.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

// This has the algorithms of a kind side by side, at a number of ranks.
struct Contest {
  CollectiveKind kind;
  int ranks;
  bool oversubscribed;
  Distance distance;                // of the ranks
  std::vector<std::int64_t> sizes;  // at which several algorithms can serve
};

// Returns the contests of all kinds that have several algorithms, at one distance. A number of
// ranks is oversubscribed beyond `cpus`.
std::vector<Contest> contests(std::span<const int> ranks, int cpus, Distance distance);

// Returns the algorithm that is used without a profile.
Algorithm built_in(const Contest& contest, std::int64_t bytes);
// Returns all algorithms that can serve at a size, the built-in one first.
std::vector<Algorithm> rivals(const Contest& contest, std::int64_t bytes);

// This is an algorithm, and the sizes at which it is measured in a round.
struct Entry {
  Algorithm algorithm;
  std::vector<std::int64_t> sizes;
};
struct Round {
  int rounds = 0;  // number of rounds that its sizes have had
  std::vector<Entry> entries;
};

// Returns the next round of a contest: at the sizes that are open and have had the fewest rounds,
// all but the hopeless ones. Without entries all is settled.
Round next_round(const Contest& contest, std::span<const profile::CollectiveCell> cells);

profile::CollectiveCell* find_cell(std::span<profile::CollectiveCell> cells, const Contest& contest,
                                   Algorithm algorithm, std::int64_t bytes);

// This says how the quickest algorithm compares with the built-in one at a size.
struct Verdict {
  Algorithm algorithm;  // the built-in one, unless another is significantly better
  Algorithm built_in;
  double ratio = 1;  // time of the quickest other one relative to the built-in one
  double noise = 0;
  int rounds = 0;  // 0: not compared
};
Verdict verdict(const Contest& contest, std::int64_t bytes,
                std::span<const profile::CollectiveCell> cells);

// This is said where no round has counted (collectives.cpp, Search::measure).
inline constexpr const char* nothing_measured =
    "nothing was measured, since the CPUs were near and far within each round";

// Returns rows for cases where another algorithm than the built-in one is better by more than the
// noise, in enough rounds. A row holds at the distance at which it was measured. A size holds up to
// the next one, and so does a number of ranks; the last ones hold without end.
std::vector<profile::ChosenRow> choose_rows(std::span<const Contest> all,
                                            std::span<const profile::CollectiveCell> cells);

}  // namespace baton::cli::tune
