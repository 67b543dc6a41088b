#include "sim/machine/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "machine/placement.hpp"

namespace baton::model {

namespace {

void check(const Description& description, const Team& team) {
  if (team.processes.empty() || static_cast<int>(team.processes.size()) > description.hosts())
    throw std::runtime_error(fmt::format("processes on {} hosts; the machine has {}",
                                         team.processes.size(), description.hosts()));
  for (int count : team.processes)
    if (count < 1) throw std::runtime_error("each host that is named has at least 1 process");
  if (team.threads < 1) throw std::runtime_error("a process has at least 1 thread");
  const int all = std::accumulate(team.processes.begin(), team.processes.end(), 0);
  if (team.resting < 0 || team.resting >= all)
    throw std::runtime_error(fmt::format("{} of {} processes rest", team.resting, all));
}

std::vector<int> every_node(const Description& description) {
  NumaPolicy interleave;
  interleave.word = MemoryWord::interleave;
  return nodes_for(description, description.cpu(0).numa_node, interleave);
}

// What goes on in step is one flow, which passes what each of them does: of a thread that uses many
// nodes in equal parts, far fewer to simulate.
std::vector<Flow> in_step(const std::vector<Flow>& flows) {
  std::vector<Flow> merged;
  for (const Flow& flow : flows) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Flow& other) {
      return other.bytes_per_byte == flow.bytes_per_byte;
    });
    if (same == merged.end()) {
      merged.push_back(flow);
      continue;
    }
    for (const auto& [resource, weight] : flow.uses) {
      const auto used = std::find_if(same->uses.begin(), same->uses.end(),
                                     [&](const auto& use) { return use.first == resource; });
      if (used == same->uses.end())
        same->uses.push_back({resource, weight});
      else
        used->second += weight;
    }
  }
  return merged;
}

}  // namespace

std::vector<PlacedThread> place_team(const Description& description, const Team& team) {
  check(description, team);
  const std::vector<int> everywhere = every_node(description);
  std::vector<PlacedThread> all;
  int resting = team.resting;
  for (std::size_t host = 0; host < team.processes.size(); ++host) {
    const bool master = team.master && host == 0;
    machine::PlacementPolicy policy;
    policy.ranks = team.processes[host] + master;
    policy.width = team.threads;
    policy.bind_to = machine::Level::core;
    policy.master = master;
    const machine::Placement placement = expect(machine::place(description.machine(), policy));
    for (int process = 0; process < team.processes[host]; ++process) {
      if (resting-- > 0) continue;
      const auto& cpus = placement.ranks[static_cast<std::size_t>(process + master)].cpus;
      for (int thread = 0; thread < (team.first_alone ? 1 : team.threads); ++thread) {
        const int cpu = cpus[static_cast<std::size_t>(thread)];
        const int home = description.cpu(cpu).numa_node;
        all.push_back({static_cast<int>(host), process, cpu,
                       team.bound ? nodes_for(description, home, {}) : everywhere});
      }
    }
  }
  return all;
}

Case case_of_team(const Description& description, const std::string& name,
                  const std::vector<PlacedThread>& threads, const Program& program) {
  Case made{name, {}, {}};
  const auto of_a_host = description.resources();
  for (int host = 0; host <= threads.back().host; ++host)
    for (const Resource& resource : of_a_host)
      made.resources.push_back(
          {fmt::format("host {} {}", host, resource.name), resource.bytes_per_second});
  for (const PlacedThread& thread : threads) {
    Work work = work_of(description, thread.cpu, thread.nodes, program);
    if (work.order == Order::at_once) work.flows = in_step(work.flows);
    for (Flow& flow : work.flows)
      for (auto& [resource, weight] : flow.uses)
        resource += thread.host * static_cast<int>(of_a_host.size());
    made.ranks.push_back(std::move(work));
  }
  return made;
}

}  // namespace baton::model
