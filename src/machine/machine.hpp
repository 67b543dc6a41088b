// The machine as plain data: which CPUs this process may use and what they share. Read once by the
// launcher or a tool (discover.hpp); placement (placement.hpp) and drawings (draw.hpp) use only
// this. Invariant: `cpus` is in topology order, so hardware threads of one core are neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::machine {

// One usable hardware thread. `os` is the kernel's number; the rest number what it belongs to, -1
// where the machine has no such thing.
struct Cpu {
  int os = -1;
  int core = -1;
  int l2 = -1;
  int l3 = -1;
  int numa_node = -1;
  int package = -1;
};

struct MemoryNode {
  int os = -1;
  std::uint64_t bytes = 0;
  bool has_cpus = false;
};

struct Machine {
  std::vector<Cpu> cpus;
  std::vector<MemoryNode> memory;
  int cpus_present = 0;     // also those this process may not use
  double quota_cpus = 0.0;  // CPU time the control group grants, in CPUs; 0: no limit
  std::string model;        // the CPU's, as its maker names it; empty: unknown
  std::string shape;        // how many of what there is in all, in words: another machine differs
};

// What a rank can be mapped by or bound to, from small to large.
enum class Level { hwthread, core, l2, l3, numa, package, machine };

// The number of the object of `level` that holds `cpu`.
int object_of(const Cpu& cpu, Level level);

// Distinct cores among the usable CPUs.
int core_count(const Machine& machine);

// CPUs a job can really use: affinity capped by the control group's quota, at least 1.
int cpus_usable(const Machine& machine);

// "0-3,8" for a sorted or unsorted list of CPU numbers.
std::string cpu_list(std::vector<int> cpus);

const char* level_name(Level level);

}  // namespace baton::machine
