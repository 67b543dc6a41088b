#include "machine/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace baton::machine {

namespace {

// This is a unit of allotment: a core with all its threads, or one thread when cores are too few.
struct Unit {
  std::vector<const Cpu*> cpus;
  bool taken = false;
};

// Returns whether CPUs of one core stand apart, as a user's list may have them.
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

// Returns `wanted` of the units that lie in one object, of the smallest kind of object that has
// enough; nothing where none has.
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

// The objects to which ranks are dealt: those of a level, or what is near each device.
struct Objects {
  const Machine& machine;
  Level level;
  bool are_devices;
  std::vector<int> numbers;

  bool holds(int object, const Unit& unit) const {
    if (!are_devices) return object_of(*unit.cpus.front(), level) == object;
    return is_near(machine.devices[static_cast<std::size_t>(object)], unit.cpus.front()->os);
  }
};

// Returns the free units that a rank mapped to `wanted` takes: those of its own object where that
// has enough.
std::vector<Unit*> take_units(std::vector<Unit>& units, const Objects& objects, int wanted,
                              int count) {
  std::vector<Unit*> inside;
  std::vector<Unit*> outside;
  for (Unit& unit : units)
    if (!unit.taken) (objects.holds(wanted, unit) ? inside : outside).push_back(&unit);
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

Objects objects_of(const Machine& machine, const PlacementPolicy& policy,
                   const std::vector<Unit>& units) {
  const bool spread = policy.cores.kind == CoreChoice::Kind::spread;
  Objects objects{machine,
                  spread && policy.map_by == Level::core ? Level::numa : policy.map_by,
                  policy.by_device,
                  {}};
  if (!policy.by_device) objects.numbers = objects_in_order(units, objects.level);
  for (std::size_t i = 0; policy.by_device && i < machine.devices.size(); ++i)
    objects.numbers.push_back(static_cast<int>(i));
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

// Returns the object of `level` to which a rank is dealt. `spread` keeps neighboring ranks
// together, as cores in order do; mapping by an object puts them on different ones.
int object_for(const std::vector<int>& objects, const PlacementPolicy& policy, int rank) {
  const auto count = objects.size();
  if (policy.per_object > 0)
    return objects[static_cast<std::size_t>(rank / policy.per_object) % count];
  if (policy.cores.kind == CoreChoice::Kind::spread && policy.map_by == Level::core)
    return objects[static_cast<std::size_t>(rank) * count / static_cast<std::size_t>(policy.ranks)];
  return objects[static_cast<std::size_t>(rank) % count];
}

void bind_all(const Machine& machine, const PlacementPolicy& policy, Level unit_level,
              Placement& placement) {
  std::vector<Unit> units = units_of(machine, unit_level);
  const Objects objects = objects_of(machine, policy, units);
  placement.ranks.resize(static_cast<std::size_t>(policy.ranks));
  // The master takes the last place, which the others leave, so that it splits nobody's caches.
  for (int i = 0; i < policy.ranks; ++i) {
    const int rank = policy.master ? (i + 1) % policy.ranks : i;
    const int threads = threads_of(policy, rank);
    std::vector<const Cpu*> seed;
    const int object = object_for(objects.numbers, policy, rank);
    std::vector<Unit*> taken = take_units(units, objects, object, threads);
    if (taken.empty()) {  // all are taken, and may be shared
      for (Unit& unit : units) unit.taken = false;
      taken = take_units(units, objects, object, threads);
    }
    for (const Unit* unit : taken) seed.insert(seed.end(), unit->cpus.begin(), unit->cpus.end());
    const bool as_taken =
        placement.bound_to == Level::hwthread || placement.bound_to == Level::core;
    PlannedRank& made = placement.ranks[static_cast<std::size_t>(rank)];
    made = planned(as_taken ? seed : grown(machine, seed, placement.bound_to), threads);
    if (policy.by_device) made.device = object;
  }
}

// Lets all ranks run wherever the job may.
void leave_unbound(const Machine& machine, const PlacementPolicy& policy, Placement& placement) {
  std::vector<const Cpu*> all;
  for (const Cpu& cpu : machine.cpus) all.push_back(&cpu);
  placement.bound_to = Level::machine;
  placement.limited = policy.cores.kind != CoreChoice::Kind::all;
  const Objects objects = objects_of(machine, policy, units_of(machine, Level::hwthread));
  for (int rank = 0; rank < policy.ranks; ++rank) {
    placement.ranks.push_back(planned(all, threads_of(policy, rank)));
    if (policy.by_device) placement.ranks.back().device = object_for(objects.numbers, policy, rank);
  }
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

// Returns "1 master and 4 ranks of 2 threads".
std::string ranks_text(const PlacementPolicy& policy) {
  const int workers = policy.ranks - policy.master;
  return (policy.master ? "1 master and " : "") + counted(workers, "rank") +
         (policy.width > 1 ? " of " + std::to_string(policy.width) + " threads" : "");
}

// Threads of a rank are meant to share memory, so this warns where they lie apart without need.
void warn_of_split_ranks(const Machine& machine, Placement& placement) {
  std::vector<int> split;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank)
    if (placement.ranks[rank].common.numa_node < 0) split.push_back(static_cast<int>(rank));
  if (split.empty() || nodes_with_cpus(machine).size() < 2) return;
  placement.warnings.push_back(std::string(split.size() > 1 ? "ranks " : "rank ") +
                               cpu_list(split) + (split.size() > 1 ? " have" : " has") +
                               " CPUs of several NUMA nodes; fewer threads a rank would fit");
}

// Renumbers the places.
void rank_again(const Machine& machine, const PlacementPolicy& policy, Placement& placement) {
  using Kind = Ranking::Kind;
  if (policy.ranking.kind == Kind::mapped) return;
  const Level level = policy.ranking.level.value_or(policy.map_by);
  const std::vector<int> objects = objects_in_order(units_of(machine, Level::hwthread), level);
  std::vector<int> seen(objects.size() + 1, 0);
  std::vector<std::pair<std::pair<long, long>, PlannedRank>> keyed;
  for (PlannedRank& rank : placement.ranks) {
    const auto object = std::ranges::find(objects, object_of(rank.common, level)) - objects.begin();
    const int turn = seen[static_cast<std::size_t>(object)]++;
    const bool fill = policy.ranking.kind == Kind::fill;
    keyed.push_back(
        {fill ? std::pair<long, long>(object, turn) : std::pair<long, long>(turn, object),
         std::move(rank)});
  }
  std::ranges::stable_sort(keyed, {}, [](const auto& one) { return one.first; });
  for (std::size_t rank = 0; rank < keyed.size(); ++rank)
    placement.ranks[rank] = std::move(keyed[rank].second);
}

// Returns the fewest units that an object of the level has.
int least_units(const std::vector<Unit>& units, Level level) {
  int least = static_cast<int>(units.size());
  for (const int object : objects_in_order(units, level)) {
    const auto here = std::ranges::count_if(
        units, [&](const Unit& unit) { return object_of(*unit.cpus.front(), level) == object; });
    least = std::min(least, static_cast<int>(here));
  }
  return least;
}

// This says how many units the ranks need, and how that fits.
struct Fit {
  long needed;
  bool cores;  // every rank can have cores of its own
  bool cpus;   // every rank can have hardware threads of its own
};

Fit fit_of(const Machine& machine, const PlacementPolicy& policy) {
  const int cores = core_count(machine), cpus = static_cast<int>(machine.cpus.size());
  const long needed =
      static_cast<long>(policy.ranks - policy.master) * policy.width + policy.master;
  const bool whole_cores =
      policy.bind_to != Level::hwthread && !policy.hwthreads && !has_split_cores(machine);
  const long on_object = static_cast<long>(policy.per_object) * policy.width;
  auto holds = [&](Level unit) {
    return on_object == 0 || policy.by_device ||
           on_object <= least_units(units_of(machine, unit), policy.map_by);
  };
  return {needed, needed <= cores && whole_cores && holds(Level::core),
          needed <= cpus && holds(Level::hwthread)};
}

std::string too_many(const Machine& machine, const PlacementPolicy& policy) {
  const std::string need = ranks_text(policy);
  if (policy.per_object > 0)
    return "ppr:" + std::to_string(policy.per_object) + ": " + counted(policy.per_object, "rank") +
           " of " + counted(policy.width, "CPU") + " on each " + level_noun(policy.map_by) +
           ", and one has " +
           counted(least_units(units_of(machine, Level::hwthread), policy.map_by), "CPU") +
           "; ask for fewer, or add :OVERSUBSCRIBE";
  return need + " cannot each have their own CPUs out of " + std::to_string(machine.cpus.size()) +
         "; leave out --bind-to, use --bind-to none, or let them share: --bind-to "
         "core:overload-allowed";
}

std::expected<Placement, std::string> place_on(const Machine& machine,
                                               const PlacementPolicy& policy) {
  const int cpus = static_cast<int>(machine.cpus.size());
  const int usable = cpus_usable(machine);
  Placement placement;
  placement.cpus_usable = usable;
  const Fit fit = fit_of(machine, policy);
  const std::string need = ranks_text(policy), where = words_of(policy.cores);
  const bool shared_units = policy.may_share && policy.bind_to && policy.width <= cpus;
  if (policy.may_not_share && fit.needed > usable)
    return std::unexpected(
        need + " on " + counted(usable, "usable CPU") +
        ", and sharing was forbidden; start fewer, or leave out nooversubscribe");
  if (policy.bind_to == Level::machine) {
    placement.reason = "not bound, as asked" + (where.empty() ? "" : ", on " + where);
    leave_unbound(machine, policy, placement);
  } else if (!policy.bind_to && (!fit.cpus || fit.needed > usable) &&
             (policy.per_object == 0 || policy.may_share || fit.cpus || fit.needed > usable)) {
    placement.reason = "not bound: " + need + " on " + counted(usable, "usable CPU") +
                       (where.empty() ? "" : " of " + where) +
                       (usable < cpus ? " (control group's quota)" : "");
    leave_unbound(machine, policy, placement);
  } else if (!fit.cpus && !shared_units) {
    return std::unexpected(too_many(machine, policy));
  } else {
    const bool split_cores = has_split_cores(machine);
    const bool shares_cores = !fit.cpus && !split_cores && !policy.hwthreads &&
                              policy.bind_to != Level::hwthread &&
                              policy.width <= core_count(machine);
    const bool whole = fit.cores || shares_cores;
    const Level unit_level = whole ? Level::core : Level::hwthread;
    placement.limited = true;
    placement.bound_to = policy.bind_to.value_or(unit_level);
    if (placement.bound_to == Level::core && !whole) placement.bound_to = Level::hwthread;
    placement.reason = need + " on " +
                       (split_cores ? counted(cpus, "CPU") : counted(core_count(machine), "core")) +
                       (where.empty() ? "" : " of " + where) + (fit.cpus ? "" : ", sharing them");
    bind_all(machine, policy, unit_level, placement);
    rank_again(machine, policy, placement);
    warn_of_split_ranks(machine, placement);
  }
  return placement;
}

// Returns the number of ranks where the user has not given one.
std::expected<int, std::string> default_ranks(const Machine& machine,
                                              const PlacementPolicy& policy) {
  if (policy.per_object > 0)
    return policy.per_object *
           static_cast<int>(
               objects_of(machine, policy, units_of(machine, Level::hwthread)).numbers.size());
  const int places = policy.hwthreads ? static_cast<int>(machine.cpus.size()) : core_count(machine);
  const int most = std::max(1, std::min(places, cpus_usable(machine)) / policy.width);
  if (policy.acceptable.empty()) return most;
  int chosen = 0;
  for (const int ranks : policy.acceptable)
    if (ranks <= most) chosen = std::max(chosen, ranks);
  if (chosen > 0) return chosen;
  return std::unexpected("-soft: there is space for " + counted(most, "rank") +
                         ", and no number of it is as small; say how many with -n");
}

// Returns how far CPUs are from a device: 0: one of them is near it; 1: in its package; 2: beyond.
int distance_to(const Machine& machine, const PlannedRank& rank, const Device& device) {
  for (int cpu : rank.cpus)
    if (is_near(device, cpu)) return 0;
  for (const Cpu& cpu : machine.cpus)
    if (cpu.package >= 0 && cpu.package == rank.common.package && is_near(device, cpu.os)) return 1;
  return 2;
}

// Gives each rank that has none a device: of those nearest to its CPUs the one that the fewest
// ranks have so far.
void deal_out_devices(const Machine& machine, Placement& placement) {
  const std::size_t count = machine.devices.size();
  if (count == 0) return;
  std::vector<int> taken(count, 0);
  for (const PlannedRank& rank : placement.ranks)
    if (rank.device >= 0) ++taken[static_cast<std::size_t>(rank.device)];
  for (PlannedRank& rank : placement.ranks) {
    if (rank.device >= 0) continue;
    std::size_t best = 0;
    std::pair<int, int> least{3, 0};
    for (std::size_t i = 0; i < count; ++i) {
      const std::pair<int, int> here{distance_to(machine, rank, machine.devices[i]), taken[i]};
      if (here < least) least = here, best = i;
    }
    rank.device = static_cast<int>(best);
    ++taken[best];
  }
}

}  // namespace

std::expected<Placement, std::string> place(const Machine& whole, const PlacementPolicy& asked) {
  if (whole.cpus.empty()) return std::unexpected("there is no usable CPU");
  if (asked.width < 1) return std::unexpected("a rank needs at least one CPU");
  if (asked.by_device && whole.devices.empty())
    return std::unexpected(
        "--map-by gpu: no device is seen here (baton doctor says why); map by something else, or "
        "give ranks devices by CUDA_VISIBLE_DEVICES");
  auto machine = with_cores(whole, asked.cores);
  if (!machine) return std::unexpected(machine.error());
  PlacementPolicy policy = asked;
  if (policy.hwthreads && policy.map_by == Level::core) policy.map_by = Level::hwthread;
  auto most = default_ranks(*machine, policy);
  if (!most && policy.ranks == 0) return std::unexpected(most.error());
  if (policy.ranks == 0) policy.ranks = *most;
  if (policy.per_object > 0 && policy.ranks > *most)
    return std::unexpected("ppr:" + std::to_string(policy.per_object) + " makes " +
                           counted(*most, "rank") + " here, -n says " +
                           std::to_string(policy.ranks) + "; leave out one of them");
  auto placement = place_on(*machine, policy);
  if (placement) deal_out_devices(*machine, *placement);
  return placement;
}

}  // namespace baton::machine
