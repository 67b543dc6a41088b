#include "world/node_layout.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"

namespace baton::world {

namespace {

std::int32_t node_of(const Communicator& communicator, int rank) {
  return message::place_of(communicator.collective.process(rank)).node;
}

// Numbers the nodes in the order of their first ranks, and each node's ranks.
bool number(const Communicator& communicator, NodeParts& parts) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto all_nodes = static_cast<std::size_t>(transport::job().world.nodes);
  parts.node_of = static_cast<std::int32_t*>(std::calloc(ranks, sizeof(std::int32_t)));
  parts.number_of = static_cast<std::int32_t*>(std::calloc(ranks, sizeof(std::int32_t)));
  parts.first_of = static_cast<Process*>(std::calloc(ranks, sizeof(Process)));
  // For each of the job's nodes: its number here plus 1, and its ranks so far.
  struct Seen {
    std::int32_t node, ranks;
  };
  auto* seen = static_cast<Seen*>(std::calloc(all_nodes, sizeof(Seen)));
  const bool good = parts.node_of && parts.number_of && parts.first_of && seen;
  for (int rank = 0; good && rank < communicator.size(); ++rank) {
    Seen& one = seen[node_of(communicator, rank)];
    if (one.node == 0) {
      parts.first_of[parts.nodes] = communicator.collective.process(rank);
      one.node = ++parts.nodes;
    }
    parts.node_of[rank] = one.node - 1;
    parts.number_of[rank] = one.ranks++;
  }
  std::free(seen);
  return good;
}

// Returns whether any two ranks are on one node.
bool shares_a_node(const Communicator& communicator) {
  for (int rank = 1; rank < communicator.size(); ++rank)
    for (int other = 0; other < rank; ++other)
      if (node_of(communicator, rank) == node_of(communicator, other)) return true;
  return false;
}

template <class Belongs>
Group* group_of(const Communicator& communicator, Belongs&& belongs) {
  std::int32_t size = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) size += belongs(rank);
  Group* group = new_group(size);
  if (!group) return nullptr;
  std::int32_t next = 0;
  for (int rank = 0; rank < communicator.size(); ++rank)
    if (belongs(rank)) group->processes[next++] = communicator.collective.process(rank);
  finish_group(*group);
  return group;
}

bool fill(Communicator& communicator, NodeParts& parts) {
  if (!number(communicator, parts)) return false;
  const int own = communicator.rank();
  parts.own_node = parts.node_of[own];
  Group* node =
      group_of(communicator, [&](int rank) { return parts.node_of[rank] == parts.own_node; });
  if (!node || make_part(communicator, message::Plane::node, node, &parts.node)) return false;
  Group* column = group_of(communicator,
                           [&](int rank) { return parts.number_of[rank] == parts.number_of[own]; });
  return column &&
         make_part(communicator, message::Plane::column, column, &parts.column) == MPI_SUCCESS;
}

}  // namespace

NodeLayout node_layout(const Communicator& communicator) {
  NodeLayout layout;
  // Ranks of several jobs, which have no numbers of nodes in common, see one node.
  if (communicator.spans_jobs()) return layout;
  const int size = communicator.size();
  const auto node = [&communicator](int rank) { return node_of(communicator, rank); };
  int width = 1;  // of the first node, as far as its ranks are consecutive
  while (width < size && node(width) == node(0)) ++width;
  layout.several = width < size;
  if (!layout.several) return layout;
  layout.regular = size % width == 0;
  for (int rank = width; rank < size && layout.regular; ++rank) {
    if (rank % width != 0) {
      layout.regular = node(rank) == node(rank - 1);
      continue;
    }
    for (int other = 0; other < rank; other += width)
      layout.regular = layout.regular && node(rank) != node(other);
  }
  layout.shared = layout.regular ? width > 1 : shares_a_node(communicator);
  return layout;
}

const NodeParts* node_parts(Communicator& communicator) {
  std::atomic_ref parts(communicator.node_parts);
  // ORDER world.node_parts: acquire here, release below; what it points to is complete.
  if (const NodeParts* made = parts.load(std::memory_order_acquire)) return made;
  platform::Guard guard(communicator.node_parts_lock);
  NodeParts* made = parts.load(std::memory_order_relaxed);  // relaxed: under the lock
  if (made) return made;
  made = new (std::nothrow) NodeParts;
  if (!made || !fill(communicator, *made)) {
    if (made) free_node_parts(*made);
    (void)fail(MPI_ERR_NO_MEM, "no memory for the nodes of a communicator's ranks");
    return nullptr;
  }
  // ORDER world.node_parts: release here, acquire above.
  parts.store(made, std::memory_order_release);
  return made;
}

}  // namespace baton::world
