// The ranks of a communicator by their nodes: what collectives between nodes go by in steps.
// Invariant: every rank knows where all ranks are, so that all work out the same.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"

namespace baton::world {

class Communicator;

// How nodes divide the ranks of a communicator.
struct NodeLayout {
  bool several = false;  // not all ranks are on one node
  bool shared = false;   // and some of them share one
  bool regular = false;  // each node has as many ranks, and they follow one another
  bool operator==(const NodeLayout&) const = default;
};
NodeLayout node_layout(const Communicator& communicator);

struct NodeParts {
  Communicator* node = nullptr;    // this rank's
  Communicator* column = nullptr;  // the ranks that have its number on their nodes
  int nodes = 0;                   // in the order of their first ranks
  int own_node = 0;
  std::int32_t* node_of = nullptr;    // by rank
  std::int32_t* number_of = nullptr;  // by rank: its place among those of its node
  Process* first_of = nullptr;        // by node: its rank of number 0
};

// Those of a communicator of one group, made by the first that asks. Null, explained, without
// memory.
const NodeParts* node_parts(Communicator& communicator);

// Their end: nobody comes back to their rooms; and their memory.
void leave_node_parts(NodeParts& parts);
void free_node_parts(NodeParts& parts);

}  // namespace baton::world
