#include "launch/run/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "launch/options/environment.hpp"
#include "machine/discover.hpp"
#include "platform/memory_file.hpp"
#include "platform/node_memory.hpp"

namespace baton::launch {

namespace {

using machine::Machine;
using machine::PlannedMemory;
using platform::MemoryBinding;
using platform::MemoryMode;
using platform::NodeMask;

NodeMask mask_of(const std::vector<int>& nodes, std::size_t count) {
  NodeMask mask = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (nodes[i] < numa_nodes_max) mask |= platform::node_bit(nodes[i]);
  return mask;
}

lockfree::MemoryOrder order_of(const PlannedMemory& plan) {
  lockfree::MemoryOrder order;
  for (std::size_t i = 0; i < plan.nodes.size() && order.count < std::size(order.nodes); ++i) {
    if (plan.nodes[i] >= numa_nodes_max) continue;  // such a node cannot be named in a policy
    order.nodes[order.count++] = static_cast<std::uint8_t>(plan.nodes[i]);
    if (i < plan.meant) ++order.meant;
  }
  order.weighs = !plan.weights.empty();
  return order;
}

// Returns the row for ranks at that home node. It is complete even if no policy was asked for,
// since programs may ask for one themselves.
lockfree::MemoryRow row_of(const Machine& machine, int home, const NumaPolicies& policies) {
  lockfree::MemoryRow row{};
  row.queues = policies.queues;
  row.heap = policies.heap;
  for (const machine::NumaNode& node : machine.memory)
    if (node.os < numa_nodes_max) row.nodes_allowed |= platform::node_bit(node.os);
  for (MemoryWord word : ordered_words)
    if (auto plan = machine::plan_memory(machine, home, {.word = word}))
      row.orders[static_cast<int>(word) - static_cast<int>(ordered_words[0])] = order_of(*plan);
  return row;
}

struct Asked {
  std::string text;  // of the policy
  std::string name;  // the option or variable that it comes from
};

Asked asked_of(const Options& options) {
  if (!options.memory.empty()) return {options.memory, "--memory"};
  auto environment = program_environment(options, options.programs.front());
  auto variable = find_variable(environment, "BATON_MEMORY");
  return {variable.value_or(""), "BATON_MEMORY"};
}

// This is a kind of memory that has a policy, and where its plan stands.
struct Part {
  const char* what;
  NumaPolicy policy;
  PlannedMemory HomePlan::*plan;
};

std::vector<Part> parts_of(const NumaPolicies& policies) {
  std::vector<Part> parts = {{"queues", policies.queues, &HomePlan::queues},
                             {"heap", policies.heap, &HomePlan::heap},
                             {"all", policies.all, &HomePlan::all}};
  std::erase_if(parts, [](const Part& part) { return part.policy.word == MemoryWord::none; });
  return parts;
}

std::expected<void, std::string> plan_home(const Machine& machine, const NumaPolicies& policies,
                                           HomePlan& home) {
  home.row = row_of(machine, home.home, policies);
  for (const Part& part : parts_of(policies)) {
    auto plan = machine::plan_memory(machine, home.home, part.policy);
    if (!plan)
      return std::unexpected(
          fmt::format("{}={}: {}", part.what, policy_text(part.policy).words, plan.error()));
    home.*part.plan = *std::move(plan);
  }
  home.row.queue_order = order_of(home.queues);
  return {};
}

// Notes in one sentence what every word means on a machine with a single node.
void note_single_node(MemoryPlan& plan, const Machine& machine) {
  if (machine.memory.size() == 1)
    plan.notes.push_back(
        fmt::format("this machine has one NUMA node, {}: every policy means that node",
                    machine::node_text(machine, machine.memory.front().os)));
}

MemoryBinding binding_of(const NumaPolicy& policy, const PlannedMemory& plan, int preferred) {
  if (plan.in_turn)
    return {plan.weights.empty() ? MemoryMode::interleave : MemoryMode::weighted,
            mask_of(plan.nodes, plan.meant)};
  if (policy.strict) return {MemoryMode::bind, mask_of(plan.nodes, plan.meant)};
  return {MemoryMode::prefer, platform::node_bit(preferred)};
}

// This is the free memory of nodes, less the memory that has been promised to this job.
class Space {
 public:
  // Reserves this many bytes on a node. False: the node has not that much.
  bool take(int node, std::uint64_t bytes, bool strict) {
    auto [entry, fresh] = left_.try_emplace({node, strict}, 0);
    if (fresh) {
      platform::NodeSpace space = platform::node_space(node);
      entry->second =
          strict ? platform::space_under_pressure(space) : platform::space_without_pressure(space);
    }
    if (entry->second < bytes) return false;
    if (entry->second != ~std::uint64_t{0}) entry->second -= bytes;
    return true;
  }
  std::uint64_t left(int node, bool strict) {
    return take(node, 0, strict) ? left_[{node, strict}] : 0;
  }

