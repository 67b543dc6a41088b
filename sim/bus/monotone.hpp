// Does the gain grow with nodes, idle share and size, as the study found? Where it falls, why.
// Pure; called by the sweep.
#pragma once

#include <span>

#include "sim/bus/grid.hpp"

namespace baton::bus {

enum class Axis { nodes, idle_share, message };

struct Fall {
  Row from;
  Row to;
};

struct Trend {
  Axis axis = Axis::nodes;
  int grew = 0, same = 0, fell = 0;
  int fell_hidden = 0;    // nothing is waited for any more: only the collective itself gets longer
  int fell_all_idle = 0;  // no node is busy, nothing can be gained
  int fell_rounding = 0;  // of the nodes, a greater share is busy: shares are rounded to nodes
  std::vector<Fall> other;  // falls without such a reason
  Fall greatest;            // of all falls
};

/// Neighbors along the axis, all else alike; mean gains are compared.
Trend trend_along(Axis axis, std::span<const Row> rows);

Json describe(const Trend& trend);

/// Mean gains over all rows that agree in the coordinate, by its value.
Json means_along(Axis axis, std::span<const Row> rows);

}  // namespace baton::bus
