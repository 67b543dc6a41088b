// The wait-for graph of all ranks: pure. Which collective calls lack ranks, and on whom all that
// wait depend.
#pragma once

#include <string>
#include <vector>

#include "status/board.hpp"

namespace baton::status {

// A collective call that ranks have waited in for long.
struct StuckCollective {
  std::string words;         // "MPI_Barrier, call 3 on MPI_COMM_WORLD"
  std::vector<int> entered;  // are in it
  std::vector<int> missing;  // are waited for and are not in it
  bool has_data = false;     // there are lengths that may differ
  bool differs = false;      // the ranks in it tell different things of it
};

struct WaitGraph {
  std::vector<StuckCollective> collectives;
  // Ranks that others wait for, and that wait for nobody long themselves.
  std::vector<int> awaited;
  // Ranks that others wait for on another node, of which nothing is known here.
  std::vector<int> elsewhere;
  // Ranks that wait, and whom only ranks can serve that wait like them: a deadlock.
  std::vector<int> cycle;
};

WaitGraph wait_graph_of(const std::vector<RankStatus>& ranks);

}  // namespace baton::status
