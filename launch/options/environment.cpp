#include "launch/options/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/search_path.hpp"
#include "base/settings.hpp"

namespace baton::launch {

namespace {

bool names(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

// Returns whether a variable is one by which the processes of another launcher find it.
bool is_of_launcher(std::string_view entry) {
  constexpr std::string_view beginnings[] = {"PMI_", "PMI2_", "PMIX_"};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view start) { return entry.starts_with(start); });
}

// These variables carry another launcher's words to its ranks; our ranks must not believe them.
bool foreign(std::string_view entry) {
  if (is_of_launcher(entry)) return true;
  for (std::string_view own :
       {"BATON_JOB_FD", "BATON_RANK", "BATON_LIFELINE_FD", "BATON_INITIAL_ERRHANDLER",
        "BATON_PROFILE_VALUES", "BATON_PROFILE_COLLECTIVES", "BATON_PROFILE_NETWORK",
        "BATON_LIBRARY_FOLDER", "BATON_FIRST_RANK", "BATON_CONNECTION", "BATON_PARENT",
        "BATON_SPAWN_PORT", "BATON_FAMILY", "BATON_FAMILY_FD", "BATON_FAMILY_OPTIONS",
        "BATON_MPIEXEC", "BATON_APPNUM", "BATON_UNIVERSE_SIZE", "BATON_LOCAL_DEVICE"})
    if (names(entry, own)) return true;
  return false;
}

// Puts the file first in LD_PRELOAD.
void preload(const std::string& file, std::vector<std::string>& environment) {
  auto before = find_variable(environment, "LD_PRELOAD");
  bool others = before && !before->empty();
  set_variable(environment, "LD_PRELOAD", others ? file + ":" + *before : file);
}

// Puts the folder first in LD_LIBRARY_PATH, once; ranks can take it out again.
void lead_to(const std::string& folder, std::vector<std::string>& environment) {
  std::string before = find_variable(environment, "LD_LIBRARY_PATH").value_or("");
  remove_folder(before.data(), folder);
  before.resize(std::strlen(before.c_str()));
  set_variable(environment, "LD_LIBRARY_PATH", before.empty() ? folder : folder + ":" + before);
  set_variable(environment, "BATON_LIBRARY_FOLDER", folder);
}

}  // namespace

bool is_launcher(const std::string& program) {
  const std::string_view name = std::string_view(program).substr(program.rfind('/') + 1);
  constexpr std::string_view known[] = {"mpiexec", "mpirun", "mpiexec_mpt", "mpirun_rsh",
                                        "prterun", "prun",   "orterun",     "srun",
                                        "aprun",   "jsrun"};
  if (std::ranges::find(known, name) != std::end(known)) return true;
  // These begin names such as mpiexec.hydra, mpirun.openmpi, mpirun-openmpi-gcc, hydra_pmi_proxy.
  constexpr std::string_view beginnings[] = {"mpiexec.", "mpiexec-", "mpirun.", "mpirun-",
                                             "hydra_"};
  return std::ranges::any_of(beginnings,
                             [name](std::string_view start) { return name.starts_with(start); });
}

void set_variable(std::vector<std::string>& environment, const std::string& name,
                  const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return names(entry, name); });
  environment.push_back(name + "=" + value);
}

std::optional<std::string> find_variable(const std::vector<std::string>& environment,
                                         const std::string& name) {
  auto found = std::ranges::find_if(environment,
                                    [&](const std::string& entry) { return names(entry, name); });
  if (found == environment.end()) return std::nullopt;
  return found->substr(name.size() + 1);
}

void leave_launcher(bool to_rank, std::vector<std::string>& environment) {
  std::erase_if(environment, [](const std::string& entry) {
    return is_of_launcher(entry) || names(entry, "BATON_CONNECTION");
  });
  if (!to_rank) return;
  for (char** entry = environ; *entry; ++entry)
    if (is_of_launcher(*entry)) environment.emplace_back(*entry);
  // By these variables the rank knows that this launcher is mpiexec's own, and not one that it has
  // started.
  for (const char* name : {"PMI_FD", "PMI_PORT", "PMIX_NAMESPACE"})
    if (const auto value = find_variable(environment, name))
      return set_variable(environment, "BATON_CONNECTION", std::string(name) + '=' + *value);
}

std::vector<std::string> program_environment(const Options& options, const Program& program) {
  std::vector<std::string> environment;
  const Inheritance& inherits = program.inherits ? *program.inherits : options.inherits;
  auto wanted = [&inherits](std::string_view entry) {
    return inherits.all || std::ranges::any_of(inherits.names, [entry](const std::string& name) {
             return names(entry, name);
           });
  };
  for (char** entry = environ; *entry; ++entry)
    if (!foreign(*entry) && wanted(*entry)) environment.emplace_back(*entry);
  if (options.check) set_variable(environment, "BATON_CHECK", "1");
  for (const auto& [name, value] : options.variables) set_variable(environment, name, value);
  for (const auto& [name, value] : program.variables) set_variable(environment, name, value);
  if (options.export_heap) preload(options.preload, environment);
  const bool leads = !options.library_folder.empty() && !program.arguments.empty() &&
                     !is_launcher(program.arguments.front());
  if (leads) lead_to(options.library_folder, environment);
  return environment;
}

namespace {

// Returns a setting as the ranks will have it.
std::int64_t value_for_ranks(const Options& options, const char* name,
                             std::int64_t Settings::*field) {
  const auto environment = program_environment(options, options.programs.front());
  const std::optional<std::string> text = find_variable(environment, name);
  return setting_value(field, text ? text->c_str() : nullptr);
}

}  // namespace

lockfree::RingPlan ring_plan(const Options& options) {
  auto value = [&options](const char* name, std::int64_t Settings::*field) {
    return value_for_ranks(options, name, field);
  };
  return {lockfree::deposit_plan(value("BATON_DEPOSIT_MODEL", &Settings::deposit_model),
                                 value("BATON_DEPOSIT_RING_BYTES", &Settings::deposit_ring_bytes)),
          static_cast<std::int32_t>(value("BATON_OWN_RINGS", &Settings::own_rings)),
          options.continues};
}

bool continues_by_setting(const Options& options) {
  return value_for_ranks(options, "BATON_CONTINUE_ON_FAILURE", &Settings::continue_on_failure) != 0;
}

int ranks_per_node(const Options& options) {
  return static_cast<int>(
      value_for_ranks(options, "BATON_RANKS_PER_NODE", &Settings::ranks_per_node));
}

NearRanks near_ranks(const Options& options) {
  return static_cast<NearRanks>(
      value_for_ranks(options, "BATON_NEAR_RANKS", &Settings::near_ranks));
}

}  // namespace baton::launch
