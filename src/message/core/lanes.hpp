// The lanes in which peers of this node send: looked at one by one where they are few, else where a
// doorbell has rung. Under the progress lock.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Its lines come in the lane that was attached: it is looked at from now on. Under the progress
// lock.
void use_lane(Peer& peer);
// Takes in what has come; whether anything had.
bool poll_lanes();

}  // namespace baton::message
