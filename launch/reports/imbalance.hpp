// This computes how unevenly ranks arrive at their collective calls. It is pure.
#pragma once

#include <string>
#include <vector>

#include "status/times.hpp"

namespace baton::launch {

using status::JobTimes;

// These are calls of one procedure on one communicator, as far as all its ranks have kept them.
struct Imbalance {
  std::string call;
  std::string communicator;  // its name, or the number of its ranks
  std::uint64_t calls = 0;
  double spread_mean = 0;  // from the first rank that arrives to the last
  double spread_most = 0;
  double lost = 0;        // rank seconds: summed times by which ranks came before the last
  int last_rank = -1;     // the rank that came last most often, in MPI_COMM_WORLD
  double last_share = 0;  // share of the calls in which it came last
};

// Returns the most expensive first.
std::vector<Imbalance> imbalances_of(const JobTimes& times);

}  // namespace baton::launch
