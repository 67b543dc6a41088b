// These are the parts that hierarchical algorithms have in common: two rounds of a room, one within
// the machine's groups and one between them. Not all slots of a round are published; only published
// slots are waited for, read and learned from.
#pragma once

#include "collective/room/visit.hpp"

namespace baton::collective {

// Publishes our slot within the group, for the leader, which waits for it.
inline void publish_to_leader(Visit& within, Places group, int leader) {
  within.publish(within.rank());
  if (within.rank() != leader && !within.others_missing(group)) within.wake(leader);
}

// Publishes a leader's slot between groups, to all ranks: it stands for its group, which has
// finished the rounds up to `finished`.
inline void publish_to_all(Visit& between, Places leaders, std::uint64_t finished) {
  between.publish_own_for_others(finished);
  if (!between.others_missing(leaders)) between.wake_all();
}

}  // namespace baton::collective
