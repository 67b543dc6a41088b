#include "sim/bus/report.hpp"

#include "sim/bus/status.hpp"

namespace baton::bus {

namespace {

double as_double(Cycles cycles) {
  return static_cast<double>(cycles);
}

const char* phase_at(const Case& given, const Transfer& transfer, Cycles cycle) {
  if (cycle < transfer.asked) return "wait";
  if (cycle < transfer.granted)
    return given.operation == Operation::gather ? "request" : "arbitration";
  if (cycle < transfer.data) return "header";
  if (cycle < transfer.data + data_cycles(transfer.bytes)) return "data";
  return "hand-shake";
}

}  // namespace

double gain(Cycles old_cycles, Cycles new_cycles) {
  return new_cycles == 0 ? 0 : as_double(old_cycles) / as_double(new_cycles) - 1;
}

double saved_share(Cycles old_cycles, Cycles new_cycles) {
  return old_cycles == 0 ? 0 : 1 - as_double(new_cycles) / as_double(old_cycles);
}

Json describe(const Overhead& overhead) {
  return {{"arbitration", overhead.arbitration},
          {"header", overhead.header},
          {"look_up", overhead.look_up},
          {"look_up_counts", overhead.look_up_counts},
          {"hand_shake", overhead.hand_shake}};
}

Json describe(const Case& given) {
  Json busy = Json::array(), flawed = Json::array();
  for (std::size_t node = 0; node < given.channels.size(); ++node) {
    const Channel& channel = given.channels[node];
    if (channel.condition != Condition::sound)
      busy.push_back({{"node", node}, {"condition", channel.condition}});
    else if (channel.left > 0)
      busy.push_back({{"node", node},
                      {"left", channel.left},
                      {"earlier", channel.earlier},
                      {"peer", channel.peer}});
  }
  for (std::size_t node = 0; node < given.flaws.size(); ++node)
    if (const Flaw& flaw = given.flaws[node]; flaw.wrong || flaw.age > 0)
      flawed.push_back({{"node", node}, {"wrong", flaw.wrong}, {"age", flaw.age}});
  return {{"nodes", given.nodes},
          {"roots", given.roots},
          {"operation", given.operation},
          {"topology", given.topology},
          {"hop", given.hop},
          {"start", given.start},
          {"detail", given.detail},
          {"read_again", given.read_again},
          {"overhead", describe(given.overhead)},
          {"patience", given.patience},
          {"blocks", given.blocks},
          {"busy", busy},
          {"flawed", flawed}};
}

Json describe(const Outcome& outcome) {
  Json order = Json::array(), forced = Json::array(), undelivered = Json::array();
  for (const Transfer& transfer : outcome.transfers) {
    order.push_back(transfer.node);
    if (transfer.forced) forced.push_back(transfer.node);
  }
  for (const Undelivered& one : outcome.undelivered)
    undelivered.push_back({{"root", one.root}, {"node", one.node}});
  return {{"cycles", outcome.cycles},
          {"waited", outcome.waited},
          {"look_up", outcome.look_up},
          {"busy_cycles", outcome.busy_cycles},
          {"order", order},
          {"forced", forced},
          {"undelivered", undelivered}};
}

Json timeline(const Case& given, const Outcome& outcome) {
  Json channels = Json::array(), cycles = Json::array();
  for (std::size_t node = 0; node < given.channels.size(); ++node) {
    const Channel& channel = given.channels[node];
    if (channel.condition == Condition::sound && channel.left > 0)
      channels.push_back(
          {{"node", node}, {"left", channel.left}, {"idle_from", idle_from(channel)}});
  }
  std::size_t at = 0;
  for (Cycles cycle = 0; cycle < outcome.cycles; ++cycle) {
    while (at < outcome.transfers.size() && outcome.transfers[at].ended <= cycle) ++at;
    bool is_beginning = at == outcome.transfers.size() || cycle < outcome.transfers[at].turned;
    if (is_beginning)  // rank order waits for all, status order reads the status
      cycles.push_back({{"cycle", cycle},
                        {"phase", outcome.look_up > 0 ? "look-up" : "wait"},
                        {"node", nullptr}});
    else
      cycles.push_back({{"cycle", cycle},
                        {"phase", phase_at(given, outcome.transfers[at], cycle)},
                        {"node", outcome.transfers[at].node}});
  }
  return {{"channels", channels}, {"cycles", cycles}};
}

}  // namespace baton::bus
