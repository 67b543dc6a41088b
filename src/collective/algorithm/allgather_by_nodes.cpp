// Allgather between nodes: each node's first rank collects its node's blocks, exchanges them with
// those of the other nodes, and hands all of them out.
#include "collective/by_nodes.hpp"

namespace baton::collective {

Task allgather_by_nodes(Run& run) {
  const Call& call = run.call;
  const world::NodeParts* parts = node_parts(run);
  if (!parts) co_return;
  const int width = parts->node->size();
  const bool is_first = parts->node->rank() == 0;
  const Blocks& all = call.in;
  Call collecting = step_of(Kind::gather, *parts->node);
  collecting.in = all;
  collecting.in.buffer = all.place(parts->own_node * width);
  collecting.out = call.out;
  if (call.out.in_place()) {
    // The first rank has space for the blocks that the others of its node have in place.
    collecting.out = all;
    collecting.out.buffer = is_first ? MPI_IN_PLACE : all.place(call.comm->rank());
  }
  Call exchanging = step_of(Kind::allgather, *parts->column);
  exchanging.in = all;
  exchanging.in.uniform = all.uniform * width;
  exchanging.out = exchanging.in;
  exchanging.out.buffer = MPI_IN_PLACE;
  Call handing_out = step_of(Kind::broadcast, *parts->node);
  handing_out.in = all;
  handing_out.in.uniform = all.uniform * call.comm->size();
  Step collect, exchange, hand_out;
  begin(run, collect, collecting);
  if (is_first) begin(run, exchange, exchanging);
  begin(run, hand_out, handing_out);
  co_await finish(run, collect);
  if (is_first) co_await finish(run, exchange);
  co_await finish(run, hand_out);
}

}  // namespace baton::collective
