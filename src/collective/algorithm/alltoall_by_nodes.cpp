// Alltoall between nodes: ranks of a node first give each other the blocks for the other's column,
// which is the ranks of its number on all nodes; then columns exchange. Each rank has a partner on
// each node, instead of all its ranks, and all ranks share the network's part.
#include <cstring>

#include "collective/by_nodes.hpp"
#include "datatype/pack.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

Task alltoall_by_nodes(Run& run) {
  const Call& call = run.call;
  const world::NodeParts* parts = node_parts(run);
  if (!parts) co_return;
  const Blocks& given = call.out.in_place() ? call.in : call.out;
  const int width = parts->node->size(), nodes = parts->nodes;
  const std::int64_t bytes = given.bytes(0);
  const auto all_bytes = static_cast<std::size_t>(width * nodes * bytes);
  auto* going = static_cast<char*>(run.take(all_bytes));
  auto* coming = static_cast<char*>(run.take(all_bytes));
  if (!going || !coming) co_return;
  Datatype* const packed = datatype::datatypes.find(MPI_BYTE);
  Call within = step_of(Kind::alltoall, *parts->node);
  within.out = {.buffer = going, .type = packed, .uniform = nodes * bytes};
  within.in = {.buffer = coming, .type = packed, .uniform = nodes * bytes};
  Call between = step_of(Kind::alltoall, *parts->column);
  between.out = {.buffer = going, .type = packed, .uniform = width * bytes};
  between.in = call.in;
  between.in.uniform *= width;
  Step exchange, spread;
  begin(run, exchange, within);
  begin(run, spread, between);
  // For each rank of this node, the blocks for its column are stored node by node.
  for (int number = 0; number < width; ++number)
    for (int node = 0; node < nodes; ++node)
      datatype::pack(*given.type, given.place(node * width + number), 0,
                     going + (number * nodes + node) * bytes, bytes, run.is_host());
  co_await finish(run, exchange);
  for (int node = 0; node < nodes; ++node)
    for (int number = 0; number < width; ++number)
      platform::copy_run(going + (node * width + number) * bytes,
                         coming + (number * nodes + node) * bytes, static_cast<std::size_t>(bytes));
  co_await finish(run, spread);
}

}  // namespace baton::collective
