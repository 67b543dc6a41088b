// These are the ranks of a communicator by their nodes, for collectives between nodes that go in
// steps within a node and between nodes. world/node_layout.hpp makes them; their communicator owns
// them. They are plain data. Invariant: every rank knows where all ranks are, so that all compute
// the same parts.
#pragma once

#include <cstdint>

#include "base/identity.hpp"

namespace baton::world {

class Communicator;

struct NodeParts {
  Communicator* node = nullptr;    // of this rank's node
  Communicator* column = nullptr;  // the ranks that have this rank's number on their nodes
  int nodes = 0;                   // numbered in the order of their first ranks
  int own_node = 0;
  std::int32_t* node_of = nullptr;    // by rank
  std::int32_t* number_of = nullptr;  // by rank: its number among those of its node
  Process* first_of = nullptr;        // by node: its rank of number 0
};

}  // namespace baton::world
