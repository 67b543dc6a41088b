// How the ranks of several nodes find each other where each node has an mpiexec of its own, which
// another launcher has started (launch/hosts/node_job.hpp): the ranks of a node have their memory
// from that mpiexec, and the first of them exchanges what the node's ranks tell with the first ones
// of the other nodes, over the launcher's process manager.
#pragma once

#include "base/identity.hpp"
#include "world/wire_up/process_manager.hpp"

namespace baton::world {

// Whether mpiexec has left the launcher's connection to this rank: the first of its node.
bool is_handed_connection();

// This rank's number on its node, from the variables that mpiexec has set.
LocalRank local_rank_of_variables();

// Makes this rank known to the others and the others to it. `manager`: null on all but a node's
// first rank. After attaching; errors, explained: other versions or settings elsewhere, no network.
[[nodiscard]] Error join_nodes(ProcessManager* manager);

}  // namespace baton::world
