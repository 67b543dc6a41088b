// What `baton tune --net` has found out, as mpiexec hands it to ranks (BATON_PROFILE_NETWORK): of
// which provider and libfabric, between hosts or over the loopback, values of settings, and the
// measurement in words. A rank takes the values once its network is open, and only if that is the
// measured one. profile/ makes the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton {

// "PROVIDER|MAJOR.MINOR|PLACE|name=value,name=value|WORDS". PLACE: "hosts" or "loopback".
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

// All parts are empty where the text is not of that form.
NetworkProfile parse_network_profile(std::string_view text);

// Takes the values as defaults of settings, if the job's network is the one measured.
// `one_machine`: all ranks are here.
void take_network_profile(const char* text, const char* provider, const char* libfabric,
                          bool one_machine);

// Up to which length messages go in one packet, and why: for `mpiexec --explain`. `most`: what this
// process can.
void describe_packets(std::int64_t most, char* text, std::size_t bytes);

}  // namespace baton
