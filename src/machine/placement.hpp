// Placement says on which CPUs each rank may run. It is pure: machine and policy in, plan and its
// reason out. The launcher applies the plan; `--dry-run` and tests look at it. Invariant: a bound
// rank has at least as many CPUs as threads, and no two bound ranks share a core unless a larger
// object than a core, or sharing, was asked for.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "machine/cores.hpp"
#include "machine/machine.hpp"

namespace baton::machine {

// This says in which order the places that mapping gives are numbered.
struct Ranking {
  enum class Kind {
    mapped,  // as they were given
    fill,    // all of one object of `level` before those of the next
    span,    // one of each object of `level` in turn
  };
  Kind kind = Kind::mapped;
  std::optional<Level> level = {};  // nothing: the level by which ranks are mapped
};

struct PlacementPolicy {
  int ranks = 0;                      // 0: one for each usable core (or as many as `width` leaves)
  int width = 1;                      // threads a rank will run
  Level map_by = Level::core;         // neighboring ranks go to neighboring objects of this level
  std::optional<Level> bind_to = {};  // Level::machine: not bound; nothing: chosen here
  CoreChoice cores = {};
  bool master = false;     // rank 0 comes on top, with one thread and a core of its own
  bool by_device = false;  // `map_by` is not used: neighboring ranks go near different devices
  int per_object = 0;      // neighboring ranks on every object of `map_by`; 0: ranks are dealt out
  bool hwthreads = false;  // hardware threads count as cores do
  bool may_share = false;  // bound ranks share CPUs where there are too few
  bool may_not_share = false;        // more ranks than CPUs are an error, bound or not
  std::vector<int> acceptable = {};  // numbers of ranks to choose from where `ranks` is 0
  Ranking ranking = {};
};

struct PlannedRank {
  int threads = 1;
  std::vector<int> cpus;  // kernel numbers, ascending
  int device = -1;        // of machine.devices; -1: there are none
  Cpu common;             // objects that all of them share, -1 where they differ; os: the first CPU
};

struct Placement {
  std::vector<PlannedRank> ranks;
  int first_rank = 0;               // number of the first rank: where other nodes have ranks, too
  Level bound_to = Level::machine;  // Level::machine: not bound
  bool limited = false;             // ranks may run on their `cpus` only
  int cpus_usable = 1;              // CPUs the job can really use, see cpus_usable() of a machine
  std::string reason;
  std::vector<std::string> warnings;  // what could not be had as wished
};

std::expected<Placement, std::string> place(const Machine& machine, const PlacementPolicy& policy);

}  // namespace baton::machine
