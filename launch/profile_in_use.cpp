#include "launch/profile_in_use.hpp"

#include <fmt/format.h>

#include "launch/report.hpp"
#include "profile/profile.hpp"

namespace baton::launch {

ProfileInUse find_profile(const std::string& named, const machine::Machine& machine) {
  std::string file = profile::file_in_use(named);
  if (file.empty()) return {};
  auto profile = profile::read_usable_profile(file, machine);
  if (profile)
    return {file, profile->date, profile::values_text(*profile), profile::rows_text(*profile)};
  complain(profile.error() + " (the job runs with the defaults)");
  return {};
}

std::string words_of(const ProfileInUse& profile) {
  if (profile.file.empty()) return {};
  std::string text =
      fmt::format("defaults of settings from the profile {} of {}: {}\n", profile.file,
                  profile.date, profile.values.empty() ? "none differs" : profile.values);
  if (!profile.collectives.empty())
    text += fmt::format("algorithms of collectives from it: {}\n", profile.collectives);
  return text;
}

}  // namespace baton::launch
