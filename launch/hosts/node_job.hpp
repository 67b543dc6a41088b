// A job over several nodes has an mpiexec on each: another launcher has started them, one a node
// (hand_over.hpp), and told each by --on-node how many ranks all have. Each does for its ranks what
// mpiexec does on one node; the ranks find the other nodes' ranks through that launcher, whose
// connection the first rank of a node inherits (src/world/network/join_nodes.hpp).
#pragma once

#include <expected>
#include <string>

#include "launch/options/options.hpp"

namespace baton::launch {

// Finds, by the launcher's variables, this process's place in "NAME:RANKS,NAME:RANKS" or, without
// names, "RANKS,RANKS". The error says what is missing.
std::expected<NodeJob, std::string> find_node(const std::string& told);

// Tells the launcher that the job is to end on all nodes, where it would not do that by itself for
// a process that has failed: Hydra does so only once MPI has begun there. It is called before this
// process ends.
void tell_launcher_of_failure(int code);

}  // namespace baton::launch
