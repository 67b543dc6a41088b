// The lanes in which peers of this node send: looked at one by one where they are few, else where a
// doorbell has rung. Under the progress lock.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Its lines come in the lane that was attached: it is looked at from now on. Under the progress
// lock.
void use_lane(Peer& peer);
// Takes in what has come from processes of our own job, and in all lanes; whether anything had.
bool poll_lanes();
// Looks where a doorbell has rung in an arena of meeting, at this process's slot there; whether
// anything had come.
bool poll_doorbells(transport::Slot own);

}  // namespace baton::message
