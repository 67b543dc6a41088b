#include "cli/advise/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/advice.hpp"
#include "machine/configuration.hpp"
#include "machine/placement.hpp"

namespace baton::cli::advise {

namespace {

using machine::Level;
using machine::Machine;
using machine::PlacementPolicy;

// Returns where a configuration puts ranks and memory, in words that are equal where these are
// equal.
std::string meaning_of(const Machine& machine, const PlacementPolicy& policy,
                       const std::string& memory) {
  auto placement = machine::place(machine, policy);
  if (!placement) return {};
  std::string text = fmt::format("{};", placement->bound_to == Level::machine ? "free" : "bound");
  for (const machine::PlannedRank& rank : placement->ranks)
    text += fmt::format("{}:{};", rank.threads, machine::cpu_list(rank.cpus));
  // Memory that bound ranks touch is near anyway.
  const bool differs = machine.memory.size() > 1 && memory != "all=near";
  return text + (differs ? memory : "");
}

// This collects the configurations that differ.
class Collector {
 public:
  Collector(const Machine& machine, const Wanted& wanted) : machine_(machine), wanted_(wanted) {}

  void add(std::vector<std::string> options, const std::string& effect,
           const PlacementPolicy& policy, const std::string& memory = "") {
    Candidate candidate{{"-n", std::to_string(policy.ranks)}, effect};
    candidate.options.insert(candidate.options.end(), options.begin(), options.end());
    take(std::move(candidate), fmt::format("{}", fmt::join(options, " ")),
         meaning_of(machine_, policy, memory));
  }
  void add_layout(const machine::HybridLayout& layout) {
    const std::string shape = fmt::format("{}x{}", layout.ranks, layout.threads);
    PlacementPolicy policy;
    policy.ranks = layout.ranks;
    policy.width = layout.threads;
    take({{"--layout", shape},
          fmt::format("threads of a rank inside one {}", machine::level_noun(layout.inside))},
         "--layout " + shape, meaning_of(machine_, policy, ""));
  }
  void add_config(const char* name, const std::string& effect) {
    auto meant = machine::configure(machine_, name, wanted_.ranks, wanted_.width);
    if (!meant) return;
    PlacementPolicy policy = plain();
    policy.cores = meant->cores;
    add({"--config", name}, effect, policy, meant->memory);
  }
  PlacementPolicy plain() const {
    PlacementPolicy policy;
    policy.ranks = wanted_.ranks;
    policy.width = wanted_.width;
    return policy;
  }
  Candidates result;

 private:
  void take(Candidate candidate, const std::string& name, const std::string& meaning) {
    if (meaning.empty()) return;  // ranks cannot be placed so
    if (std::ranges::find(meanings_, meaning) != meanings_.end()) {
      result.same.push_back(name);
      return;
    }
    meanings_.push_back(meaning);
    result.tried.push_back(std::move(candidate));
  }

  const Machine& machine_;
  const Wanted& wanted_;
  std::vector<std::string> meanings_;
};

void add_memory(Collector& all, const Machine& machine) {
  const bool hbm = std::ranges::any_of(machine.memory, [](const machine::NumaNode& node) {
    return node.tier == machine::Tier::hbm;
  });
  if (hbm && machine.memory.size() > 1) {
    all.add({"--memory", "queues=hbm,heap=hbm"}, "MPI's memory in HBM", all.plain(),
            "queues=hbm,heap=hbm");
    all.add({"--memory", "all=hbm"}, "the whole process in HBM", all.plain(), "all=hbm");
  }
  all.add_config("spread-interleave", "ranks and memory over all NUMA nodes");
  all.add_config("interleave", "ranks together, memory over all NUMA nodes");
  all.add({"--memory", "all=interleave"}, "memory over all NUMA nodes", all.plain(),
          "all=interleave");
}

}  // namespace

std::string Candidate::text() const {
  return fmt::format("{}", fmt::join(options, " "));
}

Candidates candidates(const Machine& machine, const Wanted& asked, std::string* problem) {
  Wanted wanted = asked;
  PlacementPolicy policy;
  policy.ranks = wanted.ranks;
  policy.width = wanted.width;
  auto placement = machine::place(machine, policy);
  if (!placement) {
    *problem = placement.error();
    return {};
  }
  wanted.ranks = static_cast<int>(placement->ranks.size());
  Collector all(machine, wanted);
  all.add({}, "as mpiexec does by itself", all.plain());
  add_memory(all, machine);
  policy = all.plain();
  policy.bind_to = Level::machine;
  all.add({"--bind-to", "none"}, "ranks are not bound", policy);
  if (wanted.layouts) {
    const int cores = std::min(wanted.ranks, machine::cpus_usable(machine));
    if (const auto layout = machine::hybrid_layout(machine, cores); layout.ranks > 0)
      all.add_layout(layout);
    if (cores > 1) all.add_layout({1, cores, Level::machine});
  }
  for (Level level : {Level::l3, Level::l2, Level::numa, Level::package}) {
    policy = all.plain();
    policy.map_by = level;
    all.add({"--map-by", machine::level_name(level)},
            fmt::format("consecutive ranks in different {}s", machine::level_noun(level)), policy);
  }
  all.add_config("spread", "ranks over all NUMA nodes, memory on the first");
  all.add_config("local", "ranks and memory on as few NUMA nodes as possible");
  if (machine.memory.size() > 1) return all.result;
  std::erase_if(all.result.same, [](const std::string& options) {
    return options.starts_with("--config") || options.starts_with("--memory");
  });
  all.result.why_same =
      "this machine has one NUMA node, so configurations of memory do not differ here";
  return all.result;
}

}  // namespace baton::cli::advise
