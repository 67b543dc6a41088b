#include "sim/machine/plan.hpp"

#include <stdexcept>

#include "machine/configuration.hpp"
#include "machine/memory_plan.hpp"
#include "machine/placement.hpp"

namespace baton::model {

Plan plan_of_configuration(const Description& description, const std::string& name, int ranks) {
  const auto configuration = expect(machine::configure(description.machine(), name, ranks, 1));
  return {configuration.cores, configuration.memory, configuration.ranks};
}

NumaPolicies policies_of(const std::string& memory) {
  NumaPolicies policies;
  MemoryWordError error;
  if (!parse_numa_policies(memory, &policies, &error)) throw std::runtime_error(error.text);
  return policies;
}

std::vector<int> nodes_for(const Description& description, int home, NumaPolicy policy) {
  if (!policy.asks()) policy.word = MemoryWord::near;
  auto planned = expect(machine::plan_memory(description.machine(), home, policy));
  planned.nodes.resize(planned.in_turn ? planned.meant : 1);
  return planned.nodes;
}

std::vector<PlacedRank> place(const Description& description, const Plan& plan) {
  machine::PlacementPolicy policy;
  policy.ranks = plan.ranks;
  policy.cores = plan.cores;
  policy.bind_to = machine::Level::core;
  const machine::Placement placement = expect(machine::place(description.machine(), policy));
  const NumaPolicies memory = policies_of(plan.memory);
  std::vector<PlacedRank> ranks;
  for (std::size_t i = 0; i < placement.ranks.size(); ++i) {
    const machine::PlannedRank& rank = placement.ranks[i];
    const int home = machine::home_node(description.machine(), rank, static_cast<int>(i));
    ranks.push_back({rank.common.os, nodes_for(description, home, memory.all)});
  }
  return ranks;
}

Work work_of(const Description& description, int cpu, const std::vector<int>& nodes,
             const Program& program) {
  std::vector<Share> shares;
  const auto parts = static_cast<double>(nodes.size());
  for (int node : nodes) shares.push_back({node, program.reads / parts, program.writes / parts});
  const double lines = program.lines.value_or(description.parameters()["core.lines"]);
  return {flows_of(description, cpu, shares, lines, program.order, program.computing),
          program.bytes, program.order};
}

Case case_of(const Description& description, const std::string& name,
             const std::vector<PlacedRank>& ranks, const Program& program) {
  Case made{name, description.resources(), {}};
  for (const PlacedRank& rank : ranks)
    made.ranks.push_back(work_of(description, rank.cpu, rank.nodes, program));
  return made;
}

}  // namespace baton::model
