// What a rank's share of MPI's memory is, in closed form: from the library's own layout where it
// has one (lockfree/job.hpp, message/core/peer.hpp), else from assumptions that are named as such.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::cluster {

struct MemoryPart {
  std::string name;
  std::int64_t bytes;
  bool assumed;          // no constant of the library: there is no network link yet
  bool at_most = false;  // taken as long messages are under way; not in sums
};

// Of a job; a rank talks to `near` ranks of its node and `far` others.
std::vector<MemoryPart> memory_of_rank(int ranks, int ranks_per_node, int near, int far);

}  // namespace baton::cluster
