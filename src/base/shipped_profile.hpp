// Shipped profiles: for each family of processors what differs from the settings' own defaults and
// from the built-in rows of the selection. Compiled in; nothing is read at start. What `baton tune`
// finds on the machine itself (profile/profile.hpp) wins over it.
// Few families have been measured; the others take what was found on the nearest one, as a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/processor_family.hpp"
#include "base/selection_row.hpp"
#include "base/settings_table.hpp"

namespace baton {

struct ShippedValue {
  std::int64_t Settings::*setting;
  std::int64_t value;
};

struct ShippedProfile {
  ProcessorFamily family;
  ProcessorFamily measured;                 // whose processor was measured; another one: a guess
  const char* where;                        // machine and date of what the values were measured on
  std::span<const ShippedValue> values;     // settings that differ
  std::span<const SelectionRow> rows;       // of the selection; each says where it was measured
  std::span<const SelectionRow> selection;  // the built-in rows, then these

  bool is_guess() const { return family != measured; }
};

const ShippedProfile& shipped_profile_of(ProcessorFamily family);

// The one that this process uses: of the family that BATON_PROFILE names, else of the processor.
const ShippedProfile& shipped_profile();
// Chooses it anew; null or no family's name: the processor's. Before threads start.
void use_shipped_profile(const char* family_name);

// What it has for a setting; nothing: the setting's own default.
std::optional<std::int64_t> shipped_value(const ShippedProfile& profile, const SettingRow& row);

}  // namespace baton
