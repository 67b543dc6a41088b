// This is the target's side of transfers (window/transfer.hpp), which its progress carries out, so
// one thread at a time. They are used by remote_target.cpp.
// Invariant: a flush is answered when all data from that origin is where it belongs; accumulates
// are applied in the order of their announcements.
#pragma once

#include "window/transfer_list.hpp"

namespace baton::window {

// Each carries out an announced transfer; if it is to be refused, it drops the data of a put, and
// sends nothing for a get. The error is for the origin's next flush.
Error receive_put(const Announcement& announcement, bool refuse);
Error receive_accumulate(const Announcement& announcement, bool refuse);
void send_got(const Announcement& announcement, bool refuse);
// is_idle returns whether no transfer of this origin is on its way; await_idle calls `end` when
// that is so.
bool is_idle(const Window& window, int rank);
void await_idle(const Incoming& incoming, void (*end)(const Incoming&));

}  // namespace baton::window
