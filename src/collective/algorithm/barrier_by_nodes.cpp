// Barrier between nodes: each node's first rank waits for the others of its node, meets the first
// ranks of the other nodes, and lets its node go.
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task barrier_by_nodes(Run& run) {
  const world::NodeParts* parts = node_parts(run);
  if (!parts) co_return;
  // The word is not read by anybody.
  const Vector word{1, datatype::datatypes.find(MPI_INT64_T), datatype::operations.find(MPI_BOR)};
  auto* given = static_cast<std::int64_t*>(run.take(2 * sizeof(std::int64_t)));
  if (!given) co_return;
  given[0] = given[1] = 0;
  Step gather, meet, release;
  begin(run, gather, step_of(Kind::reduce, *parts->node, 0, word, &given[0], &given[1]));
  const bool is_first = parts->node->rank() == 0;
  if (is_first) begin(run, meet, step_of(Kind::barrier, *parts->column));
  begin(run, release, step_of(Kind::broadcast, *parts->node, 0, word, &given[0], &given[0]));
  co_await finish(run, gather);
  if (is_first) co_await finish(run, meet);
  co_await finish(run, release);
}

}  // namespace baton::collective
