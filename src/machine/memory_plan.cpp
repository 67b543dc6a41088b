#include "machine/memory_plan.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace baton::machine {

namespace {

// These facts decide between two nodes, as seen from the rank's home node.
struct Sight {
  int os;
  bool home;
  bool local;
  Tier tier;
  int distance;
  std::uint64_t bandwidth;
  std::uint64_t latency;
  std::uint64_t bytes;
};

std::vector<Sight> sights_from(const Machine& machine, int home) {
  std::vector<Sight> sights;
  for (const NumaNode& node : machine.memory) {
    const MemoryPath* path = find_path(node, home);
    MemoryPath unknown;
    if (!path) path = &unknown;
    sights.push_back({node.os, node.os == home, path->local, node.tier, path->distance,
                      path->mib_per_second, path->latency_nanoseconds, node.bytes});
  }
  return sights;
}

// Orders DRAM before HBM, which is scarce, and slow memory.
int plainness(Tier tier) {
  return tier == Tier::dram ? 0 : tier == Tier::hbm ? 1 : 2;
}

template <class Key>
std::vector<int> sorted_by(std::vector<Sight> sights, Key key) {
  std::ranges::stable_sort(sights, {}, key);
  std::vector<int> nodes;
  for (const Sight& sight : sights) nodes.push_back(sight.os);
  return nodes;
}

std::vector<int> nearest_first(const std::vector<Sight>& sights) {
  return sorted_by(sights, [](const Sight& s) {
    return std::tuple(!s.home, !s.local, s.local ? 0 : s.distance, plainness(s.tier), s.os);
  });
}

// Orders near memory by its bandwidth, or by its kind where not all bandwidths are known. Far
// memory is limited by the way there, so the nearest comes first.
std::vector<int> fastest_first(const std::vector<Sight>& sights, bool* measured) {
  *measured =
      std::ranges::all_of(sights, [](const Sight& s) { return !s.local || s.bandwidth > 0; });
  auto slowness = [by_bandwidth = *measured](const Sight& s) -> std::int64_t {
    if (!s.local) return s.distance;
    return by_bandwidth ? -static_cast<std::int64_t>(s.bandwidth) : static_cast<int>(s.tier);
  };
  return sorted_by(sights, [slowness](const Sight& s) {
    return std::tuple(!s.local, slowness(s), s.tier, s.latency, !s.home, s.os);
  });
}

std::vector<int> largest_first(const std::vector<Sight>& sights) {
  return sorted_by(sights, [](const Sight& s) {
    return std::tuple(~s.bytes, !s.home, !s.local, s.distance, s.os);
  });
}

std::string list_text(const std::vector<int>& nodes) {
  return (nodes.size() == 1 ? "node " : "nodes ") + cpu_list(nodes);
}

const Sight& sight_of(const std::vector<Sight>& sights, int node) {
  return *std::ranges::find(sights, node, &Sight::os);
}

// This plans every word but node lists, whose first nodes are known.
class Planner {
 public:
  Planner(const Machine& machine, int home)
      : machine_(machine), home_(home), sights_(sights_from(machine, home)) {}

  PlannedMemory near() const {
    PlannedMemory plan;
    plan.nodes = nearest_first(sights_);
    bool own = plan.nodes.front() == home_;
    plan.reason = name(plan.nodes.front()) +
                  (own ? " is that of the rank's CPUs" : " is the nearest that may be used");
    return plan;
  }

  PlannedMemory hbm() const {
    PlannedMemory plan;
    bool measured = false;
    plan.nodes = fastest_first(sights_, &measured);
    int best = plan.nodes.front();
    int own = near().nodes.front();
    if (best == own) {
      plan.reason = name(best) + ", that of the rank's CPUs: no memory near them is faster";
    } else if (measured) {
      plan.reason = name(best) + " has the highest bandwidth near the rank: " +
                    bandwidth_text(sight_of(sights_, best).bandwidth) + ", " + name(own) + " " +
                    bandwidth_text(sight_of(sights_, own).bandwidth);
    } else {
      plan.reason = name(best) +
                    " is the fastest near the rank by its kind; this machine tells no bandwidths";
    }
    return plan;
  }

  PlannedMemory large() const {
    PlannedMemory plan;
    plan.nodes = largest_first(sights_);
    plan.reason = name(plan.nodes.front()) +
                  " is the largest: " + size_text(sight_of(sights_, plan.nodes.front()).bytes);
    return plan;
  }

  PlannedMemory interleave() const;
  std::expected<PlannedMemory, std::string> remote(bool strict) const;
  std::expected<PlannedMemory, std::string> listed(const NumaPolicy& policy) const;

