#include "base/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace baton {

Settings settings;

namespace {

constexpr SettingRow rows[] = {
#define BATON_SETTING_ROW(name, type, fallback, minimum, maximum, why) \
  {#name, #type, fallback, minimum, maximum, why, &Settings::name},
    BATON_SETTINGS(BATON_SETTING_ROW)
#undef BATON_SETTING_ROW
};

// Variables that mpiexec sets for its ranks; see launch/.
constexpr const char* launcher_names[] = {
    "JOB_FD", "RANK", "LIFELINE_FD", "INITIAL_ERRHANDLER", "PROFILE_VALUES", "PROFILE"};

SettingSource sources[std::size(rows)];

constexpr int longest_name = 40;

bool names_equal(const char* variable, int length, const char* name) {
  if (static_cast<int>(std::strlen(name)) != length) return false;
  for (int i = 0; i < length; ++i)
    if (std::tolower(variable[i]) != std::tolower(name[i])) return false;
  return true;
}

// Levenshtein distance, case-insensitive; both names are shorter than longest_name.
int edit_distance(const char* a, int a_length, const char* b) {
  int b_length = static_cast<int>(std::strlen(b));
  if (a_length >= longest_name || b_length >= longest_name) return longest_name;
  int row[longest_name + 1];
  for (int j = 0; j <= b_length; ++j) row[j] = j;
  for (int i = 1; i <= a_length; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b_length; ++j) {
      int substitution = diagonal + (std::tolower(a[i - 1]) != std::tolower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b_length];
}

void warn_unknown(const char* variable, int length) {
  const SettingRow* nearest = &rows[0];
  for (const SettingRow& row : rows)
    if (edit_distance(variable, length, row.name) < edit_distance(variable, length, nearest->name))
      nearest = &row;
  char upper[longest_name + 1] = {};
  for (int i = 0; i < longest_name && nearest->name[i]; ++i)
    upper[i] = static_cast<char>(std::toupper(nearest->name[i]));
  std::fprintf(stderr,
               "baton: unknown setting BATON_%.*s is ignored; the nearest is BATON_%s "
               "(`baton settings` lists all)\n",
               length, variable, upper);
}

// False when the text is no number in the row's range.
bool parse(const SettingRow& row, const char* text, std::int64_t* result) {
  char* end = nullptr;
  std::int64_t value = std::strtoll(text, &end, 10);
  std::int64_t scale = 1;
  if (end != text && *end) {
    char suffix = static_cast<char>(std::tolower(*end));
    scale = suffix == 'k' ? 1 << 10 : suffix == 'm' ? 1 << 20 : suffix == 'g' ? 1 << 30 : 0;
    ++end;
  }
  if (end == text || *end || scale == 0 || __builtin_mul_overflow(value, scale, &value) ||
      value < row.minimum || value > row.maximum)
    return false;
  *result = value;
  return true;
}

void read_one(const SettingRow& row, const char* text, SettingSource source) {
  if (parse(row, text, &(settings.*row.field))) {
    sources[&row - rows] = source;
    return;
  }
  std::fprintf(stderr, "baton: setting %s=%s is ignored: it takes a number from %lld to %lld\n",
               row.name, text, static_cast<long long>(row.minimum),
               static_cast<long long>(row.maximum));
}

// "name=value,name=value"; made by mpiexec or a tool, who have checked it.
void read_profile(const char* text) {
  constexpr int longest = 80;
  while (*text) {
    char entry[longest];
    std::size_t length = std::strcspn(text, ",");
    std::snprintf(entry, sizeof entry, "%.*s", static_cast<int>(length), text);
    text += length + (text[length] == ',');
    char* equals = std::strchr(entry, '=');
    if (!equals) continue;
    *equals = 0;
    if (const SettingRow* row = find_setting(entry))
      read_one(*row, equals + 1, SettingSource::profile);
  }
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return rows;
}

const SettingRow* find_setting(const char* name) {
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

void read_settings(const char* profile_values) {
  settings = Settings{};
  std::ranges::fill(sources, SettingSource::fallback);
  if (profile_values) read_profile(profile_values);
  for (char** entry = environ; *entry; ++entry) {
    if (std::strncmp(*entry, "BATON_", 6) != 0) continue;
    const char* variable = *entry + 6;
    const char* equals = std::strchr(variable, '=');
    if (!equals) continue;
    int length = static_cast<int>(equals - variable);
    auto matches = [&](const char* name) { return names_equal(variable, length, name); };
    if (std::ranges::any_of(launcher_names, matches)) continue;
    const SettingRow* found =
        std::ranges::find_if(rows, [&](const SettingRow& row) { return matches(row.name); });
    if (found == std::end(rows))
      warn_unknown(variable, length);
    else
      read_one(*found, equals + 1, SettingSource::environment);
  }
}

std::int64_t setting_value(std::int64_t Settings::*field, const char* text) {
  const SettingRow* row =
      std::ranges::find_if(rows, [field](const SettingRow& each) { return each.field == field; });
  std::int64_t value = row->fallback;
  if (text) (void)parse(*row, text, &value);
  return value;
}

const char* environment_variable(const char* name) {
  return std::getenv(name);
}

}  // namespace baton
