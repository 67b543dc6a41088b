#include "profile/profile.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include "base/environment.hpp"
#include "base/network_profile.hpp"
#include "base/settings.hpp"

namespace baton::profile {

Identity identity_of(const machine::Machine& machine) {
  Identity identity;
  identity.cpu_model = machine.model;
  identity.topology = machine.shape;
  identity.cpus_usable = machine::cpus_usable(machine);
  utsname system{};
  if (::uname(&system) == 0) identity.kernel = std::string(system.sysname) + " " + system.release;
  return identity;
}

std::string difference(const Identity& made, const Identity& here) {
  auto differs = [](const char* what, const std::string& there, const std::string& now) {
    return std::string(what) + " there is \"" + there + "\", here \"" + now + "\"";
  };
  if (made.cpu_model != here.cpu_model)
    return differs("the CPU's model", made.cpu_model, here.cpu_model);
  if (made.topology != here.topology) return differs("the topology", made.topology, here.topology);
  return {};
}

std::string usual_file() {
  const char* config = environment_variable("XDG_CONFIG_HOME");
  if (config && *config) return std::string(config) + "/baton/profile.json";
  const char* home = environment_variable("HOME");
  return home && *home ? std::string(home) + "/.config/baton/profile.json" : std::string();
}

std::string asked_for(const std::string& named) {
  const char* set = environment_variable("BATON_PROFILE");
  return named.empty() && set ? set : named;
}

std::string file_in_use(const std::string& named) {
  std::string file = asked_for(named);
  if (file == "none" || family_named(file)) return {};
  if (!file.empty()) return file;
  file = usual_file();
  return !file.empty() && ::access(file.c_str(), F_OK) == 0 ? file : std::string();
}

std::expected<Profile, std::string> read_usable_profile(const std::string& file,
                                                        const machine::Machine& machine) {
  auto profile = read_profile(file);
  if (!profile) return profile;
  std::string words = difference(profile->machine, identity_of(machine));
  if (!words.empty())
    return std::unexpected("the profile " + file + " is another machine's: " + words +
                           "; `baton tune` measures this one");
  if (!profile->complete)
    return std::unexpected("the profile " + file +
                           " is not complete: its measuring was interrupted; `baton tune` goes on");
  return profile;
}

std::string rows_text(const Profile& profile) {
  std::string text;
  for (const ChosenRow& one : profile.collectives.chosen)
    text += (text.empty() ? "" : ",") + one.row;
  return text;
}

std::string values_text(const Profile& profile) {
  std::string text;
  for (const Chosen& one : profile.chosen)
    if (one.value != default_of(*find_setting(one.setting.c_str())))
      text += (text.empty() ? "" : ",") + one.setting + "=" + std::to_string(one.value);
  return text;
}

std::string network_text(const Profile& profile) {
  const Network& network = profile.network;
  if (network.date.empty()) return {};
  std::string values;
  for (const Chosen& one : network.chosen)
    values += (values.empty() ? "" : ",") + one.setting + "=" + std::to_string(one.value);
  return network.provider + "|" + network.libfabric + "|" +
         std::string(place_of(network.hosts.empty())) + "|" + values + "|" + network.arrival +
         "; " + network.writes;
}

std::string values_text(const ShippedProfile& profile) {
  std::string text;
  for (const SettingRow& row : setting_rows())
    if (const auto value = shipped_value(profile, row))
      text += (text.empty() ? "" : ",") + std::string(row.name) + "=" + std::to_string(*value);
  return text;
}

std::string rows_text(const ShippedProfile& profile) {
  auto range = [](std::int64_t from, std::int64_t to) {
    if (from == to) return std::to_string(from);
    return std::to_string(from) + (to == no_end ? "+" : "-" + std::to_string(to));
  };
  constexpr const char* loads[] = {"", ":oversubscribed", ":not_oversubscribed"};
  constexpr const char* aparts[] = {"", ":near", ":far"};
  std::string text;
  for (const SelectionRow& row : profile.rows)
    text += (text.empty() ? "" : ",") +
            std::string(collective_kind_names[static_cast<int>(row.kind())]) + ":" +
            range(row.ranks_from, row.ranks_to) + ":" + range(row.bytes_from, row.bytes_to) +
            loads[static_cast<int>(row.load)] + aparts[static_cast<int>(row.apart)] + "=" +
            row_of(row.algorithm).name;
  return text;
}

std::string words_of(const ShippedProfile& profile) {
  return std::string(name_of(profile.family)) + " (" + baton::words_of(profile.family) + "), " +
         (profile.is_guess() ? std::string("a guess: as ") + name_of(profile.measured)
                             : std::string("measured on ") + profile.where);
}

}  // namespace baton::profile
