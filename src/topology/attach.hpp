// All calls that make a communicator with a topology end here. This also finds where its ranks are.
#pragma once

#include "topology/place_tree.hpp"
#include "world/communicator.hpp"

namespace baton::topology {

Error no_memory();

// Makes the communicator of all processes that have a new rank (MPI_UNDEFINED: none), with this
// topology, which it takes over.
Error attach(Communicator& parent, int new_rank, Topology& topology, Communicator** made);

// Finds the places of the first `count` ranks of a communicator. False when memory is short.
bool find_places(const Communicator& comm, int count, PlaceTree& tree);

}  // namespace baton::topology
