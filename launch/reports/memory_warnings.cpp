#include "launch/reports/memory_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/cores.hpp"

namespace baton::launch {

namespace {

using machine::KernelRules;
using machine::Machine;

// This is a part of the plan that the user asked for.
struct Part {
  std::string words;  // "queues=hbm"
  bool in_file;       // its pages are those of the job's memory file
  const machine::PlannedMemory* plan;
};

std::vector<Part> parts_of(const NumaPolicies& policies, const HomePlan& home) {
  std::vector<Part> parts;
  auto add = [&](const char* what, bool in_file, const NumaPolicy& policy,
                 const machine::PlannedMemory& plan) {
    if (policy.word == MemoryWord::none) return;
    parts.push_back({fmt::format("{}={}", what, policy_text(policy).words), in_file, &plan});
  };
  add("queues", true, policies.queues, home.queues);
  add("heap", true, policies.heap, home.heap);
  add("all", false, policies.all, home.all);
  return parts;
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

bool has_slower(const Machine& machine, machine::Tier tier) {
  return std::ranges::any_of(machine.memory, [tier](const machine::NumaNode& node) {
    return static_cast<int>(node.tier) > static_cast<int>(tier);
  });
}

// Reclaim disregards policies: bound pages are demoted from their node like others.
std::string of_demotion(const MemoryPlan& plan, const Machine& machine, const KernelRules& kernel) {
  if (!kernel.demotes) return {};
  std::vector<std::string> words;
  std::vector<int> nodes;
  for (const HomePlan& home : plan.homes)
    for (const Part& part : parts_of(plan.policies, home))
      for (std::size_t i = 0; i < part.plan->meant; ++i) {
        const machine::NumaNode* node = machine::find_node(machine, part.plan->nodes[i]);
        if (!node || !has_slower(machine, node->tier)) continue;
        add_once(words, part.words);
        if (std::ranges::find(nodes, node->os) == nodes.end()) nodes.push_back(node->os);
      }
  if (words.empty()) return {};
  return fmt::format(
      "{}: when NUMA node {} fills up, the kernel moves pages from there to slower memory, strict "
      "ones too: /sys/kernel/mm/numa/demotion_enabled is on; as root write false there",
      fmt::join(words, ","), machine::cpu_list(nodes));
}

// Memory of a rank whose CPUs are all of one node is used from there, so it stays. AutoNUMA leaves
// alone processes under a policy, and memory files.
std::string of_balancing(const MemoryPlan& plan, const Machine& machine,
                         const machine::Placement& placement, const KernelRules& kernel) {
  const bool bound = placement.bound_to != machine::Level::machine;
  if (!kernel.balances || !bound || plan.policies.all.word != MemoryWord::none ||
      machine::nodes_with_cpus(machine).size() < 2)
    return {};
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    if (placement.ranks[rank].common.numa_node < 0) ranks.push_back(static_cast<int>(rank));
  if (ranks.empty()) return {};
  return fmt::format(
      "AutoNUMA is on and moves pages after the threads that use them: what rank{} {} first "
      "touch{} does not stay on its NUMA node; give the job a policy (--memory all=near or "
      "another), or as root: sysctl kernel.numa_balancing=0",
      ranks.size() > 1 ? "s" : "", machine::cpu_list(ranks), ranks.size() > 1 ? "" : "es");
}

// A huge page lies on one node, so interleaving goes by huge pages.
std::string of_coarse_turns(const MemoryPlan& plan, const KernelRules& kernel) {
  const bool in_private = kernel.huge_private == "always";
  const bool in_files = machine::shares_huge_unasked(kernel);
  std::vector<std::string> words;
  const char* file = nullptr;
  for (const HomePlan& home : plan.homes)
    for (const Part& part : parts_of(plan.policies, home)) {
      if (!part.plan->in_turn || part.plan->meant < 2) continue;
      if (part.in_file ? !in_files : !in_private) continue;
      add_once(words, part.words);
      if (!file || !part.in_file) file = part.in_file ? "shmem_enabled" : "enabled";
    }
  if (words.empty()) return {};
  return fmt::format(
      "{}: memory is interleaved in units of 2 MiB, not of a page, so what is smaller lies on one "
      "NUMA node: /sys/kernel/mm/transparent_hugepage/{} is {}; as root write {} there",
      fmt::join(words, ","), file,
      std::string_view(file) == "enabled" ? kernel.huge_private : kernel.huge_shared,
      std::string_view(file) == "enabled" ? "madvise" : "advise");
}

std::string of_huge_pages(const MemoryPlan& plan, const KernelRules& kernel, bool granted) {
  if (!plan.policies.heap.huge || granted) return {};
  if (kernel.huge_shared.empty())
    return "huge: this kernel has no huge pages for memory files, so blocks have small ones; one "
           "with CONFIG_TRANSPARENT_HUGEPAGE has";
  return fmt::format(
      "huge: blocks have small pages, nothing grants huge ones here: "
      "/sys/kernel/mm/transparent_hugepage/shmem_enabled is {}; as root write advise there",
      kernel.huge_shared);
}

}  // namespace

std::vector<std::string> memory_warnings(const MemoryPlan& plan, const Machine& machine,
                                         const machine::Placement& placement,
                                         const KernelRules& kernel, bool huge_granted) {
  std::vector<std::string> warnings;
  for (std::string text :
       {of_demotion(plan, machine, kernel), of_balancing(plan, machine, placement, kernel),
        of_coarse_turns(plan, kernel), of_huge_pages(plan, kernel, huge_granted)})
    if (!text.empty()) warnings.push_back(std::move(text));
  return warnings;
}

}  // namespace baton::launch
