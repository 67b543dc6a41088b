#include "base/network_profile.hpp"

#include <algorithm>
#include <cstdio>

#include "base/settings.hpp"

namespace baton {

namespace {

// This is the profile that mpiexec handed to this process. Its text stays valid, as the environment
// does.
NetworkProfile handed;
bool fits = false;

int length_of(std::string_view text) {
  return static_cast<int>(text.size());
}

}  // namespace

NetworkProfile parse_network_profile(std::string_view text) {
  NetworkProfile profile;
  for (std::string_view* part :
       {&profile.provider, &profile.libfabric, &profile.place, &profile.values}) {
    const std::size_t end = text.find('|');
    if (end == std::string_view::npos || (end == 0 && part != &profile.values)) return {};
    *part = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  profile.words = text;
  return profile;
}

void take_network_profile(const char* text, const char* provider, const char* libfabric,
                          bool one_machine) {
  handed = parse_network_profile(text ? text : "");
  fits = handed.provider == provider && handed.libfabric == libfabric &&
         handed.place == place_of(one_machine);
  if (!fits) return;
  constexpr std::size_t values_bytes_max = 400;  // of all settings of the network
  char values[values_bytes_max];
  std::snprintf(values, sizeof values, "%.*s", length_of(handed.values), handed.values.data());
  take_profile_values(values);
}

void describe_packets(std::int64_t most, char* text, std::size_t bytes) {
  const std::int64_t limit = std::min(most, settings.network_eager_bytes_max);
  const bool whole = limit % 1024 == 0;
  const int length = std::snprintf(
      text, bytes, "packets up to %lld %s: ", static_cast<long long>(whole ? limit / 1024 : limit),
      whole ? "KiB" : "bytes");
  if (length < 0 || static_cast<std::size_t>(length) >= bytes) return;
  text += length;
  bytes -= static_cast<std::size_t>(length);
  const SettingSource source = source_of(*find_setting("network_eager_bytes_max"));
  if (source == SettingSource::environment)
    std::snprintf(text, bytes, "BATON_NETWORK_EAGER_BYTES_MAX");
  else if (source == SettingSource::tuned && fits)
    std::snprintf(text, bytes, "measured by baton tune --net (%.*s)", length_of(handed.words),
                  handed.words.data());
  else if (!handed.provider.empty())
    std::snprintf(text, bytes,
                  "the default, since baton tune --net measured %.*s of libfabric %.*s, %s",
                  length_of(handed.provider), handed.provider.data(), length_of(handed.libfabric),
                  handed.libfabric.data(),
                  handed.place == place_of(true) ? "over the loopback" : "between hosts");
  else
    std::snprintf(text, bytes, "the default");
}

}  // namespace baton
