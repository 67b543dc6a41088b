// This is the wait-for graph of all ranks. It tells which collective calls lack ranks, and on which
// ranks all waiting ranks depend. It is pure.
#pragma once

#include <string>
#include <vector>

#include "status/board.hpp"

namespace baton::status {

// This is a collective call in which ranks have waited for long.
struct StuckCollective {
  std::string words;         // "MPI_Barrier, call 3 on MPI_COMM_WORLD"
  std::vector<int> entered;  // ranks that are in it
  std::vector<int> missing;  // ranks that are waited for and are not in it
  bool has_data = false;     // it has lengths that may differ
  bool differs = false;      // the ranks in it describe different calls
};

struct WaitGraph {
  std::vector<StuckCollective> collectives;
  // These ranks are awaited by others, and have not waited for long themselves.
  std::vector<int> awaited;
  // These awaited ranks are on another node, so that nothing is known of them here.
  std::vector<int> elsewhere;
  // These ranks wait, and can be served only by ranks that wait like them: a deadlock.
  std::vector<int> cycle;
};

WaitGraph wait_graph_of(const std::vector<RankStatus>& ranks);

}  // namespace baton::status