 private:
  std::map<std::pair<int, bool>, std::uint64_t> left_;
};

std::string no_space(const char* what, const NumaPolicy& policy, int node, std::uint64_t left,
                     std::uint64_t wanted, int rank) {
  return fmt::format(
      "{}={}: node {} has {} MiB left that rank {} could use, and it will want {} MiB; free some, "
      "start fewer ranks, or leave out the ! to let memory go elsewhere",
      what, policy_text(policy).words, node, left >> 20, rank, (wanted + (1 << 20) - 1) >> 20);
}

// Returns the first node in the declared order that has space for `what` of one rank. A strict
// policy considers only the meant nodes, and it is an error if none has space. Else it is the first
// node, and the kernel decides.
std::expected<int, std::string> node_with_space(Space& space, const PlannedMemory& plan,
                                                const NumaPolicy& policy, const char* what,
                                                int rank, std::uint64_t bytes) {
  std::size_t count = policy.strict ? plan.meant : plan.nodes.size();
  for (std::size_t i = 0; i < count; ++i)
    if (space.take(plan.nodes[i], bytes, policy.strict)) return plan.nodes[i];
  int first = plan.nodes.front();
  if (!policy.strict) return first;
  return std::unexpected(no_space(what, policy, first, space.left(first, true), bytes, rank));
}

std::string refusal(const char* what, const NumaPolicy& policy, const char* call) {
  return fmt::format(
      "{}={}: {}: {}; in a container start it with --cap-add SYS_NICE, or a seccomp profile that "
      "allows {}",
      what, policy_text(policy).words, call, std::strerror(errno), call);
}

std::expected<void, std::string> bind_part(const JobFile& file, std::uint64_t offset,
                                           std::uint64_t bytes, const MemoryBinding& binding) {
  void* part = platform::map_memory_file(file.descriptor, bytes, offset);
  if (!part) return std::unexpected("mmap");
  bool bound = platform::bind_memory(part, bytes, binding);
  int cause = errno;
  platform::unmap_memory(part, bytes);
  errno = cause;
  if (!bound) return std::unexpected("mbind");
  return {};
}

// Binds a rank's slice and its mailbox.
std::expected<void, std::string> bind_queues(const JobFile& file, std::uint32_t rank,
                                             const MemoryBinding& binding) {
  const lockfree::JobHeader& made = file.made;
  auto bound = bind_part(file, lockfree::mailbox_offset(made, rank), made.mailbox_bytes, binding);
  if (bound) bound = bind_part(file, lockfree::slice_offset(made, rank), made.slice_bytes, binding);
  return bound;
}

// Ranks under a strict `all` are killed when their node is full; where a rank could hardly start,
// it is an error at once.
constexpr std::uint64_t process_bytes_least = 16 << 20;  // guess

std::expected<void, std::string> check_processes(MemoryPlan& plan, Space& space) {
  const NumaPolicy& policy = plan.policies.all;
  if (policy.word == MemoryWord::none) return {};
  if (!platform::bind_process({})) {
    std::string text = refusal("all", policy, "set_mempolicy");
    if (policy.strict) return std::unexpected(text);
    plan.notes.push_back(text + ". Processes go where the kernel puts them");
  }
  if (!policy.strict) return {};
  for (const HomePlan& home : plan.homes)
    for (int rank : home.ranks)
      if (auto node = node_with_space(space, home.all, policy, "all", plan.first_rank + rank,
                                      process_bytes_least);
          !node)
        return std::unexpected(node.error());
  return {};
}

std::expected<void, std::string> place_slices(MemoryPlan& plan, const Machine& machine,
                                              Space& space, const JobFile& file) {
  const NumaPolicy& policy = plan.policies.queues;
  if (policy.word == MemoryWord::none) return {};
  std::uint64_t bytes = lockfree::usual_slice_bytes(lockfree::slice_layout(
                            file.made.ranks, file.made.rings.deposit.ring_bytes)) +
                        file.made.mailbox_bytes;
  std::map<int, int> fallen;  // by node, how many ranks' slices fall back to it
  for (const HomePlan& home : plan.homes)
    for (int rank : home.ranks) {
      auto node =
          node_with_space(space, home.queues, policy, "queues", plan.first_rank + rank, bytes);
      if (!node) return std::unexpected(node.error());
      if (*node != home.queues.nodes.front() && !home.queues.in_turn && !policy.strict)
        ++fallen[*node];
      auto bound = bind_queues(file, static_cast<std::uint32_t>(rank),
                               binding_of(policy, home.queues, *node));
      if (bound) continue;
      std::string text = refusal("queues", policy, bound.error().c_str());
      if (policy.strict) return std::unexpected(text);
      plan.notes.push_back(text + ". They go where the kernel puts them");
      return {};
    }
  for (auto [node, ranks] : fallen)
    plan.notes.push_back(
        fmt::format("queues={}: those of {} ranks go to {}: what comes before it is full",
                    policy_text(policy).words, ranks, machine::node_text(machine, node)));
  return {};
}

}  // namespace

std::expected<MemoryPlan, std::string> plan_memory(const Options& options, Machine& machine,
                                                   const machine::Placement& placement) {
  MemoryPlan plan;
  plan.first_rank = placement.first_rank;
  Asked asked = asked_of(options);
  if (!asked.text.empty()) {
    plan.asked = fmt::format("{} {}", asked.name, asked.text);
    MemoryWordError error;
    if (!parse_numa_policies(asked.text, &plan.policies, &error))
      return std::unexpected(fmt::format("{}: {}", plan.asked, error.text));
    machine::read_memory_rules(machine);
  }
  std::map<int, HomePlan> homes;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    int home = machine::home_node(machine, placement.ranks[rank], static_cast<int>(rank));
    homes[home].home = home;
    homes[home].ranks.push_back(static_cast<int>(rank));
  }
  for (auto& [number, home] : homes) {
    if (auto planned = plan_home(machine, plan.policies, home); !planned)
      return std::unexpected(fmt::format("{}: {}", plan.asked, planned.error()));
    plan.homes.push_back(std::move(home));
  }
  if (plan.policies.asks()) note_single_node(plan, machine);
  return plan;
}

