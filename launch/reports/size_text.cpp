#include "launch/reports/size_text.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/traffic.hpp"

namespace baton::launch {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  bool whole = bytes == static_cast<double>(static_cast<std::int64_t>(bytes));
  return whole ? fmt::format("{:.0f} {}", bytes, units[unit])
               : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string size_text(int size) {
  if (size == size_class_count - 1)
    return "over " + bytes_text(static_cast<double>(size_class_limit(size - 1)));
  return "to " + bytes_text(static_cast<double>(size_class_limit(size)));
}

}  // namespace baton::launch