 private:
  std::string name(int node) const { return node_text(machine_, node); }
  const Machine& machine_;
  int home_;
  std::vector<Sight> sights_;
};

// Interleaving page by page is as quick as the slowest node, unless it is weighted.
PlannedMemory Planner::interleave() const {
  PlannedMemory plan;
  plan.in_turn = true;
  bool all = weighs(machine_) ||
             std::ranges::none_of(sights_, [](const Sight& s) { return s.tier == Tier::dram; });
  std::vector<int> left_out;
  for (int node : nearest_first(sights_)) {
    bool in = all || sight_of(sights_, node).tier == Tier::dram;
    (in ? plan.nodes : left_out).push_back(node);
  }
  plan.meant = plan.nodes.size();
  plan.reason = list_text(plan.nodes) + " page by page in turn";
  if (weighs(machine_) && plan.meant > 1) {
    plan.reason += ", weighted ";
    for (int node : plan.nodes) {
      plan.weights.push_back(find_node(machine_, node)->weight);
      plan.reason += (plan.weights.size() > 1 ? ":" : "") + std::to_string(plan.weights.back());
    }
  } else if (!left_out.empty()) {
    plan.reason += "; not " + list_text(left_out) + " (" +
                   memory_name(*find_node(machine_, left_out.front())) +
                   "), of another speed: that needs weights in "
                   "/sys/kernel/mm/mempolicy/weighted_interleave (Linux 6.9 or later)";
  }
  plan.nodes.insert(plan.nodes.end(), left_out.begin(), left_out.end());
  return plan;
}

// Takes the node half way round the nodes that have CPUs: of two the other one. So no node serves
// the ranks of more than one home node.
std::expected<PlannedMemory, std::string> Planner::remote(bool strict) const {
  std::vector<int> candidates;
  for (const NumaNode& node : machine_.memory)
    if (node.has_cpus) candidates.push_back(node.os);
  if (candidates.size() < 2) {
    candidates.clear();
    for (const NumaNode& node : machine_.memory) candidates.push_back(node.os);
  }
  PlannedMemory plan = near();
  if (candidates.size() < 2) {
    if (strict)
      return std::unexpected("there is no remote memory here: " + list_text(plan.nodes) +
                             " is all that this job may use; leave out the !, and it is near");
    plan.reason = name(plan.nodes.front()) + ": there is no other";
    return plan;
  }
  auto own = std::ranges::find(candidates, near().nodes.front());
  std::size_t at = own == candidates.end() ? 0 : static_cast<std::size_t>(own - candidates.begin());
  int chosen = candidates[(at + candidates.size() / 2) % candidates.size()];
  std::ranges::reverse(plan.nodes);
  std::erase(plan.nodes, chosen);
  plan.nodes.insert(plan.nodes.begin(), chosen);
  plan.reason = name(chosen) + " is remote: half way round the nodes from " +
                name(near().nodes.front()) + ", which is near";
  return plan;
}

std::expected<PlannedMemory, std::string> Planner::listed(const NumaPolicy& policy) const {
  PlannedMemory plan = near();
  std::vector<int> asked(policy.nodes, policy.nodes + policy.listed);
  std::vector<int> present;
  for (const NumaNode& node : machine_.memory) present.push_back(node.os);
  for (int node : asked)
    if (!find_node(machine_, node))
      return std::unexpected("there is no NUMA node " + std::to_string(node) +
                             " that this job may use. Valid: " + cpu_list(present));
  std::erase_if(plan.nodes,
                [&](int node) { return std::ranges::find(asked, node) != asked.end(); });
  plan.nodes.insert(plan.nodes.begin(), asked.begin(), asked.end());
  plan.meant = asked.size();
  plan.reason = "as named";
  return plan;
}

}  // namespace

int home_node(const Machine& machine, const PlannedRank& rank, int number) {
  std::set<int> nodes;
  for (const Cpu& cpu : machine.cpus)
    if (std::ranges::find(rank.cpus, cpu.os) != rank.cpus.end()) nodes.insert(cpu.numa_node);
  if (nodes.empty()) return -1;
  return *std::next(nodes.begin(), number % static_cast<int>(nodes.size()));
}

std::expected<PlannedMemory, std::string> plan_memory(const Machine& machine, int home,
                                                      const NumaPolicy& policy) {
  if (machine.memory.empty()) return std::unexpected("this machine tells no NUMA nodes");
  Planner planner(machine, home);
  switch (policy.word) {
    case MemoryWord::none:
    case MemoryWord::near:
      return planner.near();
    case MemoryWord::hbm:
      return planner.hbm();
    case MemoryWord::large:
      return planner.large();
    case MemoryWord::interleave:
      return planner.interleave();
    case MemoryWord::remote:
      return planner.remote(policy.strict);
    case MemoryWord::node:
      return planner.listed(policy);
  }
  return std::unexpected("no such word");
}

std::string node_text(const Machine& machine, int node) {
  const NumaNode* found = find_node(machine, node);
  std::string text = "node " + std::to_string(node);
  return found ? text + " (" + memory_name(*found) + ")" : text;
}

}  // namespace baton::machine
