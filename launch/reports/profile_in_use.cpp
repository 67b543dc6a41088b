#include "launch/reports/profile_in_use.hpp"

#include <fmt/format.h>

#include "base/network_profile.hpp"
#include "launch/reports/report.hpp"
#include "profile/profile.hpp"

namespace baton::launch {

ProfileInUse find_profile(const std::string& named, const machine::Machine& machine) {
  const std::string asked_for = profile::asked_for(named);
  use_shipped_profile(asked_for.c_str());
  std::string file = profile::file_in_use(named);
  if (file.empty()) return {asked_for, {}, {}, {}, {}, {}};
  auto profile = profile::read_usable_profile(file, machine);
  if (profile)
    return {asked_for,
            file,
            profile->date,
            profile::values_text(*profile),
            profile::rows_text(*profile),
            profile::network_text(*profile)};
  complain(profile.error() + " (the job runs with the defaults)");
  return {asked_for, {}, {}, {}, {}, {}};
}

std::string words_of(const ProfileInUse& profile) {
  const std::string shipped = profile::values_text(shipped_profile());
  std::string text = fmt::format("shipped profile {}: {}\n", profile::words_of(shipped_profile()),
                                 shipped.empty() ? "no setting differs" : shipped);
  if (const std::string rows = profile::rows_text(shipped_profile()); !rows.empty())
    text += fmt::format("algorithms of collectives from it: {}\n", rows);
  if (profile.file.empty()) return text;
  text += fmt::format("defaults of settings from the profile {} of {}: {}\n", profile.file,
                      profile.date, profile.values.empty() ? "none differs" : profile.values);
  if (!profile.collectives.empty())
    text += fmt::format("algorithms of collectives from it: {}\n", profile.collectives);
  if (const NetworkProfile measured = parse_network_profile(profile.network);
      !measured.provider.empty())
    text += fmt::format("defaults over {} of libfabric {} ({}) from it: {}\n", measured.provider,
                        measured.libfabric, measured.place, measured.values);
  return text;
}

}  // namespace baton::launch
