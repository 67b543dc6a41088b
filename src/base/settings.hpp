// The process's settings are rows of one table (base/settings_table.hpp). Each is read once, at
// start of MPI or of its tool interface: from the environment variable BATON_<NAME>, else from the
// machine's profile as mpiexec handed it on, else from the shipped profile of the processor's
// family (base/shipped_profile.hpp), else the row's default holds.
#pragma once

#include <cstdint>
#include <span>

#include "base/settings_table.hpp"

namespace baton {

// Returns all rows, for tools and documentation.
std::span<const SettingRow> setting_rows();

// Returns the value of a setting that nobody sets: the shipped profile's, else the row's own.
std::int64_t default_of(const SettingRow& row);

// Returns the words for the values of a choice, from 0 on. It is empty for a setting that is a
// number.
std::span<const char* const> words_of(const SettingRow& row);

// These are the process's settings. They have their defaults until read_settings has run.
extern Settings settings;

// Reads BATON_* once. Unknown names and values out of range are reported on standard error with the
// nearest name or the range, and otherwise ignored.
void read_settings();
// Reads them unless that was done before.
void read_settings_once();
// Does as the first function, with the values of a profile as "name=value,name=value"; null: there
// is none.
void read_settings(const char* profile_values);
// Takes values of a profile that depend on something this process has learned after its start, such
// as its network. Settings from the environment keep their values.
void take_profile_values(const char* values);

// The source says where the present value comes from.
enum class SettingSource : std::uint8_t { fallback, shipped, tuned, environment, tool };
SettingSource source_of(const SettingRow& row);

// Writes a value for a tool; false: it is out of the row's range. The caller knows that the setting
// may be changed now (SettingChange).
bool write_setting(const SettingRow& row, std::int64_t value);

// Parses a number as settings have it, which may end in k, m or g. False: the text is no number.
bool parse_number(const char* text, std::int64_t* number);

// Returns the row by its name in the table; null when there is none.
const SettingRow* find_setting(const char* name);

// Returns the value of a setting whose variable holds this text (null: it is not set). It is for
// the launcher, which has the ranks' environment.
std::int64_t setting_value(std::int64_t Settings::*field, const char* text);

}  // namespace baton
