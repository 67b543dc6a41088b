#include "machine/advice.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "machine/configuration.hpp"
#include "machine/cores.hpp"

namespace baton::machine {

namespace {

constexpr int threads_most = 8;  // of a rank: the study had 4 and 8

std::string number(int value) {
  return std::to_string(value);
}

// Returns how many cores each object of a level has; objects that are not known are left out.
std::map<int, int> cores_at(const Machine& machine, Level level) {
  std::map<int, std::set<int>> cores;
  for (const Cpu& cpu : machine.cpus)
    if (object_of(cpu, level) >= 0) cores[object_of(cpu, level)].insert(cpu.core);
  std::map<int, int> counts;
  for (const auto& [object, inside] : cores) counts[object] = static_cast<int>(inside.size());
  return counts;
}

int count_at(const Machine& machine, Level level) {
  return static_cast<int>(cores_at(machine, level).size());
}

std::string all_of(int nodes) {
  return nodes == 2 ? "both NUMA nodes" : "all " + number(nodes) + " NUMA nodes";
}

int usable_cores(const Machine& machine) {
  return std::min(core_count(machine), cpus_usable(machine));
}

// Returns the memory of a tier that the job may use.
std::vector<const NumaNode*> nodes_of(const Machine& machine, Tier tier) {
  std::vector<const NumaNode*> nodes;
  for (const NumaNode& node : machine.memory)
    if (node.tier == tier) nodes.push_back(&node);
  return nodes;
}

std::uint64_t bytes_of(const std::vector<const NumaNode*>& nodes) {
  std::uint64_t bytes = 0;
  for (const NumaNode* node : nodes) bytes += node->bytes;
  return bytes;
}

std::string counted(int count, const std::string& noun) {
  return number(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// Equal options are not advised twice: their texts are joined.
void add(std::vector<Advice>& all, const Advice& one) {
  const auto same = std::ranges::find(all, one.options, &Advice::options);
  if (same == all.end()) return all.push_back(one);
  same->purpose += ", and " + one.purpose;
  same->reason += "; " + one.reason;
  if (same->study.empty()) same->study = one.study;
}

// Returns how many NUMA nodes, from the first on, have cores for this many ranks.
int nodes_needed(const Machine& machine, int ranks) {
  auto local = configure(machine, "local", ranks, 1);
  return local ? static_cast<int>(local->cores.numbers.size()) : 1;
}

void of_hbm(const Machine& machine, int ranks, std::vector<Advice>& all) {
  const auto hbm = nodes_of(machine, Tier::hbm);
  if (hbm.empty() || nodes_of(machine, Tier::dram).empty()) return;
  const std::string size = size_text(bytes_of(hbm));
  const std::string n = "-n " + number(ranks);
  if (ranks > 2)
    all.push_back({n + " --memory queues=hbm,heap=hbm", "messages of more than 1 KiB",
                   "with MPI's queues and the buffers of MPI_Alloc_mem in HBM 34 pairs sent "
                   "32 KiB up to 272 % faster, with the queues alone 11 to 39 %; up to 1 KiB, and "
                   "with one pair, nothing changed",
                   "hbm"});
  all.push_back({n + " --memory all=hbm",
                 "programs that wait for memory and fit into " + size + " in all (" +
                     size_text(bytes_of(hbm) / static_cast<unsigned>(ranks)) + " a rank)",
                 "whole processes in HBM: up to 264 %, for 12 % more of it than queues and "
                 "buffers take; what does not fit goes to DRAM",
                 "hbm"});
}

// Advises about ranks that leave NUMA nodes idle.
void of_idle_nodes(const Machine& machine, int ranks, std::vector<Advice>& all) {
  const int nodes = static_cast<int>(nodes_with_cpus(machine).size());
  const int needed = nodes_needed(machine, ranks);
  const std::string n = "-n " + number(ranks);
  all.push_back({n + " --config spread-interleave", "programs that wait for memory",
                 all_of(nodes) + " and their caches serve: two of each beat nearness, lbm was 1.9 "
                                 "times as fast as on one node with its own memory",
                 "numa"});
  all.push_back({n + " --config interleave",
                 "programs that wait for memory and whose ranks talk much",
                 "the ranks stay together on " + counted(needed, "NUMA node") +
                     ", memory is that of all: lbm was 1.64 times as fast with two nodes' memory",
                 "numa"});
  all.push_back(
      {n + " --config spread", "programs that live in their caches",
       "ranks have the last-level caches of all NUMA nodes, all memory is on the first one; "
       "the studies measured no such program",
       ""});
  all.push_back({n + " --config local", "programs that wait for each other rather than for memory",
                 "ranks and their memory together on " + counted(needed, "NUMA node") +
                     ": one program of eight (mcf) gained nothing from a second one, and memory "
                     "elsewhere cost lbm 11 % more time",
                 "numa"});
}

// Advises about ranks on every NUMA node.
void of_busy_nodes(const Machine& machine, int ranks, std::vector<Advice>& all) {
  const int nodes = static_cast<int>(nodes_with_cpus(machine).size());
  const std::string n = "-n " + number(ranks);
  all.push_back({n, "most programs",
                 "all " + number(nodes) +
                     " NUMA nodes serve already, each rank has its own one's memory: nearness "
                     "then counts, memory elsewhere cost lbm 11 % more time",
                 "numa"});
  all.push_back(
      {n + " --memory all=interleave",
       "programs one of whose ranks or threads fills what all use, or whose ranks need "
       "memory unequally",
       "pages in turn over " + number(nodes) +
           " NUMA nodes, so none is the bottleneck: four processes of lbm on one node were "
           "1.64 times as fast with two nodes' memory",
       "numa"});
}

void of_numa_nodes(const Machine& machine, int ranks, bool said, std::vector<Advice>& all) {
  const int nodes = static_cast<int>(nodes_with_cpus(machine).size());
  if (nodes < 2) return;
  if (nodes_needed(machine, ranks) < nodes) return of_idle_nodes(machine, ranks, all);
  of_busy_nodes(machine, ranks, all);
  if (said) return;
  // Programs that are limited by memory may be as quick with fewer ranks.
  auto one_node = configure(machine, "local", 0, 1);
  if (one_node && one_node->ranks < ranks) of_idle_nodes(machine, one_node->ranks, all);
}

// Advises about several caches within a NUMA node, and ranks that leave some idle.
void of_caches(const Machine& machine, int ranks, std::vector<Advice>& all) {
  for (Level level : {Level::l3, Level::l2}) {
    const auto cores = cores_at(machine, level);
    const int caches = static_cast<int>(cores.size());
    const int nodes = std::max(1, count_at(machine, Level::numa));
    const bool shared =
        std::ranges::any_of(cores, [](const auto& cache) { return cache.second > 1; });
    if (caches <= nodes || !shared || ranks >= usable_cores(machine)) continue;
    all.push_back({"-n " + number(ranks) + " --map-by " + level_name(level),
                   "programs that live in their caches",
                   "ranks are dealt out over " + number(caches) + " caches (" + level_noun(level) +
                       "), so fewer share one; the studies measured no such program",
                   ""});
    if (level == Level::l2)
      add(all,
          {"-n " + number(ranks), "neighbors that exchange much",
           "pairs of ranks share an L2: 32 KiB went between them with 37 % more bandwidth", "hbm"});
    return;
  }
}

void of_threads(const Machine& machine, int ranks, std::vector<Advice>& all) {
  const int cores = std::min(ranks, usable_cores(machine));
  const HybridLayout layout = hybrid_layout(machine, cores);
  if (layout.ranks == 0) return;
  const std::string shape = number(layout.ranks) + 'x' + number(layout.threads);
  all.push_back(
      {"--layout " + shape, "programs with threads (OpenMP)",
       counted(layout.ranks, "rank") + " of " + number(layout.threads) +
           " threads, each rank's inside one " + level_noun(layout.inside) +
           ": the same layout bound to boards was 12 to 13 % faster on one system, 3 to 6 "
           "% on another (Wrf, 16 and 32 CPUs)",
       "hybrid"});
  const bool space = layout.ranks * layout.threads < usable_cores(machine);
  const int workers = space ? layout.ranks : layout.ranks - 1;
  if (workers < 2) return;
  all.push_back(
      {"--layout 1+" + number(workers) + 'x' + number(layout.threads),
       "programs whose rank 0 only hands out work",
       "the master has a core of its own: Gamess was 17 % faster with 1+8x4 than with 8x4, but "
       "with a CPU more, and bound to boards, which alone gave Wrf 12 to 13 %",
       "hybrid"});
}

void of_slow_memory(const Machine& machine, std::vector<Advice>& all) {
  const auto slow = nodes_of(machine, Tier::slow);
  if (slow.empty()) return;
  const bool largest = std::ranges::all_of(
      machine.memory, [&](const NumaNode& node) { return node.bytes <= slow.front()->bytes; });
  const std::string where = largest ? "large" : "node:" + number(slow.front()->os);
  all.push_back(
      {"--memory heap=" + where, "large blocks of MPI_Alloc_mem that are rarely used",
       size_text(bytes_of(slow)) + " of slow memory take them, and leave the rest to what is used",
       ""});
}

void of_binding(const Machine& machine, int ranks, std::vector<Advice>& all) {
  const int usable = cpus_usable(machine);
  const std::string n = "-n " + number(ranks);
  if (ranks > usable) {
    all.push_back({"-n " + number(usable_cores(machine)), "most programs",
                   counted(ranks, "rank") + " share " + counted(usable, "CPU") +
                       " and wait for each other asleep; fewer are quicker where the program lets "
                       "you choose",
                   ""});
    return;
  }
  if (nodes_with_cpus(machine).size() < 2)
    all.push_back({n, "most programs", "each rank has a core of its own and keeps its caches", ""});
  all.push_back({n + " --bind-to none",
                 "machines that others use, and programs with threads that nobody counted",
                 "the kernel may move a rank away from a busy core", ""});
}

}  // namespace

HybridLayout hybrid_layout(const Machine& machine, int cores) {
  for (Level level : {Level::l2, Level::l3, Level::numa, Level::package}) {
    const auto inside = cores_at(machine, level);
    if (inside.empty()) continue;
    const int fewest =
        std::ranges::min_element(inside, {}, [](const auto& one) { return one.second; })->second;
    if (fewest < 2) continue;
    // The threads fill the object without a rest, and leave ranks for messages.
    for (int threads = std::min({fewest, threads_most, cores / 2}); threads > 1; --threads)
      if (fewest % threads == 0 && cores % threads == 0) return {cores / threads, threads, level};
  }
  return {};
}

std::string situation_text(const Machine& machine) {
  const int nodes = static_cast<int>(nodes_with_cpus(machine).size());
  std::string text = counted(core_count(machine), "core") + " on " +
                     (nodes > 0 ? counted(nodes, "NUMA node") : "memory that tells no nodes");
  if (const int caches = count_at(machine, Level::l3); caches > std::max(1, nodes))
    text += ", " + number(caches) + " L3 caches";
  for (Tier tier : {Tier::hbm, Tier::slow})
    if (const auto some = nodes_of(machine, tier); !some.empty())
      text += ", " + size_text(bytes_of(some)) + " of " + tier_name(tier) +
              (some.front()->kind.empty() || some.front()->kind == tier_name(tier)
                   ? ""
                   : " (" + some.front()->kind + ')');
  if (cpus_usable(machine) < static_cast<int>(machine.cpus.size()))
    text += ", CPU time for " + number(cpus_usable(machine)) + " (control group)";
  if (machine.memory.size() < 2) text += "; configurations of memory are all the same here";
  return text;
}

std::vector<Advice> advise(const Machine& machine, int ranks) {
  std::vector<Advice> all;
  const bool said = ranks > 0;
  if (!said) ranks = usable_cores(machine);
  if (ranks > cpus_usable(machine)) {
    of_binding(machine, ranks, all);
    return all;
  }
  of_hbm(machine, ranks, all);
  of_numa_nodes(machine, ranks, said, all);
  if (nodes_with_cpus(machine).size() < 2) of_binding(machine, ranks, all);
  of_caches(machine, ranks, all);
  of_threads(machine, ranks, all);
  of_slow_memory(machine, all);
  if (nodes_with_cpus(machine).size() >= 2) of_binding(machine, ranks, all);
  return all;
}

}  // namespace baton::machine
