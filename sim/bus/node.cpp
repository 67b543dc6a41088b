#include "sim/bus/node.hpp"

#include "sim/bus/status.hpp"

namespace baton::bus {

Node::Node(const sc_core::sc_module_name& name, int rank, const Running& running)
    : sc_core::sc_module(name), rank_(rank), running_(running) {
  SC_METHOD(end_earlier_transfer);
  sensitive << earlier_ended_;
  dont_initialize();
}

void Node::load() {
  const Channel& channel = running_.given->channels[static_cast<std::size_t>(rank_)];
  blocks_.assign(running_.given->roots.size(), 0);
  earlier_ended_.cancel();
  idle_ = channel.condition == Condition::sound && channel.left == 0;
  if (!idle_ && channel.condition == Condition::sound)
    earlier_ended_.notify(running_.span(idle_from(channel)));
}

void Node::end_earlier_transfer() {
  idle_ = true;
  became_idle_.notify();
}

StatusEntry Node::status() const {
  static constexpr Flaw none;
  auto at = static_cast<std::size_t>(rank_);
  const Case& given = *running_.given;
  const Flaw& flaw = given.flaws.empty() ? none : given.flaws[at];
  return coarse(told(rank_, given.channels[at], flaw, running_.now()), given.detail);
}

bool Node::refuses() const {
  return running_.given->channels[static_cast<std::size_t>(rank_)].condition == Condition::dead;
}

}  // namespace baton::bus
