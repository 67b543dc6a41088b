// Scatter between nodes: the root sends one rank of each node all of its node's blocks, and that
// rank hands them out.
#include "collective/algorithm/scatter_linear.hpp"
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task scatter_by_nodes(Run& run) {
  const Call& call = run.call;
  const world::NodeParts* parts = node_parts(run);
  Delegates delegates;
  if (!parts || !find_delegates(run, *parts, call.root, delegates)) co_return;
  const int width = parts->node->size();
  const bool is_root = call.comm->rank() == call.root;
  Blocks blocks;
  if (!find_blocks(run, *parts, delegates, call.out, call.in, blocks)) co_return;
  Call handing_out = step_of(Kind::scatter, *parts->node, delegates.number);
  handing_out.out = blocks;
  handing_out.in = call.in;
  Step hand_out;
  begin(run, hand_out, handing_out);
  if (delegates.is_own) {
    Blocks by_node = call.out, own = blocks;
    by_node.uniform *= width;
    own.uniform *= width;
    if (is_root) own.buffer = MPI_IN_PLACE;
    co_await scatter_from_root(run, delegates.context, by_node, own, delegates.root_node);
  }
  co_await finish(run, hand_out);
}

}  // namespace baton::collective
