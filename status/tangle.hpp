// Who waits for whom, seen over all ranks: pure. Which collective calls lack ranks, and for whom
// everybody waits in the end.
#pragma once

#include <string>
#include <vector>

#include "status/board.hpp"

namespace baton::status {

// A collective call that ranks have waited in for long.
struct StuckCollective {
  std::string words;         // "MPI_Barrier, call 3 on MPI_COMM_WORLD"
  std::vector<int> come;     // are in it
  std::vector<int> missing;  // are waited for and are not in it
  bool has_data = false;     // there are lengths that may differ
  bool differs = false;      // the ranks in it tell different things of it
};

struct Tangle {
  std::vector<StuckCollective> collectives;
  // Ranks that others wait for, and that wait for nobody long themselves.
  std::vector<int> awaited;
  // Ranks that wait, and whom only ranks can serve that wait like them: a deadlock.
  std::vector<int> cycle;
};

Tangle untangle(const std::vector<RankStatus>& ranks);

}  // namespace baton::status
