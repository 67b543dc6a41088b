#include "launch/run/job_environment.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "launch/options/environment.hpp"
#include "launch/options/family_options.hpp"
#include "platform/own_folder.hpp"

namespace baton::launch {

namespace {

void tell_profile(const ProfileInUse& profile, std::vector<std::string>& environment) {
  const std::pair<const char*, const std::string&> variables[] = {
      {"BATON_PROFILE", profile.asked_for},
      {"BATON_PROFILE_VALUES", profile.values},
      {"BATON_PROFILE_COLLECTIVES", profile.collectives},
      {"BATON_PROFILE_NETWORK", profile.network}};
  for (const auto& [name, value] : variables)
    if (!value.empty()) set_variable(environment, name, value);
}

// Tells ranks how to spawn jobs, and those of a spawned job where their parents wait.
void tell_family(const Job& job, int end, std::vector<std::string>& environment) {
  const std::string& parent = job.options.spawned_by;
  const char* family = parent.empty() ? nullptr : environment_variable("BATON_FAMILY");
  // The ranks of a job over several nodes agree on its number.
  if (family || job.file.made.world.job != 0)
    set_variable(environment, "BATON_FAMILY",
                 family ? family : std::to_string(job.file.made.world.job));
  if (!parent.empty()) set_variable(environment, "BATON_PARENT", parent);
  if (end >= 0) set_variable(environment, "BATON_FAMILY_FD", std::to_string(end));
  if (const std::string options = family_options(job.options); !options.empty())
    set_variable(environment, "BATON_FAMILY_OPTIONS", options);
  char folder[PATH_MAX];
  if (platform::own_folder(folder))
    set_variable(environment, "BATON_MPIEXEC", std::string(folder) + "/mpiexec");
}

// Returns the attribute MPI_UNIVERSE_SIZE.
int universe_size(const Job& job) {
  const auto ranks = static_cast<int>(job.file.made.world.processes);
  return std::max(job.options.universe ? job.options.universe : machine::cpus_usable(job.machine),
                  ranks);
}

constexpr const char* local_device = "BATON_LOCAL_DEVICE";

// The plan's devices are those that the first program sees: returns whether another one sees the
// same.
bool sees_planned_devices(const Job& job, const std::vector<std::string>& environment) {
  constexpr const char* seen = "CUDA_VISIBLE_DEVICES";
  const auto first = program_environment(job.options, job.options.programs.front());
  return !job.machine.devices.empty() &&
         find_variable(first, seen) == find_variable(environment, seen);
}

}  // namespace

std::vector<std::string> job_environment(const Job& job, std::size_t place,
                                         const InheritedEnds& ends) {
  std::vector<std::string> environment =
      program_environment(job.options, job.options.programs[place]);
  set_variable(environment, "BATON_JOB_FD", std::to_string(job.file.descriptor));
  set_variable(environment, "BATON_LIFELINE_FD", std::to_string(ends.lifeline));
  set_variable(environment, "BATON_APPNUM", std::to_string(place));
  set_variable(environment, "BATON_UNIVERSE_SIZE", std::to_string(universe_size(job)));
  // Each rank's is filled in when it starts.
  if (sees_planned_devices(job, environment)) set_variable(environment, local_device, "0");
  tell_profile(job.profile, environment);
  tell_family(job, ends.family, environment);
  return environment;
}

void tell_rank(int number, const machine::PlannedRank& rank,
               std::vector<std::string>& environment) {
  set_variable(environment, "BATON_RANK", std::to_string(number));
  if (rank.device >= 0 && find_variable(environment, local_device))
    set_variable(environment, local_device, std::to_string(rank.device));
}

}  // namespace baton::launch