std::string plan_text(const MemoryPlan& plan, const Machine& machine) {
  std::string text = fmt::format("memory: {}\n", plan.asked);
  for (const HomePlan& home : plan.homes)
    for (const Part& part : parts_of(plan.policies)) {
      const PlannedMemory& planned = home.*part.plan;
      std::vector<int> ranks = home.ranks;
      for (int& rank : ranks) rank += plan.first_rank;
      text += fmt::format("  ranks {}, {}={}: {}", machine::cpu_list(ranks), part.what,
                          policy_text(part.policy).words, planned.reason);
      std::vector<int> later(planned.nodes.begin() + static_cast<long>(planned.meant),
                             planned.nodes.end());
      if (part.policy.strict)
        text += "; nowhere else";
      else if (!later.empty())
        text += fmt::format("; when full: node {}", fmt::join(later, ", "));
      text += '\n';
    }
  if (machine.memory_limit_bytes)
    text += fmt::format("  the control group's limit: {} MiB in all\n",
                        machine.memory_limit_bytes >> 20);
  for (const std::string& note : plan.notes) text += "  " + note + '\n';
  return text;
}

std::expected<void, std::string> place_job(MemoryPlan& plan, const Machine& machine,
                                           const JobFile& file) {
  for (const HomePlan& home : plan.homes)
    for (int rank : home.ranks)
      *lockfree::memory_row(file.header, static_cast<std::uint32_t>(rank)) = home.row;
  if (!plan.policies.asks()) return {};
  Space space;
  auto placed = check_processes(plan, space);
  if (placed) placed = place_slices(plan, machine, space, file);
  if (!placed) return std::unexpected(fmt::format("{}: {}", plan.asked, placed.error()));
  return {};
}

MemoryBinding process_binding(const MemoryPlan& plan, int rank) {
  const NumaPolicy& policy = plan.policies.all;
  if (policy.word == MemoryWord::none) return {};
  for (const HomePlan& home : plan.homes) {
    if (std::ranges::find(home.ranks, rank) == home.ranks.end()) continue;
    if (policy.word == MemoryWord::near && !policy.strict) return {MemoryMode::local, 0};
    MemoryBinding binding = binding_of(policy, home.all, home.all.nodes.front());
    // From several named nodes the kernel takes the nearest that has space, then other nodes.
    if (binding.mode == MemoryMode::prefer) binding.nodes = mask_of(home.all.nodes, home.all.meant);
    return binding;
  }
  return {};
}

}  // namespace baton::launch
