#include "launch/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/settings.hpp"
#include "launch/library_folder.hpp"

namespace baton::launch {

namespace {

bool names(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

// Variables by which another launcher speaks to its ranks; ours must not believe in them.
bool foreign(std::string_view entry) {
  for (std::string_view prefix : {"PMI_", "PMI2_", "PMIX_"})
    if (entry.starts_with(prefix)) return true;
  for (std::string_view own :
       {"BATON_JOB_FD", "BATON_RANK", "BATON_LIFELINE_FD", "BATON_INITIAL_ERRHANDLER",
        "BATON_PROFILE_VALUES", "BATON_PROFILE_COLLECTIVES", "BATON_LIBRARY_FOLDER"})
    if (names(entry, own)) return true;
  return false;
}

// The file comes first in LD_PRELOAD.
void preload(const std::string& file, std::vector<std::string>& environment) {
  auto before = find_variable(environment, "LD_PRELOAD");
  bool others = before && !before->empty();
  set_variable(environment, "LD_PRELOAD", others ? file + ":" + *before : file);
}

}  // namespace

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

lockfree::DepositPlan deposit_plan(const Options& options) {
  std::vector<std::string> environment = program_environment(options, options.programs.front());
  auto value = [&environment](const char* name, std::int64_t Settings::*field) {
    std::optional<std::string> text = find_variable(environment, name);
    return setting_value(field, text ? text->c_str() : nullptr);
  };
  return lockfree::deposit_plan(value("BATON_DEPOSIT_MODEL", &Settings::deposit_model),
                                value("BATON_DEPOSIT_RING_BYTES", &Settings::deposit_ring_bytes));
}

}  // namespace baton::launch
