// How nodes divide the ranks of a communicator, and its parts by that (world/node_parts.hpp). Asked
// where collectives choose their algorithms, and by those that go by nodes.
#pragma once

#include "world/communicator.hpp"
#include "world/node_parts.hpp"

namespace baton::world {

struct NodeLayout {
  bool several = false;  // not all ranks are on one node
  bool shared = false;   // and some of them share one
  bool regular = false;  // each node has as many ranks, and they follow one another
  bool operator==(const NodeLayout&) const = default;
};
NodeLayout node_layout(const Communicator& communicator);

// Those of a communicator of one group, made by the first that asks. Null, explained, without
// memory.
const NodeParts* node_parts(Communicator& communicator);

}  // namespace baton::world
