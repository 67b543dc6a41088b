#include "launch/report.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace baton::launch {

void complain(const std::string& text) {
  fmt::print(stderr, "mpiexec: {}\n", text);
}

std::string rank_text(int rank, const machine::Placement& placement) {
  const machine::PlannedRank& planned = placement.ranks[static_cast<std::size_t>(rank)];
  bool one_core = planned.common.core >= 0 && placement.bound_to != machine::Level::machine;
  if (!one_core) return fmt::format("rank {}", rank);
  return fmt::format("rank {} on core {}", rank, planned.common.core);
}

}  // namespace baton::launch
