// What `baton tune --collectives` measures next, and how times become rows of the selection. Pure:
// times in, rounds and rows out. Called by the command (collectives.cpp) and by tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/choose.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

// Algorithms of a kind side by side, at a number of ranks.
struct Contest {
  CollectiveKind kind;
  int ranks;
  bool oversubscribed;
  std::vector<std::int64_t> sizes;  // at which there is something to choose
};

// Those of the kinds that have several algorithms. A number of ranks is oversubscribed beyond
// `cpus`.
std::vector<Contest> contests(std::span<const int> ranks, int cpus);

// What runs without a profile.
Algorithm built_in(const Contest& contest, std::int64_t bytes);
// All that can serve at a size, the built-in one first.
std::vector<Algorithm> rivals(const Contest& contest, std::int64_t bytes);

// An algorithm, and the sizes that it is measured at in a round.
struct Entry {
  Algorithm algorithm;
  std::vector<std::int64_t> sizes;
};
struct Round {
  int rounds = 0;  // those that its sizes have had
  std::vector<Entry> entries;
};

// The next round of a contest: at the sizes that are open and have had the fewest rounds, all but
// the hopeless ones. Without entries all is settled.
Round next_round(const Contest& contest, std::span<const profile::CollectiveCell> cells);

profile::CollectiveCell* find_cell(std::span<profile::CollectiveCell> cells, Algorithm algorithm,
                                   int ranks, std::int64_t bytes);

// How the quickest compares with the built-in one at a size.
struct Verdict {
  Algorithm algorithm;  // the built-in one, unless another is surely better
  Algorithm built_in;
  double ratio = 1;  // of the quickest other one that was measured to the built-in one
  double noise = 0;
  int rounds = 0;  // 0: not compared
};
Verdict verdict(const Contest& contest, std::int64_t bytes,
                std::span<const profile::CollectiveCell> cells);

// Rows for where another algorithm than the built-in one is better by more than the noise, in
// rounds enough. A size holds up to the next one, a number of ranks, too; both of the last ones
// without end.
std::vector<profile::ChosenRow> choose_rows(std::span<const Contest> all,
                                            std::span<const profile::CollectiveCell> cells);

}  // namespace baton::cli::tune
