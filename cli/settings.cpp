#include "base/settings.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string>

#include "cli/commands.hpp"

namespace baton::cli {

namespace {

std::string variable_name(const SettingRow& row) {
  std::string name = "BATON_";
  for (const char* c = row.name; *c; ++c)
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  return name;
}

std::string value_text(std::int64_t value) {
  constexpr std::pair<std::int64_t, char> units[] = {
      {1LL << 30, 'g'}, {1LL << 20, 'm'}, {1 << 10, 'k'}};
  for (auto [unit, letter] : units)
    if (value >= unit && value % unit == 0) return fmt::format("{}{}", value / unit, letter);
  return fmt::format("{}", value);
}

std::string range_text(const SettingRow& row) {
  return fmt::format("{} to {}", value_text(row.minimum), value_text(row.maximum));
}

void print_markdown() {
  fmt::print(
      "# Settings\n\n"
      "Made by `baton settings --markdown` from `src/base/settings.hpp`; do not edit.\n\n"
      "Each is an environment variable, read once at start. Numbers may end in k, m or g (1024, "
      "1024^2,\n"
      "1024^3). An unknown `BATON_` variable is reported with the nearest name.\n\n"
      "| variable | type | default | range | why it exists |\n|---|---|---|---|---|\n");
  for (const SettingRow& row : setting_rows())
    fmt::print("| `{}` | {} | {} | {} | {} |\n", variable_name(row), row.type,
               value_text(row.fallback), range_text(row), row.why);
}

}  // namespace

int print_settings(bool markdown) {
  if (markdown) {
    print_markdown();
    return 0;
  }
  read_settings();
  for (const SettingRow& row : setting_rows()) {
    std::int64_t value = settings.*row.field;
    fmt::print("{:<28} {:>8}{}  {}; {} ({})\n", variable_name(row), value_text(value),
               value == row.fallback ? " " : "*", row.why, row.type, range_text(row));
  }
  fmt::print("(* differs from the default, by the environment)\n");
  return 0;
}

}  // namespace baton::cli
