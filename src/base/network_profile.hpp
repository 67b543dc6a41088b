// A network profile holds the results of `baton tune --net`, as mpiexec hands them to ranks in
// BATON_PROFILE_NETWORK: the provider and the version of libfabric that were measured, whether
// between hosts or over the loopback, values of settings, and the measurement in words. A rank
// takes the values once its network is open, and only if it is the measured network. profile/
// writes the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton {

// The text has the form "PROVIDER|MAJOR.MINOR|PLACE|name=value,name=value|WORDS", where PLACE is
// "hosts" or "loopback".
struct NetworkProfile {
  std::string_view provider;
  std::string_view libfabric;
  std::string_view place;
  std::string_view values;
  std::string_view words;
};
constexpr std::string_view place_of(bool one_machine) {
  return one_machine ? "loopback" : "hosts";
}

// Parses the text. All parts are empty where it is not of that form.
NetworkProfile parse_network_profile(std::string_view text);

// Takes the values as defaults of settings, if the job's network is the one that was measured.
// `one_machine` says that all ranks of the job are on this host.
void take_network_profile(const char* text, const char* provider, const char* libfabric,
                          bool one_machine);

// Writes to `text` up to which length messages go in one packet, and why, for `mpiexec --explain`.
// `most` is the longest packet that this process can send.
void describe_packets(std::int64_t most, char* text, std::size_t bytes);

}  // namespace baton
