#include "base/settings.hpp"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "base/environment.hpp"
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "cli/value_text.hpp"
#include "machine/discover.hpp"
#include "profile/profile.hpp"

namespace baton::cli {

namespace {

std::string variable_name(const SettingRow& row) {
  std::string name = "BATON_";
  for (const char* c = row.name; *c; ++c)
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  return name;
}

std::string text_of(const SettingRow& row, std::int64_t value) {
  const auto words = words_of(row);
  return words.empty() ? value_text(value) : words[static_cast<std::size_t>(value)];
}

std::string range_text(const SettingRow& row) {
  if (const auto words = words_of(row); !words.empty())
    return fmt::format("{}", fmt::join(words, ", "));
  return fmt::format("{} to {}", value_text(row.minimum), value_text(row.maximum));
}

const char* source_name(SettingSource source) {
  const char* names[] = {"default", "shipped", "tuned", "environment", "tool"};
  return names[static_cast<int>(source)];
}

// Reads the settings as a job started here would have them, or as the job has them in which this
// runs. Returns the profile that they come from; empty: none.
std::string read_as_ranks_would() {
  if (environment_variable("BATON_RANK")) {
    read_settings();
    return environment_variable("BATON_PROFILE_VALUES") ? "as mpiexec has read it" : "";
  }
  std::string file = profile::file_in_use("");
  auto machine = machine::read_machine();
  if (file.empty() || !machine) {
    read_settings(nullptr);
    return {};
  }
  auto profile = profile::read_usable_profile(file, *machine);
  if (!profile) write_error("baton settings: {}\n", profile.error());
  read_settings(profile ? profile::values_text(*profile).c_str() : nullptr);
  return profile ? file : std::string();
}

// Prints which family uses which profile, then the profiles that were measured.
void print_shipped_profiles() {
  write_out(
      "\n## Shipped profiles\n\n"
      "What differs by the family of the processor. A family that was not measured itself takes "
      "what "
      "was found\non the nearest one: a guess, which `baton tune` replaces. `BATON_PROFILE=FAMILY` "
      "or `mpiexec --profile\nFAMILY` takes another family's and no tuned profile. The defaults "
      "above "
      "were measured on Sapphire and\nEmerald Rapids.\n\n"
      "| family | processors | what was measured |\n|---|---|---|\n");
  for (int i = 0; i < processor_family_count; ++i) {
    const ShippedProfile& shipped = shipped_profile_of(static_cast<ProcessorFamily>(i));
    write_out("| `{}` | {} | {} |\n", name_of(shipped.family), words_of(shipped.family),
              shipped.is_guess() ? fmt::format("a guess: as `{}`", name_of(shipped.measured))
                                 : shipped.where);
  }
  for (int i = 0; i < processor_family_count; ++i) {
    const ShippedProfile& shipped = shipped_profile_of(static_cast<ProcessorFamily>(i));
    if (shipped.is_guess()) continue;
    write_out("\n`{}`:\n\n", name_of(shipped.family));
    for (const SettingRow& row : setting_rows())
      if (const auto value = shipped_value(shipped, row))
        write_out("- `{}={}` (default {})\n", variable_name(row), text_of(row, *value),
                  text_of(row, row.fallback));
    write_out("- `BATON_COLLECTIVES={}`\n", profile::rows_text(shipped));
  }
}

void print_table(bool for_users) {
  for (const SettingRow& row : setting_rows())
    if (row.for_users == for_users)
      write_out("| `{}` | {} | {} | {} | {} |\n", variable_name(row), row.type,
                text_of(row, row.fallback), range_text(row), row.why);
}

void print_markdown() {
  write_out(
      "# Settings\n\n"
      "Made by `baton settings --markdown` from `src/base/settings_table.hpp`; do not edit.\n\n"
      "Each is an environment variable, read once at start. Numbers may end in k, m or g (1024, "
      "1024^2,\n"
      "1024^3). An unknown `BATON_` variable is reported with the nearest name. What is not set "
      "comes from\n"
      "the machine's tuned profile ([tuning](tuning.md)), else from the [shipped "
      "profile](#shipped-profiles) of\n"
      "the processor's family, else it is the default. `baton settings` says which. Tools read "
      "them all, and write\nsome, by MPI_T ([how](tools-interface.md)).\n\n"
      "Some variables hold words: `BATON_PROFILE` names a profile ([tuning](tuning.md)), "
      "`BATON_COLLECTIVES`\n"
      "the algorithms that collectives are to take ([how](architecture.md#collectives)), "
      "`BATON_MEMORY` where\n"
      "memory goes, as `mpiexec --memory` has it ([how](placement.md)); `BATON_LIBFABRIC`, "
      "`BATON_NETWORK_PROVIDER`\n"
      "and `BATON_NETWORK_INTERFACE` choose the network ([how](cluster.md)); `BATON_MEMORY_KIND` "
      "names a plug-in\n"
      "for memory that the processor must not touch ([how](foreign-memory.md)).\n\n"
      "| variable | type | default | range | why it exists |\n|---|---|---|---|---|\n");
  print_table(true);
  write_out(
      "\n## Not for users\n\n"
      "What differs by processor, and what `baton tune`, studies and tests set. They may change "
      "with "
      "any version.\n\n"
      "| variable | type | default | range | why it exists |\n|---|---|---|---|---|\n");
  print_table(false);
  print_shipped_profiles();
}

void print_json() {
  const std::string file = read_as_ranks_would();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SettingRow& row : setting_rows())
    rows.push_back({{"variable", variable_name(row)},
                    {"value", settings.*row.field},
                    {"text", text_of(row, settings.*row.field)},
                    {"source", source_name(source_of(row))},
                    {"default", row.fallback},
                    {"type", row.type},
                    {"range", range_text(row)},
                    {"why", row.why},
                    {"for_users", row.for_users}});
  const ShippedProfile& shipped = shipped_profile();
  nlohmann::ordered_json all{{"settings", rows},
                             {"shipped_profile",
                              {{"family", name_of(shipped.family)},
                               {"measured_family", name_of(shipped.measured)},
                               {"measured_on", shipped.where},
                               {"guess", shipped.is_guess()}}},
                             {"profile", nullptr}};
  if (!file.empty()) all["profile"] = file;
  write_out("{}\n", all.dump());
}

}  // namespace

int print_settings(SettingsForm form) {
  if (form == SettingsForm::markdown) {
    print_markdown();
    return 0;
  }
  if (form == SettingsForm::json) {
    print_json();
    return 0;
  }
  std::string file = read_as_ranks_would();
  bool for_users = true;
  for (const SettingRow& row : setting_rows()) {
    if (row.for_users != for_users) write_out("\nnot for users (profiles, studies, tests):\n");
    for_users = row.for_users;
    write_out("{:<33} {:>8}  {:<12} {}; {} ({})\n", variable_name(row),
              text_of(row, settings.*row.field), source_name(source_of(row)), row.why, row.type,
              range_text(row));
  }
  write_out("\n");
  write_out("shipped profile: {}\n", profile::words_of(shipped_profile()));
  write_out("tuned profile: {}\n", file.empty() ? "none; `baton tune` makes one" : file);
  return 0;
}

}  // namespace baton::cli
