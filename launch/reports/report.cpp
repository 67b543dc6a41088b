#include "launch/reports/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "launch/run/outlet.hpp"
#include "launch/run/write_text.hpp"

namespace baton::launch {

namespace {

bool in_background = false;
std::string reporting_place;
constexpr std::string_view start = "mpiexec: ";

}  // namespace

std::string file_of_part(const std::string& name, const std::string& part) {
  std::string text = name;
  if (const std::size_t place = text.find("%h"); place != std::string::npos)
    return text.replace(place, 2, part);
  const std::size_t folder = text.rfind('/'), dot = text.rfind('.');
  const bool ends = dot != std::string::npos && (folder == std::string::npos || dot > folder + 1);
  return text.insert(ends && dot > 0 ? dot : text.size(), '.' + part);
}

void report_from(const std::string& place) {
  reporting_place = place;
}

void report(std::string_view words) {
  std::string text(words);
  if (!reporting_place.empty() && words.starts_with(start))
    text = fmt::format("mpiexec {}: {}", reporting_place, words.substr(start.size()));
  if (in_background)
    Outlet::of(STDERR_FILENO).put(text);
  else
    (void)write_text(STDERR_FILENO, text);
}

void complain(const std::string& text) {
  report(std::string(start) + text + "\n");
}

void report_in_background() {
  in_background = true;
}

std::string rank_text(int rank, const machine::Placement& placement) {
  const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank)];
  bool one_core = planned.common.core >= 0 && placement.bound_to != machine::Level::machine;
  const int number = placement.first_rank + rank;
  if (!one_core) return fmt::format("rank {}", number);
  return fmt::format("rank {} on core {}", number, planned.common.core);
}

}  // namespace baton::launch
