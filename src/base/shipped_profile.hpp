// A shipped profile has, for a family of processors, the values that differ from the settings' own
// defaults and from the built-in rows of the selection. It is compiled in; nothing is read at
// start. The results of `baton tune` on the machine itself (profile/profile.hpp) win over it.
// Few families have been measured; the others take the values of the nearest one, as a guess.
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
  ProcessorFamily measured;                 // the family measured; if it is another one: guesses
  const char* where;                        // machine and date of what the values were measured on
  std::span<const ShippedValue> values;     // settings that differ
  std::span<const SelectionRow> rows;       // of the selection; each says where it was measured
  std::span<const SelectionRow> selection;  // the built-in rows, then these

  bool is_guess() const { return family != measured; }
};

const ShippedProfile& shipped_profile_of(ProcessorFamily family);

// Returns the profile that this process uses: that of the family that BATON_PROFILE names, else of
// the processor.
const ShippedProfile& shipped_profile();
// Chooses the profile anew. With null or an unknown name it is the processor's. Call it before
// threads start.
void use_shipped_profile(const char* family_name);

// Returns the profile's value of a setting, or nothing where the setting's own default holds.
std::optional<std::int64_t> shipped_value(const ShippedProfile& profile, const SettingRow& row);

}  // namespace baton
