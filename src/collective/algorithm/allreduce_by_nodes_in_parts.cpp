// Allreduce of long vectors between nodes, by all ranks of a node at the same time: each combines
// one part of its node's vectors, then combines with the ranks of its number on the other nodes,
// and the node exchanges the parts.
#include "collective/by_nodes.hpp"
#include "collective/functions.hpp"

namespace baton::collective {

Task allreduce_by_nodes_in_parts(Run& run) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  void* total = call.in.buffer;
  const world::NodeParts* parts = node_parts(run);
  if (!parts) co_return;
  const int ranks = parts->node->size();
  if (vector.count % ranks != 0) {
    co_await allreduce_by_nodes(run);
    co_return;
  }
  const Vector part = vector.part(vector.count / ranks);
  void* own = part.at(total, part.count * parts->node->rank());
  Step divide, across, collect;
  // If the two buffers differ, all of the vector is read before the part's place is written.
  void* sum = own;
  if (call.contribution() == total && !(sum = run.scratch(part.count, *part.type))) co_return;
  begin(run, divide,
        step_of(Kind::reduce_scatter, *parts->node, 0, part, call.contribution(), sum));
  begin(run, across, step_of(Kind::allreduce, *parts->column, 0, part, sum, sum));
  Call exchange = step_of(Kind::allgather, *parts->node);
  exchange.in = {.buffer = total, .type = part.type, .uniform = part.count};
  exchange.out = exchange.in;
  exchange.out.buffer = sum == own ? MPI_IN_PLACE : sum;
  begin(run, collect, exchange);
  co_await finish(run, divide);
  co_await finish(run, across);
  co_await finish(run, collect);
}

}  // namespace baton::collective
