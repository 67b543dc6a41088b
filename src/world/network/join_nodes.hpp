// Start-up of the ranks of several nodes where each node has an mpiexec of its own, which another
// launcher has started (launch/hosts/node_job.hpp): the ranks of a node have their memory from that
// mpiexec, and the first rank of each node exchanges the data of its node's ranks with the first
// ranks of the other nodes, over the launcher's process manager.
#pragma once

#include "base/identity.hpp"
#include "world/wire_up/process_manager.hpp"

namespace baton::world {

// Returns whether mpiexec has left the launcher's connection to this rank: it is the first of its
// node.
bool is_handed_connection();

// Returns this rank's number on its node, from the variables that mpiexec has set.
LocalRank local_rank_of_variables();

// Makes this rank known to the others and the others to it. `manager` is null on all ranks but a
// node's first. It is called after attaching. Errors, explained: other versions or settings
// elsewhere, no network.
[[nodiscard]] Error join_nodes(ProcessManager* manager);

}  // namespace baton::world
