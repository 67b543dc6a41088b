#include "sim/bus/fabric.hpp"

#include <algorithm>

#include "sim/bus/status.hpp"

namespace baton::bus {

Fabric::Fabric(const sc_core::sc_module_name& name, int roots_max, Running& running)
    : sc_core::sc_module(name), running_(running), requests_(static_cast<std::size_t>(roots_max)) {
  for (int root = 0; root < roots_max; ++root) granted_.emplace_back();
  SC_METHOD(arbitrate);
  sensitive << look_;
  dont_initialize();
}

void Fabric::load() {
  const Case& given = *running_.given;
  auto links = static_cast<std::size_t>(link_count(given.topology, given.nodes));
  held_.assign(links, false);
  free_from_.assign(links, 0);
  for (Request& request : requests_) request.waits = false;
  turn_ = 0;
  look_.cancel();
  if (given.topology != Topology::bus) hold_for_earlier_transfers();
}

void Fabric::hold_for_earlier_transfers() {
  const Case& given = *running_.given;
  for (int node = 0; node < given.nodes; ++node) {
    const Channel& channel = given.channels[static_cast<std::size_t>(node)];
    if (channel.left == 0 || channel.peer < 0 || channel.peer == node) continue;
    if (channel.condition != Condition::sound) continue;
    for (int link : route(given.topology, given.nodes, channel.peer, node).links) {
      Cycles& from = free_from_[static_cast<std::size_t>(link)];
      from = std::max(from, idle_from(channel));
    }
  }
}

/// Can the route be taken now? If only earlier transfers are in the way, `free_from` is when they
/// end.
bool Fabric::is_free(const Route& path, Cycles& free_from) const {
  free_from = 0;
  for (int link : path.links) {
    if (held_[static_cast<std::size_t>(link)]) return false;
    free_from = std::max(free_from, free_from_[static_cast<std::size_t>(link)]);
  }
  return free_from <= running_.now();
}

void Fabric::arbitrate() {
  std::size_t first = turn_, count = running_.given->roots.size();
  for (std::size_t step = 0; step < count; ++step) {
    std::size_t root = (first + step) % count;
    Request& request = requests_[root];
    if (!request.waits) continue;
    Cycles free_from = 0;
    if (!is_free(request.path, free_from)) {
      // A later look_ never replaces an earlier one, so all that wait are looked at in time.
      if (free_from > running_.now()) look_.notify(running_.span(free_from - running_.now()));
      continue;
    }
    for (int link : request.path.links) held_[static_cast<std::size_t>(link)] = true;
    request.waits = false;
    turn_ = (root + 1) % count;
    granted_[root].notify();
  }
}

Phases Fabric::move(const Move& wanted) {
  const Overhead& overhead = running_.given->overhead;
  auto root = static_cast<std::size_t>(wanted.root_index);
  Request& request = requests_[root];
  request.path = route(running_.given->topology, running_.given->nodes, wanted.from, wanted.to);
  request.waits = true;
  look_.notify(sc_core::SC_ZERO_TIME);
  sc_core::wait(granted_[root]);

  Cycles crossing = static_cast<Cycles>(request.path.hops) * running_.given->hop;
  Phases phases;
  phases.granted = running_.now() + overhead.arbitration;
  phases.data = phases.granted + overhead.header + crossing;
  phases.ended =
      phases.data + data_cycles(wanted.bytes) + (wanted.is_request ? 0 : overhead.hand_shake);
  Cycles holds = phases.ended - running_.now();
  if (holds > 0) sc_core::wait(running_.span(holds));
  for (int link : request.path.links) held_[static_cast<std::size_t>(link)] = false;
  running_.outcome->busy_cycles += holds;
  look_.notify(sc_core::SC_ZERO_TIME);
  return phases;
}

}  // namespace baton::bus
