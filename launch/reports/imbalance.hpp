// How unevenly ranks come to their collective calls: pure.
#pragma once

#include <string>
#include <vector>

#include "status/times.hpp"

namespace baton::launch {

using status::JobTimes;

// Calls of one procedure on one communicator, as far as all its ranks have kept them.
struct Imbalance {
  std::string call;
  std::string communicator;  // its name, or how many ranks it has
  std::uint64_t calls = 0;
  double spread_mean = 0;  // from the first rank that comes to the last
  double spread_most = 0;
  double lost = 0;        // rank seconds: by how much all came before the last, summed
  int last_rank = -1;     // that came last most often, in MPI_COMM_WORLD
  double last_share = 0;  // of the calls
};

// Those that cost most first.
std::vector<Imbalance> imbalances_of(const JobTimes& times);

}  // namespace baton::launch
