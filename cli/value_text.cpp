#include "cli/value_text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace baton::cli {

namespace {

constexpr std::pair<std::int64_t, char> units[] = {
    {1LL << 30, 'g'}, {1LL << 20, 'm'}, {1 << 10, 'k'}};

}  // namespace

std::string value_text(std::int64_t value) {
  for (auto [unit, letter] : units)
    if (value >= unit && value % unit == 0) return fmt::format("{}{}", value / unit, letter);
  return fmt::format("{}", value);
}

std::int64_t value_of_text(const std::string& text) {
  std::int64_t value = std::strtoll(text.c_str(), nullptr, 10);
  for (auto [unit, letter] : units)
    if (text.ends_with(letter)) return value * unit;
  return value;
}

}  // namespace baton::cli
