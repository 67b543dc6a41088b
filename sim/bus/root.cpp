#include "sim/bus/root.hpp"

#include <algorithm>

namespace baton::bus {

Root::Root(const sc_core::sc_module_name& name, int index, Running& running)
    : sc_core::sc_module(name), fabric("fabric"), nodes("nodes"), index_(index), running_(running) {
  SC_THREAD(run);
}

void Root::run() {
  while (true) {
    wait(begin_);
    rank_ = running_.given->roots[static_cast<std::size_t>(index_)];
    serve_all();
    done_ = true;
    running_.outcome->cycles = std::max(running_.outcome->cycles, running_.now());
  }
}

void Root::serve_all() {
  const Case& given = *running_.given;
  pending_.clear();
  for (int node = 0; node < given.nodes; ++node)
    if (node != rank_) pending_.push_back(node);
  if (given.order == Order::rank) {
    if (given.start == Start::all)
      for (int node : pending_) wait_for(node);
    for (int node : pending_) serve(node);
    return;
  }
  if (!given.read_again) {
    read_status();
    for (const Choice& choice : serve_order(given.order, status_)) serve(choice.node);
    return;
  }
  while (!pending_.empty()) {
    read_status();
    int node = choose_next(given.order, status_).node;
    std::erase(pending_, node);
    serve(node);
  }
}

/// Of all nodes that are still to be served, as they are told when the reading ends.
void Root::read_status() {
  const Overhead& overhead = running_.given->overhead;
  Cycles cycles = overhead.look_up;
  if (overhead.look_up_counts == LookUp::per_node) cycles *= pending_.size();
  if (cycles > 0) wait(running_.span(cycles));
  running_.outcome->look_up += cycles;
  status_.clear();
  for (int node : pending_) status_.push_back(nodes[node]->status());
}

/// False when patience ended before the node became idle. The bus is free meanwhile.
bool Root::wait_for(int node) {
  Cycles began = running_.now(), patience = running_.given->patience;
  while (!nodes[node]->idle() && running_.now() < patience)
    wait(running_.span(patience - running_.now()), nodes[node]->became_idle());
  running_.outcome->waited += running_.now() - began;
  return nodes[node]->idle();
}

void Root::serve(int node) {
  Transfer transfer{.root = rank_, .node = node, .turned = running_.now()};
  transfer.forced = !wait_for(node);
  if (transfer.forced && nodes[node]->refuses()) {
    running_.outcome->undelivered.push_back({rank_, node});
    return;
  }
  transfer.bytes = running_.given->blocks[static_cast<std::size_t>(node)];
  transfer.asked = running_.now();
  bool is_gather = running_.given->operation == Operation::gather;
  if (is_gather)
    fabric->move({.root_index = index_, .from = rank_, .to = node, .is_request = true});
  Phases phases = fabric->move({.root_index = index_,
                                .from = is_gather ? node : rank_,
                                .to = is_gather ? rank_ : node,
                                .bytes = transfer.bytes});
  transfer.granted = phases.granted;
  transfer.data = phases.data;
  transfer.ended = phases.ended;
  nodes[node]->count_block(index_);
  running_.outcome->transfers.push_back(transfer);
}

}  // namespace baton::bus
