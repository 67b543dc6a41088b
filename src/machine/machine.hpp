// This is the machine as plain data: which CPUs this process may use and what they share. The
// launcher or a tool reads it once (discover.hpp); placement (placement.hpp) and drawings
// (draw.hpp) use only this. Invariant: `cpus` is in topology order, so hardware threads of one core
// are neighbors (but in a part of a machine whose CPUs a user has listed, cores.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::machine {

// This is one usable hardware thread. `os` is the kernel's number; the other members number the
// objects to which it belongs, -1 where the machine has no such object.
struct Cpu {
  int os = -1;
  int core = -1;
  int l2 = -1;
  int l3 = -1;
  int numa_node = -1;
  int package = -1;
};

// The tier of a NUMA node's memory follows from its kind, else from its bandwidth. Slow memory, as
// Linux calls it, is CXL and persistent memory.
enum class Tier { hbm, dram, slow };

// This is a NUMA node as CPUs of a node see it.
struct MemoryPath {
  int from = -1;                     // the node of these CPUs (Cpu::numa_node)
  bool local = false;                // no other node is nearer to them
  std::uint64_t mib_per_second = 0;  // 0: unknown; the next two, too
  std::uint64_t latency_nanoseconds = 0;
  int distance = 0;  // as the firmware tells it; 10: the CPUs' own node
};

struct NumaNode {
  int os = -1;
  std::uint64_t bytes = 0;
  bool has_cpus = false;  // it is some CPUs' own node
  std::string kind;       // of memory: "DRAM", "HBM", "MCDRAM", "NVM", ...; empty: unknown
  Tier tier = Tier::dram;
  int weight = 0;                 // in this system's weighted interleave; 0: the kernel has none
  std::vector<MemoryPath> paths;  // by MemoryPath::from, ascending
};

// A device with memory of its own (devices.hpp).
struct Device {
  std::string name;       // as its maker names it; empty: unknown; the next two, too
  std::string bus;        // its place on the PCI bus, "0000:1b:00.0"
  std::string uuid;       // "GPU-..."; of a part of a device "MIG-..."
  int minor = -1;         // of /dev/nvidiaN; -1: unknown
  int numa_node = -1;     // the nearest; -1: the machine does not tell
  std::vector<int> near;  // CPUs, ascending; none: the machine does not tell
};

struct Machine {
  std::vector<Cpu> cpus;
  std::vector<NumaNode> memory;
  std::vector<Device> devices;           // that ranks see, in the order in which they count them
  int cpus_present = 0;                  // includes those this process may not use
  double quota_cpus = 0.0;               // CPU time the control group grants, in CPUs; 0: no limit
  std::uint64_t memory_limit_bytes = 0;  // memory that the control group grants; 0: no limit
  std::string model;                     // the CPU's, as its maker names it; empty: unknown
  std::string shape;                     // counts of all objects, in words: another machine differs
};

// Returns whether a CPU is near a device. Where the machine does not tell, all are.
bool is_near(const Device& device, int cpu);

// Ranks can be mapped by or bound to these levels, from small to large.
enum class Level { hwthread, core, l2, l3, numa, package, machine };

// Returns the number of the object of `level` that holds `cpu`.
int object_of(const Cpu& cpu, Level level);

// Returns the number of distinct cores among the usable CPUs.
int core_count(const Machine& machine);

// Returns how many CPUs a job can really use: affinity capped by the control group's quota, at
// least 1.
int cpus_usable(const Machine& machine);

// Returns "0-3,8" for a sorted or unsorted list of CPU numbers.
std::string cpu_list(std::vector<int> cpus);

const char* level_name(Level level);
// Returns "L3", "NUMA node" and the like, for people.
const char* level_noun(Level level);

// Sets the tier of every node from its kind; where that is unknown, a node without CPUs is HBM or
// slow by its bandwidth against that of the CPUs' own node, and slow if bandwidths are unknown.
void judge_tiers(Machine& machine);

// Returns a NUMA node by its number; null when this process may not use it, or there is none.
const NumaNode* find_node(const Machine& machine, int os);
// Returns how CPUs of node `from` see `node`; null when unknown.
const MemoryPath* find_path(const NumaNode& node, int from);

// Returns "hbm", "dram" or "slow".
const char* tier_word(Tier tier);
// Returns "HBM", "DRAM" or "slow memory", for people.
const char* tier_name(Tier tier);
// Returns what people call the node's memory: its kind, else its tier.
std::string memory_name(const NumaNode& node);
// Returns the nodes to whose CPUs `node` is local, ascending.
std::vector<int> near_nodes(const NumaNode& node);
// Returns whether the weights of this system's weighted interleave differ.
bool weighs(const Machine& machine);

// Returns "96 GiB" or "512 MiB".
std::string size_text(std::uint64_t bytes);
// Returns "307 GB/s", as data sheets count.
std::string bandwidth_text(std::uint64_t mib_per_second);

}  // namespace baton::machine
