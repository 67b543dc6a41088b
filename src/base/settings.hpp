// The process's settings, as rows of one table (base/settings_table.hpp). Each is read once, at
// start: from the environment variable BATON_<NAME>, else from the machine's profile as mpiexec
// handed it on, else from the shipped profile of the processor's family (base/shipped_profile.hpp),
// else it has its default.
#pragma once

#include <cstdint>
#include <span>

#include "base/settings_table.hpp"

namespace baton {

// All rows, for tools and documentation.
std::span<const SettingRow> setting_rows();

// What a setting is where nobody says otherwise: what the shipped profile has, else the row's own
// value.
std::int64_t default_of(const SettingRow& row);

// What the numbers of a choice mean, from 0 on; empty: it is a number.
std::span<const char* const> words_of(const SettingRow& row);

// The process's settings; defaults until read_settings has run.
extern Settings settings;

// Reads BATON_* once. Unknown names and values out of range are reported on standard error with the
// nearest name or the range, and otherwise ignored.
void read_settings();
// The same with the values of a profile, as "name=value,name=value"; null: there is none.
void read_settings(const char* profile_values);
// Values of a profile that hold only for what this process has found out since: what comes from the
// environment stays.
void take_profile_values(const char* values);

// Where the present value comes from.
enum class SettingSource : std::uint8_t { fallback, shipped, tuned, environment };
SettingSource source_of(const SettingRow& row);

// A number as settings have it, which may end in k, m or g. False: it is none.
bool parse_number(const char* text, std::int64_t* number);

// A row by the name in the table; null when there is none.
const SettingRow* find_setting(const char* name);

// For the launcher, which has the ranks' environment: what a setting is when the variable holds
// this text (null: it is not set).
std::int64_t setting_value(std::int64_t Settings::*field, const char* text);

}  // namespace baton
