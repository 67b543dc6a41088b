// What the hierarchical algorithms have in common: two rounds of a room, within the machine's
// groups and between them. Not all slots of a round are published; only those are waited for, read
// and learned from.
#pragma once

#include "collective/room/visit.hpp"

namespace baton::collective {

// Within a group: publishes our slot, which the leader waits for.
inline void publish_to_leader(Visit& within, Places group, int leader) {
  within.publish(within.rank());
  if (within.rank() != leader && !within.others_missing(group)) within.wake(leader);
}

// Between groups, by a leader, to all: for its group, which has finished what is up to `finished`.
inline void publish_to_all(Visit& between, Places leaders, std::uint64_t finished) {
  between.publish_own_for_others(finished);
  if (!between.others_missing(leaders)) between.wake_all();
}

}  // namespace baton::collective
