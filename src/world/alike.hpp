// These are the properties that all ranks of a job must have alike, wherever they run: the version
// of Baton, and settings that decide how ranks work together. Hosts may differ in both, so ranks
// that another launcher has started exchange and compare them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/settings.hpp"

namespace baton::world {

inline constexpr std::int64_t Settings::*alike_settings[] = {
    &Settings::check,          &Settings::deposit_model,    &Settings::deposit_ring_bytes,
    &Settings::rooms,          &Settings::room_bytes_max,   &Settings::direct_at_once,
    &Settings::ranks_per_node, &Settings::device_bytes_min, &Settings::continue_on_failure};
inline constexpr std::size_t alike_setting_count = std::size(alike_settings);

struct Alike {
  char version[16];
  std::uint32_t job_version;
  std::uint32_t layout_hash;
  std::uint64_t selection_hash;  // hash of the rows that choose algorithms between nodes
  std::int64_t values[alike_setting_count];
};

// Returns the properties of this process; settings have been read.
Alike own_alike();

// Writes the differences between two ranks in words; `names` say whose properties they are: "the
// same BATON_ROOMS (1 on host a, 0 on host b)". Returns false if nothing differs.
bool find_difference(const Alike& one, const Alike& other, const char* const (&names)[2],
                     char* text, std::size_t length);

}  // namespace baton::world
