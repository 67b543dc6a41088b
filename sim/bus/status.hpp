// What is left of a node's earlier transfer at a cycle, and what the status tells a root about it,
// which may be wrong or old. Pure; called by Node and Root. The truth never depends on what is
// told.
#pragma once

#include <limits>

#include "sim/bus/case.hpp"
#include "sim/bus/order.hpp"

namespace baton::bus {

inline constexpr Bytes unknown_left = std::numeric_limits<Bytes>::max();

/// Bytes left at `cycle` of the collective; each channel moves four bytes a cycle, on its own.
Bytes left_at(const Channel& channel, Cycles cycle);

/// The first cycle in which the channel is idle; a sound one's.
Cycles idle_from(const Channel& channel);

/// The node's entry as a root reads it at `cycle`.
StatusEntry told(int node, const Channel& channel, const Flaw& flaw, Cycles cycle);

/// The entry as exact as `detail` says; nothing comes before what nobody can say.
StatusEntry coarse(StatusEntry entry, Detail detail);

}  // namespace baton::bus
