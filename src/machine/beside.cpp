#include "machine/beside.hpp"

#include <algorithm>

namespace baton::machine {

namespace {

// Returns the machine without the whole cores of these CPUs.
Machine without(const Machine& machine, const std::vector<int>& taken) {
  std::vector<int> cores;
  for (const Cpu& cpu : machine.cpus)
    if (std::ranges::find(taken, cpu.os) != taken.end()) cores.push_back(cpu.core);
  Machine left = machine;
  std::erase_if(left.cpus,
                [&](const Cpu& cpu) { return std::ranges::find(cores, cpu.core) != cores.end(); });
  return left;
}

// Returns whether the policy names cores, and not only that ranks are bound to one each.
bool names_cores(const PlacementPolicy& asked) {
  return asked.cores.kind != CoreChoice::Kind::all || asked.per_object > 0;
}

std::expected<Placement, std::string> unbound(const Machine& machine, PlacementPolicy asked,
                                              int ranks, int usable, const std::string& why) {
  asked.bind_to = Level::machine;
  asked.ranks = ranks;
  auto placement = place(machine, asked);
  if (!placement) return placement;
  placement->cpus_usable = std::max(1, std::min(placement->cpus_usable, usable));
  placement->reason = "not bound: " + why;
  return placement;
}

}  // namespace

std::expected<Placement, std::string> place_beside(const Machine& whole,
                                                   const PlacementPolicy& asked,
                                                   const std::vector<int>& by_jobs) {
  auto alone = place(whole, asked);
  if (!alone || !alone->limited || names_cores(asked) || by_jobs.empty()) return alone;
  const auto ranks = static_cast<int>(alone->ranks.size());
  const Machine left = without(whole, by_jobs);
  const int free_cpus = static_cast<int>(left.cpus.size());
  PlacementPolicy policy = asked;
  policy.ranks = ranks;
  auto beside = left.cpus.empty() ? alone : place(left, policy);
  const std::string others = "other jobs have CPUs " + cpu_list(by_jobs);
  // Where whole cores are the plan, ranks do not go to hardware threads of the free cores.
  if (left.cpus.empty() || !beside || beside->bound_to != alone->bound_to)
    return asked.bind_to ? alone : unbound(whole, asked, ranks, free_cpus, others);
  beside->reason += "; " + others;
  return beside;
}

}  // namespace baton::machine
