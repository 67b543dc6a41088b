#include "cli/tune/apart.hpp"

#include "cli/tune/plan.hpp"
#include "machine/placement.hpp"
#include "platform/line_time.hpp"

namespace baton::cli::tune {

Distance distance_now(const profile::Pair& pair) {
  const double ns = platform::line_time_ns(pair.cpus[0], pair.cpus[1]);
  return ns >= 0 && ns < static_cast<double>(near_below_ns) ? Distance::near : Distance::far;
}

profile::Pair farthest_pair(const machine::Machine& machine, int ranks) {
  machine::PlacementPolicy policy;
  policy.ranks = ranks;
  policy.may_share = true;
  const auto placement = machine::place(machine, policy);
  profile::Pair farthest;
  if (!placement) return farthest;
  const machine::Cpu& first = placement->ranks.front().common;
  int most = -1;
  for (const machine::PlannedRank& rank : placement->ranks) {
    const int steps = steps_apart(first, rank.common);
    if (rank.common.os == first.os || steps <= most) continue;
    most = steps;
    farthest = {class_name(steps), {first.os, rank.common.os}};
  }
  return farthest;
}

}  // namespace baton::cli::tune
