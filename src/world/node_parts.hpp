// The ranks of a communicator by their nodes: what collectives between nodes go by in steps. Made
// by world/node_layout.hpp; their communicator owns them. Data only. Invariant: every rank knows
// where all ranks are, so that all work out the same.
#pragma once

#include <cstdint>

#include "base/identity.hpp"

namespace baton::world {

class Communicator;

struct NodeParts {
  Communicator* node = nullptr;    // this rank's
  Communicator* column = nullptr;  // the ranks that have its number on their nodes
  int nodes = 0;                   // in the order of their first ranks
  int own_node = 0;
  std::int32_t* node_of = nullptr;    // by rank
  std::int32_t* number_of = nullptr;  // by rank: its place among those of its node
  Process* first_of = nullptr;        // by node: its rank of number 0
};

}  // namespace baton::world
