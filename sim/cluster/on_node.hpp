// What the ranks of a node do among themselves, as a step of a collective between nodes: by what
// the library's selection takes for so many ranks of one node.
// The model of what goes through shared memory: what one rank shows, another one sees a node's
// latency later, and needs a node's overhead for each line that it reads. In a room each copies
// what it gives into the room first; by direct copies nobody does, and there is a round at the end
// in which all say that they have read. Copying and adding up take a core's time, and those who do
// it at the same time share the node's memory. How a machine divides its cores is left out.
#pragma once

#include "sim/cluster/schedule.hpp"
#include "sim/cluster/selection.hpp"

namespace baton::cluster {

// Root is the node's first rank; bytes as in SelectionRow. `content` is what is moved whole. Throws
// std::runtime_error for an algorithm by messages that has no schedule.
Schedule on_node(CollectiveKind kind, int ranks, std::int64_t bytes, Content content);

}  // namespace baton::cluster
