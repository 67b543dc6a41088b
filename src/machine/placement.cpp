#include "machine/placement.hpp"

#include <algorithm>
#include <cstddef>

namespace baton::machine {

namespace {

// A unit of allotment: a core with all its threads, or one thread when cores are too few.
struct Unit {
  std::vector<const Cpu*> cpus;
  bool taken = false;
};

// Whether CPUs of one core stand apart, as a user's list may have them.
bool has_split_cores(const Machine& machine) {
  std::vector<int> seen;
  for (const Cpu& cpu : machine.cpus) {
    if (!seen.empty() && seen.back() == cpu.core) continue;
    if (std::ranges::find(seen, cpu.core) != seen.end()) return true;
    seen.push_back(cpu.core);
  }
  return false;
}

std::vector<Unit> units_of(const Machine& machine, Level level) {
  std::vector<Unit> units;
  for (const Cpu& cpu : machine.cpus) {
    bool same =
        !units.empty() && level != Level::hwthread && units.back().cpus.front()->core == cpu.core;
    if (!same) units.emplace_back();
    units.back().cpus.push_back(&cpu);
  }
  return units;
}

int shared(int a, int b) {
  return a == b ? a : -1;
}

PlannedRank planned(const std::vector<const Cpu*>& cpus, int threads) {
  PlannedRank rank;
  rank.threads = threads;
  rank.common = *cpus.front();
  for (const Cpu* cpu : cpus) {
    rank.cpus.push_back(cpu->os);
    rank.common.core = shared(rank.common.core, cpu->core);
    rank.common.l2 = shared(rank.common.l2, cpu->l2);
    rank.common.l3 = shared(rank.common.l3, cpu->l3);
    rank.common.numa_node = shared(rank.common.numa_node, cpu->numa_node);
    rank.common.package = shared(rank.common.package, cpu->package);
  }
  std::ranges::sort(rank.cpus);
  rank.common.os = rank.cpus.front();
  return rank;
}

// So many of `units` as are wanted, in one object that has as many, of the smallest kind of object
// there is one of; nothing where none has.
std::vector<Unit*> together(const std::vector<Unit*>& units, std::size_t wanted) {
  for (Level level : {Level::l2, Level::l3, Level::numa, Level::package, Level::machine}) {
    std::vector<int> tried;
    for (const Unit* first : units) {
      const int object = object_of(*first->cpus.front(), level);
      if (object < 0 || std::ranges::find(tried, object) != tried.end()) continue;
      tried.push_back(object);
      std::vector<Unit*> found;
      for (Unit* unit : units)
        if (found.size() < wanted && object_of(*unit->cpus.front(), level) == object)
          found.push_back(unit);
      if (found.size() == wanted) return found;
    }
  }
  return {};
}

// The free units that a rank mapped to `wanted` takes: of its own object where that has enough.
std::vector<Unit*> take_units(std::vector<Unit>& units, Level map_by, int wanted, int count) {
  std::vector<Unit*> inside;
  std::vector<Unit*> outside;
  for (Unit& unit : units)
    if (!unit.taken)
      (object_of(*unit.cpus.front(), map_by) == wanted ? inside : outside).push_back(&unit);
  std::vector<Unit*> all = inside;
  all.insert(all.end(), outside.begin(), outside.end());
  const auto needed = static_cast<std::size_t>(count);
  std::vector<Unit*> taken = together(inside, needed);
  if (taken.empty()) taken = together(all, needed);
  for (Unit* unit : taken) unit->taken = true;
  return taken;
}

std::vector<int> objects_in_order(const std::vector<Unit>& units, Level level) {
  std::vector<int> objects;
  for (const Unit& unit : units) {
    int object = object_of(*unit.cpus.front(), level);
    if (std::ranges::find(objects, object) == objects.end()) objects.push_back(object);
  }
  return objects;
}

// Grows a rank's CPUs to the whole of every object of `level` it touches.
std::vector<const Cpu*> grown(const Machine& machine, const std::vector<const Cpu*>& seed,
                              Level level) {
  std::vector<const Cpu*> cpus;
  for (const Cpu& cpu : machine.cpus)
    for (const Cpu* member : seed)
      if (object_of(cpu, level) == object_of(*member, level)) {
        cpus.push_back(&cpu);
        break;
      }
  return cpus;
}

int threads_of(const PlacementPolicy& policy, int rank) {
  return policy.master && rank == 0 ? 1 : policy.width;
}

// The object of `level` that a rank is dealt to. `spread` keeps neighbouring ranks together, as
// cores in order do; mapping by an object puts them on different ones.
int object_for(const std::vector<int>& objects, const PlacementPolicy& policy, int rank) {
  const auto count = objects.size();
  if (policy.cores.kind == CoreChoice::Kind::spread && policy.map_by == Level::core)
    return objects[static_cast<std::size_t>(rank) * count / static_cast<std::size_t>(policy.ranks)];
  return objects[static_cast<std::size_t>(rank) % count];
}

void bind_all(const Machine& machine, const PlacementPolicy& policy, Level unit_level,
              Placement& placement) {
  const bool spread = policy.cores.kind == CoreChoice::Kind::spread;
  const Level level = spread && policy.map_by == Level::core ? Level::numa : policy.map_by;
  std::vector<Unit> units = units_of(machine, unit_level);
  const std::vector<int> objects = objects_in_order(units, level);
  placement.ranks.resize(static_cast<std::size_t>(policy.ranks));
  // The master takes what the others leave, so that it splits nobody's caches.
  for (int i = 0; i < policy.ranks; ++i) {
    const int rank = policy.master ? (i + 1) % policy.ranks : i;
    const int threads = threads_of(policy, rank);
    std::vector<const Cpu*> seed;
    for (const Unit* unit : take_units(units, level, object_for(objects, policy, rank), threads))
      seed.insert(seed.end(), unit->cpus.begin(), unit->cpus.end());
    const bool as_taken =
        placement.bound_to == Level::hwthread || placement.bound_to == Level::core;
    placement.ranks[static_cast<std::size_t>(rank)] =
        planned(as_taken ? seed : grown(machine, seed, placement.bound_to), threads);
  }
}

// All may run wherever the job may.
void leave_unbound(const Machine& machine, const PlacementPolicy& policy, Placement& placement) {
  std::vector<const Cpu*> all;
  for (const Cpu& cpu : machine.cpus) all.push_back(&cpu);
  placement.bound_to = Level::machine;
  placement.limited = policy.cores.kind != CoreChoice::Kind::all;
  for (int rank = 0; rank < policy.ranks; ++rank)
    placement.ranks.push_back(planned(all, threads_of(policy, rank)));
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// "1 master and 4 ranks of 2 threads"
std::string ranks_text(const PlacementPolicy& policy) {
  const int workers = policy.ranks - policy.master;
  return (policy.master ? "1 master and " : "") + counted(workers, "rank") +
         (policy.width > 1 ? " of " + std::to_string(policy.width) + " threads" : "");
}

// Threads of a rank are meant to share memory: they should not lie apart where they need not.
void warn_of_split_ranks(const Machine& machine, Placement& placement) {
  std::vector<int> split;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    if (placement.ranks[rank].common.numa_node < 0) split.push_back(static_cast<int>(rank));
  if (split.empty() || nodes_with_cpus(machine).size() < 2) return;
  placement.warnings.push_back(std::string(split.size() > 1 ? "ranks " : "rank ") +
                               cpu_list(split) + (split.size() > 1 ? " have" : " has") +
                               " CPUs of several memory nodes; fewer threads a rank would fit");
}

std::expected<Placement, std::string> place_on(const Machine& machine,
                                               const PlacementPolicy& policy) {
  const int cores = core_count(machine), cpus = static_cast<int>(machine.cpus.size());
  const int usable = cpus_usable(machine);
  const bool split_cores = has_split_cores(machine);
  Placement placement;
  placement.cpus_usable = usable;
  const long needed =
      static_cast<long>(policy.ranks - policy.master) * policy.width + policy.master;
  const std::string need = ranks_text(policy), where = words_of(policy.cores);
  const bool fits_cores = needed <= cores && policy.bind_to != Level::hwthread && !split_cores;
  const bool fits = needed <= cpus;
  if (policy.bind_to == Level::machine) {
    placement.reason = "not bound, as asked" + (where.empty() ? "" : ", on " + where);
    leave_unbound(machine, policy, placement);
  } else if (!policy.bind_to && (!fits || needed > usable)) {
    placement.reason = "not bound: " + need + " on " + counted(usable, "usable CPU") +
                       (where.empty() ? "" : " of " + where) +
                       (usable < cpus ? " (control group's quota)" : "");
    leave_unbound(machine, policy, placement);
  } else if (!fits) {
    return std::unexpected(need + " cannot each have their own CPUs out of " +
                           std::to_string(cpus) + "; leave out --bind-to, or use --bind-to none");
  } else {
    const Level unit_level = fits_cores ? Level::core : Level::hwthread;
    placement.limited = true;
    placement.bound_to = policy.bind_to.value_or(unit_level);
    if (placement.bound_to == Level::core && !fits_cores) placement.bound_to = Level::hwthread;
    placement.reason = need + " on " +
                       (split_cores ? counted(cpus, "CPU") : counted(cores, "core")) +
                       (where.empty() ? "" : " of " + where);
    bind_all(machine, policy, unit_level, placement);
    warn_of_split_ranks(machine, placement);
  }
  return placement;
}

}  // namespace

std::expected<Placement, std::string> place(const Machine& whole, const PlacementPolicy& asked) {
  if (whole.cpus.empty()) return std::unexpected("there is no usable CPU");
  if (asked.width < 1) return std::unexpected("a rank needs at least one CPU");
  auto machine = with_cores(whole, asked.cores);
  if (!machine) return std::unexpected(machine.error());
  PlacementPolicy policy = asked;
  if (policy.ranks == 0)
    policy.ranks =
        std::max(1, std::min(core_count(*machine), cpus_usable(*machine)) / policy.width);
  return place_on(*machine, policy);
}

}  // namespace baton::machine
