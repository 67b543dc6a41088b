// What the ranks of a job must have alike, wherever they run: Baton itself, and settings that
// decide what ranks do together. Hosts may differ in both, so ranks that another launcher has
// started tell each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"

namespace baton::world {

inline constexpr std::int64_t Settings::*alike_settings[] = {
    &Settings::check,         &Settings::deposit_model,  &Settings::deposit_ring_bytes,
    &Settings::rooms,         &Settings::room_bytes_max, &Settings::direct_at_once,
    &Settings::ranks_per_node};
inline constexpr std::size_t alike_setting_count = std::size(alike_settings);

struct Alike {
  char version[16];
  std::uint32_t job_version;
  std::uint32_t layout_hash;
  std::uint64_t selection_hash;  // of the rows that choose algorithms between nodes
  std::int64_t values[alike_setting_count];
};

// As this process has them; settings have been read.
Alike own_alike();

// In words what differs of two, of which `names` say whose they are: "the same BATON_ROOMS (1 on
// host a, 0 on host b)"; all of it. False: nothing.
bool find_difference(const Alike& one, const Alike& other, const char* const (&names)[2],
                     char* text, std::size_t length);

}  // namespace baton::world
