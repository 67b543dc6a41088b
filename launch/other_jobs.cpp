#include "launch/other_jobs.hpp"

#include <cstring>

#include "base/settings.hpp"

namespace baton::launch {

machine::Occupied OtherJobs::look(const machine::Machine& machine) {
  const char* wish = environment_variable("BATON_OTHER_JOBS");
  if ((wish && std::strcmp(wish, "ignore") == 0) || environment_variable("BATON_RANK")) return {};
  claims_.begin();
  machine::Occupied occupied;
  for (const machine::Cpu& cpu : machine.cpus)
    if (claims_.is_claimed(cpu.os)) occupied.by_jobs.push_back(cpu.os);
  // The load is that of all CPUs, so it says nothing of a part.
  if (static_cast<int>(machine.cpus.size()) == machine.cpus_present)
    occupied.running = machine::running_beside("", static_cast<int>(occupied.by_jobs.size()));
  return occupied;
}

void OtherJobs::claim(const machine::Placement& placement) {
  std::vector<int> cpus;
  if (placement.limited && placement.bound_to != machine::Level::machine)
    for (const machine::PlannedRank& rank : placement.ranks)
      cpus.insert(cpus.end(), rank.cpus.begin(), rank.cpus.end());
  claims_.claim(cpus);
}

}  // namespace baton::launch
