// Reduce between nodes: vectors are reduced within the nodes to one rank of each, then along a tree
// of these.
#include "collective/algorithm/reduce_binomial.hpp"
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task reduce_by_nodes(Run& run) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const world::NodeParts* parts = node_parts(run);
  Delegates delegates;
  if (!parts || !find_delegates(run, *parts, call.root, delegates)) co_return;
  const bool is_root = call.comm->rank() == call.root;
  void* sum = call.in.buffer;  // of this node
  if (delegates.is_own && !is_root && !(sum = run.scratch(vector.count, *vector.type))) co_return;
  Step within;
  begin(run, within,
        step_of(Kind::reduce, *parts->node, delegates.number, vector, call.contribution(), sum));
  co_await finish(run, within);
  if (delegates.is_own)
    co_await reduce_on_tree(run, delegates.context, vector, sum, call.in.buffer,
                            delegates.root_node);
}

}  // namespace baton::collective
