// In which order a root serves the nodes: a pure function of what it sees. Called by Root.
// Every node it is given comes out exactly once, whatever the status says of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/bus/case.hpp"

namespace baton::bus {

/// What a root sees of a node.
struct StatusEntry {
  int node = 0;
  bool idle = true;
  Bytes left = 0;  // of its earlier transfer; all ones: nobody can say
};

enum class Reason { rank_order, idle, least_left };

struct Choice {
  int node = 0;
  Reason reason = Reason::rank_order;
  bool operator==(const Choice&) const = default;
};

/// Rank order: as numbered. Status order: idle nodes, then those with the least left; ranks break
/// ties.
std::vector<Choice> serve_order(Order order, std::span<const StatusEntry> status);

/// The first of serve_order(); the status is not empty.
Choice choose_next(Order order, std::span<const StatusEntry> status);

}  // namespace baton::bus
