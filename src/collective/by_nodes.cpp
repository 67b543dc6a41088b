#include "collective/by_nodes.hpp"

#include "collective/select.hpp"
#include "message/core/loss.hpp"
#include "world/node_layout.hpp"

namespace baton::collective {

void begin(Run& run, Step& step, const Call& call) {
  step.call = call;
  const bool rooms = !run.call.persistent;  // persistent calls start in any order
  run.enter_step(step.call, step.whole);
  step.task = select_step(run, step.call, rooms);
  run.leave_step(step.whole);
}

Task finish(Run& run, Step& step) {
  if (!step.task.handle()) co_return;
  run.enter_step(step.call, step.whole);
  co_await step.task;
  run.leave_step(step.whole);
  // Another rank of this node may have found a peer lost, and have gone on all the same; its error
  // is noted here, too. (It does not where the job goes on.)
  if (!run.error() && !transport::job().continues)
    run.note(message::loss_found_here(run.program_call().comm->collective));
}

const world::NodeParts* node_parts(Run& run) {
  const world::NodeParts* parts = world::node_parts(*run.call.comm);
  if (!parts) run.note(MPI_ERR_NO_MEM);
  return parts;
}

bool find_blocks(Run& run, const world::NodeParts& parts, const Delegates& delegates,
                 const Blocks& all, const Blocks& mine, Blocks& blocks) {
  const int width = parts.node->size();
  if (run.call.comm->rank() == run.call.root) {
    blocks = all;
    blocks.buffer = all.place(parts.own_node * width);
    return true;
  }
  if (!delegates.is_own) return true;
  blocks.uniform = mine.bytes(0);
  blocks.type = datatype::datatypes.find(MPI_BYTE);
  blocks.buffer = run.take(static_cast<std::size_t>(width * blocks.uniform));
  return blocks.buffer != nullptr;
}

bool find_delegates(Run& run, const world::NodeParts& parts, int root, Delegates& delegates) {
  const auto nodes = static_cast<std::size_t>(parts.nodes);
  auto* processes = static_cast<Process*>(run.take(nodes * sizeof(Process)));
  if (!processes) return false;
  const Communicator& comm = *run.call.comm;
  for (int node = 0; node < parts.nodes; ++node) processes[node] = parts.first_of[node];
  delegates.root_node = parts.node_of[root];
  processes[delegates.root_node] = comm.collective.process(root);
  delegates.number = delegates.root_node == parts.own_node ? parts.number_of[root] : 0;
  delegates.is_own = parts.number_of[comm.rank()] == delegates.number;
  delegates.context = parts.column->collective;
  delegates.context.rank = parts.own_node;
  delegates.context.size = parts.nodes;
  delegates.context.processes = processes;
  return true;
}

}  // namespace baton::collective
