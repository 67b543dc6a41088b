#include "base/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/distance.hpp"
#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "base/order.hpp"
#include "base/report.hpp"
#include "base/shipped_profile.hpp"

extern char** environ;

namespace baton {

bool parse_number(const char* text, std::int64_t* number) {
  char* end = nullptr;
  std::int64_t value = std::strtoll(text, &end, 10);
  std::int64_t scale = 1;
  if (end != text && *end) {
    const char suffix = static_cast<char>(std::tolower(*end));
    scale = suffix == 'k' ? 1 << 10 : suffix == 'm' ? 1 << 20 : suffix == 'g' ? 1 << 30 : 0;
    ++end;
  }
  if (end == text || *end || scale == 0 || __builtin_mul_overflow(value, scale, &value))
    return false;
  *number = value;
  return true;
}

Settings settings;

namespace {

constexpr SettingRow rows[] = {
#define BATON_SETTING_ROW(name, part, change, type, fallback, minimum, maximum, why) \
  {#name,   Part::part, SettingChange::change, #type, fallback, minimum,             \
   maximum, why,        &Settings::name,       true},
    BATON_USER_SETTINGS(BATON_SETTING_ROW)
#undef BATON_SETTING_ROW
#define BATON_SETTING_ROW(name, part, change, type, fallback, minimum, maximum, why) \
  {#name,   Part::part, SettingChange::change, #type, fallback, minimum,             \
   maximum, why,        &Settings::name,       false},
        BATON_INNER_SETTINGS(BATON_SETTING_ROW)
#undef BATON_SETTING_ROW
};

// These variables mpiexec sets for its ranks, or reads itself; see launch/.
constexpr const char* launcher_names[] = {"JOB_FD",          "RANK",
                                          "LIFELINE_FD",     "INITIAL_ERRHANDLER",
                                          "PROFILE_VALUES",  "PROFILE_COLLECTIVES",
                                          "PROFILE_NETWORK", "LIBRARY_FOLDER",
                                          "OTHER_JOBS",      "FIRST_RANK",
                                          "CONNECTION",      "PARENT",
                                          "FAMILY",          "FAMILY_FD",
                                          "FAMILY_OPTIONS",  "MPIEXEC",
                                          "APPNUM",          "UNIVERSE_SIZE",
                                          "LOCAL_DEVICE",    "DEVICES_ROOT"};
// These variables hold words: which profile (profile/, base/shipped_profile.hpp), which algorithms
// (base/selection.hpp), where memory goes (base/numa_policy.hpp), the network's library, provider
// and interface (transport/network/), and the plug-in of a kind of memory
// (platform/memory_kind.hpp).
constexpr const char* word_names[] = {"profile",    "collectives",      "memory",
                                      "libfabric",  "network_provider", "network_interface",
                                      "memory_kind"};

// This is a former name of a setting; it is accepted until the next release.
struct FormerSetting {
  const char* name;
  const char* now;
};
constexpr FormerSetting former_settings[] = {
    {"stage_span_bytes", "pipeline_span_bytes"},
    {"stage_publish_bytes", "pipeline_publish_bytes"},
    {"stage_publish_long_bytes", "pipeline_publish_long_bytes"},
    {"stage_fetch_bytes", "pipeline_fetch_bytes"},
    {"stage_around_cache", "non_temporal_stores"},
    {"stage_handed", "ownership_transfer"},
    {"stage_early", "pipeline_early"},
    {"redirect", "receiver_initiated"},
    {"pipeline_window_bytes", "pipeline_buffer_bytes"}};

// This is a setting that exists no more, and what replaces it. A job that sets it is told so until
// the next release.
struct GoneSetting {
  const char* name;
  const char* instead;
};
constexpr GoneSetting gone_settings[] = {
    {"segment_bytes_max", "a side copies at most 128 KiB of a shared message in one go"},
    {"piece_bytes_max", "a side copies at most 128 KiB of a shared message in one go"}};

SettingSource sources[std::size(rows)];
bool are_read = false;

bool names_equal(const char* variable, int length, const char* name) {
  if (static_cast<int>(std::strlen(name)) != length) return false;
  for (int i = 0; i < length; ++i)
    if (std::tolower(variable[i]) != std::tolower(name[i])) return false;
  return true;
}

void warn_unknown(const char* variable, int length) {
  const char* nearest = rows[0].name;
  auto consider = [&](const char* name) {
    if (edit_distance(variable, length, name) < edit_distance(variable, length, nearest))
      nearest = name;
  };
  for (const SettingRow& row : rows) consider(row.name);
  for (const char* name : word_names) consider(name);
  char upper[longest_name + 1] = {};
  for (int i = 0; i < longest_name && nearest[i]; ++i)
    upper[i] = static_cast<char>(std::toupper(nearest[i]));
  report(
      "unknown setting BATON_%.*s is ignored; the nearest is BATON_%s (`baton settings` lists all)",
      length, variable, upper);
}

// Parses a word of a choice. False when the text is none of its words.
bool parse_word(const SettingRow& row, const char* text, std::int64_t* result) {
  const auto words = words_of(row);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (names_equal(text, static_cast<int>(std::strlen(text)), words[i])) {
      *result = static_cast<std::int64_t>(i);
      return true;
    }
  return false;
}

// Parses a setting's text. False when it is neither a number in the row's range nor one of its
// words.
bool parse(const SettingRow& row, const char* text, std::int64_t* result) {
  if (parse_word(row, text, result)) return true;
  std::int64_t value = 0;
  if (!parse_number(text, &value) || value < row.minimum || value > row.maximum) return false;
  *result = value;
  return true;
}

// Returns the row of a former name, and warns that the name will go.
const SettingRow* find_former(const FormerSetting& former) {
  char names[2][longest_name + 1] = {};
  for (int i = 0; i < longest_name && former.name[i]; ++i)
    names[0][i] = static_cast<char>(std::toupper(former.name[i]));
  for (int i = 0; i < longest_name && former.now[i]; ++i)
    names[1][i] = static_cast<char>(std::toupper(former.now[i]));
  report("BATON_%s is called BATON_%s now; the former name goes with the next release", names[0],
         names[1]);
  return find_setting(former.now);
}

void read_one(const SettingRow& row, const char* text, SettingSource source) {
  if (source_of(row) == SettingSource::tool) return;
  if (parse(row, text, &(settings.*row.field))) {
    sources[&row - rows] = source;
    return;
  }
  const auto words = words_of(row);
  if (words.empty()) {
    report("setting %s=%s is ignored: it takes a number from %lld to %lld", row.name, text,
           static_cast<long long>(row.minimum), static_cast<long long>(row.maximum));
    return;
  }
  char list[200] = {};
  for (std::size_t length = 0; const char* word : words)
    if (length < sizeof list)
      length +=
          static_cast<std::size_t>(std::snprintf(list + length, sizeof list - length, " %s", word));
  report("setting %s=%s is ignored: it takes one of%s", row.name, text, list);
}

// Reads "name=value,name=value", which mpiexec or a tool has written and checked. With `all` it
// also replaces values that another source has set.
void read_profile(const char* text, bool all) {
  constexpr int longest = 80;
  while (*text) {
    char entry[longest];
    std::size_t length = std::strcspn(text, ",");
    std::snprintf(entry, sizeof entry, "%.*s", static_cast<int>(length), text);
    text += length + (text[length] == ',');
    char* equals = std::strchr(entry, '=');
    if (!equals) continue;
    *equals = 0;
    const SettingRow* row = find_setting(entry);
    if (row && (all || source_of(*row) != SettingSource::environment))
      read_one(*row, equals + 1, SettingSource::tuned);
  }
}

// Reads "NAME=value", without the prefix BATON_.
void read_variable(const char* variable) {
  const char* equals = std::strchr(variable, '=');
  if (!equals) return;
  const int length = static_cast<int>(equals - variable);
  auto matches = [&](const char* name) { return names_equal(variable, length, name); };
  auto is_named = [&](const auto& one) { return matches(one.name); };
  if (std::ranges::any_of(launcher_names, matches)) return;
  if (std::ranges::any_of(word_names, matches)) return;
  if (const auto* row = std::ranges::find_if(rows, is_named); row != std::end(rows))
    return read_one(*row, equals + 1, SettingSource::environment);
  if (const auto* former = std::ranges::find_if(former_settings, is_named);
      former != std::end(former_settings))
    return read_one(*find_former(*former), equals + 1, SettingSource::environment);
  if (const auto* gone = std::ranges::find_if(gone_settings, is_named);
      gone != std::end(gone_settings))
    return report("BATON_%.*s is gone; %s", length, variable, gone->instead);
  warn_unknown(variable, length);
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return rows;
}

std::span<const char* const> words_of(const SettingRow& row) {
  if (row.field == &Settings::order) return order_words;
  if (row.field == &Settings::near_ranks) return near_ranks_words;
  return {};
}

std::int64_t default_of(const SettingRow& row) {
  return shipped_value(shipped_profile(), row).value_or(row.fallback);
}

const SettingRow* find_setting(const char* name) {
  for (const FormerSetting& former : former_settings)
    if (std::strcmp(former.name, name) == 0) name = former.now;
  for (const SettingRow& row : rows)
    if (std::strcmp(row.name, name) == 0) return &row;
  return nullptr;
}

SettingSource source_of(const SettingRow& row) {
  return sources[&row - rows];
}

void read_settings() {
  read_settings(environment_variable("BATON_PROFILE_VALUES"));
}

void read_settings_once() {
  if (!are_read) read_settings();
}

bool write_setting(const SettingRow& row, std::int64_t value) {
  if (value < row.minimum || value > row.maximum) return false;
  // relaxed: threads that send now take the former value or this one.
  std::atomic_ref(settings.*row.field).store(value, std::memory_order_relaxed);
  sources[&row - rows] = SettingSource::tool;
  return true;
}

void read_settings(const char* profile_values) {
  use_shipped_profile(environment_variable("BATON_PROFILE"));
  are_read = true;
  for (const SettingRow& row : rows) {
    if (source_of(row) == SettingSource::tool) continue;
    const auto shipped = shipped_value(shipped_profile(), row);
    settings.*row.field = shipped.value_or(row.fallback);
    sources[&row - rows] = shipped ? SettingSource::shipped : SettingSource::fallback;
  }
  if (profile_values) read_profile(profile_values, true);
  for (char** entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "BATON_", 6) == 0) read_variable(*entry + 6);
}

void take_profile_values(const char* values) {
  read_profile(values, false);
}

std::int64_t setting_value(std::int64_t Settings::*field, const char* text) {
  const SettingRow* row =
      std::ranges::find_if(rows, [field](const SettingRow& each) { return each.field == field; });
  std::int64_t value = default_of(*row);
  if (text) (void)parse(*row, text, &value);
  return value;
}

}  // namespace baton
