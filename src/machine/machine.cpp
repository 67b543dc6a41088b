#include "machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace baton::machine {

int object_of(const Cpu& cpu, Level level) {
  switch (level) {
    case Level::hwthread:
      return cpu.os;
    case Level::core:
      return cpu.core;
    case Level::l2:
      return cpu.l2;
    case Level::l3:
      return cpu.l3;
    case Level::numa:
      return cpu.numa_node;
    case Level::package:
      return cpu.package;
    case Level::machine:
      return 0;
  }
  return -1;
}

int core_count(const Machine& machine) {
  std::set<int> cores;
  for (const Cpu& cpu : machine.cpus) cores.insert(cpu.core);
  return static_cast<int>(cores.size());
}

int cpus_usable(const Machine& machine) {
  int count = static_cast<int>(machine.cpus.size());
  if (machine.quota_cpus > 0)
    count = std::min(count, static_cast<int>(std::floor(machine.quota_cpus + 0.01)));
  return std::max(count, 1);
}

bool is_near(const Device& device, int cpu) {
  return device.near.empty() || std::ranges::binary_search(device.near, cpu);
}

std::string cpu_list(std::vector<int> cpus) {
  std::ranges::sort(cpus);
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

const char* level_name(Level level) {
  switch (level) {
    case Level::hwthread:
      return "hwthread";
    case Level::core:
      return "core";
    case Level::l2:
      return "l2";
    case Level::l3:
      return "l3";
    case Level::numa:
      return "numa";
    case Level::package:
      return "package";
    case Level::machine:
      return "none";
  }
  return "?";
}

const char* level_noun(Level level) {
  switch (level) {
    case Level::hwthread:
      return "CPU";
    case Level::core:
      return "core";
    case Level::l2:
      return "L2";
    case Level::l3:
      return "L3";
    case Level::numa:
      return "NUMA node";
    case Level::package:
      return "package";
    case Level::machine:
      return "machine";
  }
  return "";
}

}  // namespace baton::machine
