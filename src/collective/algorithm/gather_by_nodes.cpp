// Gather between nodes: one rank of each node collects its node's blocks, and gives the root all of
// them.
#include "collective/by_nodes.hpp"

namespace baton::collective {

namespace {

// Receives at the root the blocks of the other nodes, in the order in which they come.
Task take_from_nodes(Run& run, const Delegates& delegates, const Blocks& by_node) {
  const int nodes = delegates.context.size;
  const auto** heard = static_cast<const message::Request**>(
      run.take(static_cast<std::size_t>(nodes) * sizeof(message::Request*)));
  if (!heard) co_return;
  for (int node = 0; node < nodes; ++node)
    if (node != delegates.root_node)
      heard[node] =
          run.receive(delegates.context, by_node.place(node), by_node.uniform, *by_node.type, node);
  co_await run.all();
  const std::int64_t expected = by_node.bytes(0);
  for (int node = 0; node < nodes && !run.error(); ++node)
    if (node != delegates.root_node && heard[node] && heard[node]->bytes != expected)
      run.refuse_length(node, heard[node]->bytes, expected);
}

}  // namespace

Task gather_by_nodes(Run& run) {
  const Call& call = run.call;
  const world::NodeParts* parts = node_parts(run);
  Delegates delegates;
  if (!parts || !find_delegates(run, *parts, call.root, delegates)) co_return;
  const int width = parts->node->size();
  const bool is_root = call.comm->rank() == call.root;
  Blocks blocks;
  if (!find_blocks(run, *parts, delegates, call.in, call.out, blocks)) co_return;
  Call collecting = step_of(Kind::gather, *parts->node, delegates.number);
  collecting.out = call.out;
  collecting.in = blocks;
  Step collect;
  begin(run, collect, collecting);
  co_await finish(run, collect);
  if (is_root) {
    Blocks by_node = call.in;
    by_node.uniform *= width;
    co_await take_from_nodes(run, delegates, by_node);
  } else if (delegates.is_own) {
    run.send(delegates.context, blocks.buffer, blocks.uniform * width, *blocks.type,
             delegates.root_node);
    co_await run.all();
  }
}

}  // namespace baton::collective
