// The target's side of transfers (window/transfer.hpp), in its progress: so one thread at a time.
// Used by remote_target.cpp.
// Invariant: a flush is answered when all data from that origin is where it belongs; accumulates
// are applied in the order of their announcements.
#pragma once

#include "window/transfer_list.hpp"

namespace baton::window {

// Each takes what it is about, or where that is refused the data, which goes nowhere; of what was
// to be got nothing is sent then. The error is for the origin's next flush.
Error receive_put(const Announcement& announcement, bool refuse);
Error receive_accumulate(const Announcement& announcement, bool refuse);
void send_got(const Announcement& announcement, bool refuse);
// Whether nothing of this origin is on its way; when that is so, `end` is called.
bool is_idle(const Window& window, int rank);
void await_idle(const Incoming& incoming, void (*end)(const Incoming&));

}  // namespace baton::window
