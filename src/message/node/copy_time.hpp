// The time that goes into long copies: what a message costs is observed, and what else its receiver
// copied meanwhile is not its cost.
// Budget: two readings of the clock; only for messages whose time is observed or long.
#pragma once

#include "message/node/node_messages.hpp"
#include "platform/clock.hpp"

namespace baton::message {

// A copy for a request has taken the time since `start`.
inline void count_copy_time(Request& request, std::int64_t start) {
  const std::int64_t took = platform::now_ticks() - start;
  node_part(request).copy_ticks += took;
  platform::add_shared(node_of(request).copy_ticks, took);
}

// A staged receive begins to be observed.
inline void start_observing(Request& receive) {
  node_part(receive).started_ticks = platform::now_ticks();
  node_part(receive).copy_ticks = 0;
  node_part(receive).before_ticks = platform::load_shared(node_of(receive).copy_ticks);
}
// How long it took since then, without what was copied for others.
inline std::int64_t observed_ticks(const Request& receive) {
  const std::int64_t all =
      platform::load_shared(node_of(receive).copy_ticks) - node_part(receive).before_ticks;
  return platform::now_ticks() - node_part(receive).started_ticks -
         (all - node_part(receive).copy_ticks);
}

}  // namespace baton::message
