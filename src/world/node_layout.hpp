// This finds how nodes divide the ranks of a communicator, and the parts that result
// (world/node_parts.hpp). It is used where collectives choose their algorithms, and by collectives
// that go in steps by nodes.
#pragma once

#include "world/communicator.hpp"
#include "world/node_parts.hpp"

namespace baton::world {

struct NodeLayout {
  bool several = false;  // not all ranks are on one node
  bool shared = false;   // and some of them share one
  bool regular = false;  // each node has the same number of ranks, and they are consecutive
  bool operator==(const NodeLayout&) const = default;
};
NodeLayout node_layout(const Communicator& communicator);

// Returns the parts of a communicator of one group, made by the first call. Null, explained,
// without memory.
const NodeParts* node_parts(Communicator& communicator);

}  // namespace baton::world
