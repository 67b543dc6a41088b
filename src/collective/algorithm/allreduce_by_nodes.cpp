// Allreduce between nodes: each node's first rank combines its node's vectors, then combines with
// the first ranks of the other nodes, and sends its node the result.
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task allreduce_by_nodes(Run& run) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  void* total = call.in.buffer;
  const world::NodeParts* parts = node_parts(run);
  if (!parts) co_return;
  const bool is_first = parts->node->rank() == 0;
  Step up, across, down;
  begin(run, up, step_of(Kind::reduce, *parts->node, 0, vector, call.contribution(), total));
  if (is_first)
    begin(run, across, step_of(Kind::allreduce, *parts->column, 0, vector, total, total));
  begin(run, down, step_of(Kind::broadcast, *parts->node, 0, vector, total, total));
  co_await finish(run, up);
  if (is_first) co_await finish(run, across);
  co_await finish(run, down);
}

}  // namespace baton::collective
