#include "sim/machine/pairs.hpp"

#include <algorithm>
#include <stdexcept>

#include "machine/memory_plan.hpp"
#include "machine/placement.hpp"

namespace baton::model {

namespace {

// What one core of a pair has lines for, in bytes of messages a second.
double rate_of(const Description& description, const PlacedRank& rank, bool across) {
  double latency = description.latency(rank.cpu, rank.nodes.front());
  if (across && description.parameters().has("tile.remote_latency"))
    latency += description.parameters()["tile.remote_latency"] * seconds_in_nanosecond;
  return description.parameters()["core.lines"] * line_bytes / latency;
}

}  // namespace

std::vector<PlacedPair> place_pairs(const Description& description, const Pairs& pairs) {
  machine::PlacementPolicy policy;
  policy.ranks = 2 * pairs.count;
  policy.map_by = pairs.across_tiles ? machine::Level::l2 : machine::Level::core;
  policy.bind_to = machine::Level::core;
  const machine::Placement placement = expect(machine::place(description.machine(), policy));
  const NumaPolicies memory = policies_of(pairs.memory);
  auto placed = [&](int number) {
    const machine::PlannedRank& rank = placement.ranks[static_cast<std::size_t>(number)];
    const int home = machine::home_node(description.machine(), rank, number);
    return PlacedRank{rank.common.os, nodes_for(description, home, memory.heap)};
  };
  std::vector<PlacedPair> all;
  for (int pair = 0; pair < pairs.count; ++pair) {
    const PlacedRank sender = placed(2 * pair), receiver = placed(2 * pair + 1);
    const int home = description.cpu(receiver.cpu).numa_node;
    const bool apart = description.cpu(sender.cpu).l2 != description.cpu(receiver.cpu).l2;
    if (apart != pairs.across_tiles)
      throw std::runtime_error("the machine has no tiles of two cores, or too few for these pairs");
    all.push_back({sender, receiver, nodes_for(description, home, memory.queues).front()});
  }
  return all;
}

Case case_of_pairs(const Description& description, const std::string& name, const Pairs& pairs,
                   const std::vector<PlacedPair>& placed) {
  Case made{name, description.resources(), {}};
  for (const PlacedPair& pair : placed) {
    const machine::Cpu& from = description.cpu(pair.sender.cpu);
    const machine::Cpu& to = description.cpu(pair.receiver.cpu);
    const int source = pair.sender.nodes.front(), target = pair.receiver.nodes.front();
    std::vector<Flow> flows = {
        {"read the sender's buffer", 1, way(description, from, source, false), 0},
        {"read what is overwritten", 1, way(description, to, target, false), 0},
        {"write the receiver's buffer", 1, way(description, to, target, true), 0}};
    if (pairs.written_back > 0)
      flows.push_back({"write the segment back", pairs.written_back,
                       way(description, from, pair.segment, true), 0});
    if (const int tile = description.tile_resource(from.l2); !pairs.across_tiles && tile >= 0)
      flows.push_back({"segment, in and out", 2, {{tile, 1}}, 0});
    double rate = std::min(rate_of(description, pair.sender, pairs.across_tiles),
                           rate_of(description, pair.receiver, pairs.across_tiles));
    if (description.parameters().has("pair.bandwidth"))
      rate = std::min(rate, description.parameters()["pair.bandwidth"] * bytes_in_gigabyte);
    for (Flow& flow : flows) flow.bytes_per_second_max = rate * flow.bytes_per_byte;
    made.ranks.push_back({flows, pairs.bytes});
  }
  return made;
}

}  // namespace baton::model
