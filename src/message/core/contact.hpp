// How a peer is met: the first message to it, or from it, lets its protocol make it.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// The peer that a process is; makes contact if need be. Null, explained, when memory is short.
Peer* contact(Process process);
// Returns the peer of a process that something has come from: sending to it need not be possible
// yet.
Peer* meet(Process process);
// Forgets the peer that a process was, if it has been met; nothing of it is under way. Under the
// progress lock.
void forget_contact(Process process);

}  // namespace baton::message
