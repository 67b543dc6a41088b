// Broadcast between nodes: the data goes along a tree of one rank of each node, then within the
// nodes.
#include "collective/algorithm/broadcast_binomial.hpp"
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task broadcast_by_nodes(Run& run) {
  const Call& call = run.call;
  const world::NodeParts* parts = node_parts(run);
  Delegates delegates;
  if (!parts || !find_delegates(run, *parts, call.root, delegates)) co_return;
  Call inside = step_of(Kind::broadcast, *parts->node, delegates.number);
  inside.in = call.in;
  inside.uneven = call.uneven;
  Step within;
  begin(run, within, inside);
  if (delegates.is_own)
    co_await broadcast_on_tree(run, delegates.context, call.in.buffer, call.in.uniform,
                               *call.in.type, delegates.root_node);
  co_await finish(run, within);
}

}  // namespace baton::collective
