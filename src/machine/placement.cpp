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

PlannedRank planned(const std::vector<const Cpu*>& cpus) {
  PlannedRank rank;
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

// Units that are free, in the order in which a rank mapped to `wanted` takes them: its own object's
// first (as one run, so that a wide rank stays together), then the others'.
std::vector<Unit*> free_units(std::vector<Unit>& units, Level map_by, int wanted) {
  std::vector<Unit*> inside;
  std::vector<Unit*> outside;
  for (Unit& unit : units)
    if (!unit.taken)
      (object_of(*unit.cpus.front(), map_by) == wanted ? inside : outside).push_back(&unit);
  inside.insert(inside.end(), outside.begin(), outside.end());
  return inside;
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

void bind_all(const Machine& machine, const PlacementPolicy& policy, Level unit_level,
              Placement& placement) {
  std::vector<Unit> units = units_of(machine, unit_level);
  std::vector<int> objects = objects_in_order(units, policy.map_by);
  for (int rank = 0; rank < policy.ranks; ++rank) {
    int wanted = objects[static_cast<std::size_t>(rank) % objects.size()];
    std::vector<const Cpu*> seed;
    int units_left = policy.width;
    for (Unit* unit : free_units(units, policy.map_by, wanted)) {
      if (units_left-- == 0) break;
      unit->taken = true;
      seed.insert(seed.end(), unit->cpus.begin(), unit->cpus.end());
    }
    bool as_taken = placement.bound_to == Level::hwthread || placement.bound_to == Level::core;
    placement.ranks.push_back(planned(as_taken ? seed : grown(machine, seed, placement.bound_to)));
  }
}

void leave_unbound(const Machine& machine, int ranks, Placement& placement) {
  std::vector<const Cpu*> all;
  for (const Cpu& cpu : machine.cpus) all.push_back(&cpu);
  placement.bound_to = Level::machine;
  placement.ranks.assign(static_cast<std::size_t>(ranks), planned(all));
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::expected<Placement, std::string> place(const Machine& machine, const PlacementPolicy& asked) {
  PlacementPolicy policy = asked;
  if (machine.cpus.empty()) return std::unexpected("there is no usable CPU");
  if (policy.width < 1) return std::unexpected("a rank needs at least one CPU");
  int cores = core_count(machine);
  int cpus = static_cast<int>(machine.cpus.size());
  int usable = cpus_usable(machine);
  if (policy.ranks == 0) policy.ranks = std::max(1, std::min(cores, usable) / policy.width);

  Placement placement;
  placement.width = policy.width;
  long needed = static_cast<long>(policy.ranks) * policy.width;
  std::string need = counted(policy.ranks, "rank") +
                     (policy.width > 1 ? " of " + std::to_string(policy.width) + " threads" : "");
  bool fits_cores = needed <= cores && policy.bind_to != Level::hwthread;
  bool fits = needed <= cpus;
  if (policy.bind_to == Level::machine) {
    placement.reason = "not bound, as asked";
    leave_unbound(machine, policy.ranks, placement);
  } else if (!policy.bind_to && (!fits || needed > usable)) {
    placement.reason = "not bound: " + need + " on " + counted(usable, "usable CPU") +
                       (usable < cpus ? " (control group's quota)" : "");
    leave_unbound(machine, policy.ranks, placement);
  } else if (!fits) {
    return std::unexpected(need + " cannot each have their own CPUs out of " +
                           std::to_string(cpus) + "; leave out --bind-to, or use --bind-to none");
  } else {
    Level unit_level = fits_cores ? Level::core : Level::hwthread;
    placement.bound_to = policy.bind_to.value_or(unit_level);
    if (placement.bound_to == Level::core && !fits_cores) placement.bound_to = Level::hwthread;
    placement.reason = need + " on " + counted(cores, "core");
    bind_all(machine, policy, unit_level, placement);
  }
  return placement;
}

}  // namespace baton::machine
