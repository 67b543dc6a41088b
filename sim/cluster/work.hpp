// How long a rank copies and adds up at the end of a step.
#pragma once

#include <algorithm>

#include "sim/cluster/fabric.hpp"
#include "sim/cluster/schedule.hpp"

namespace baton::cluster {

inline double work_seconds(const Step& step, const Costs& costs) {
  const double share = costs.node_copy / step.together;
  return static_cast<double>(step.combined) / std::min(costs.combine, share) +
         static_cast<double>(step.copied) / std::min(costs.core_copy, share);
}

}  // namespace baton::cluster
