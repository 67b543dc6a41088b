#include "launch/hosts/other_jobs.hpp"

#include <cstring>

#include "base/environment.hpp"

namespace baton::launch {

std::vector<int> OtherJobs::look(const machine::Machine& machine) {
  const char* wish = environment_variable("BATON_OTHER_JOBS");
  if ((wish && std::strcmp(wish, "ignore") == 0) || environment_variable("BATON_RANK")) return {};
  claims_.begin();
  std::vector<int> occupied;
  for (const machine::Cpu& cpu : machine.cpus)
    if (claims_.is_claimed(cpu.os)) occupied.push_back(cpu.os);
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
