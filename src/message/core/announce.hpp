// Here this process announces to those who send to it that it sleeps, or that it trusts doorbells.
// It has a wake word in each arena that it is attached to (lockfree/doorbell.hpp). This is used by
// whoever waits, and by the lanes.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Announces, or takes back, bits of all wake words of this process. After announcing, the caller
// calls `order_against_senders` and looks at every source of work before it acts.
void announce(std::uint32_t bits);
void retract(std::uint32_t bits);
// Returns whether nobody has answered an announcement yet: the bits are set in all wake words.
bool is_announced(std::uint32_t bits);
// Orders what was announced before what is looked at next, against every process that sends.
void order_against_senders();

}  // namespace baton::message
