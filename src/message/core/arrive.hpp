// The arrival of a message whose first line has come, in a peer's lane or in an inbox: it meets
// its receive, or is kept. Called by the progress loop and by the protocols of this layer.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Takes in what has come through an inbox; whether anything had. `shared`: the account of all its
// senders together; null: each has its own. `notice` (or null) hears of each line before it is
// taken in. Under the progress lock.
bool poll_inbox(transport::Inbox& inbox, Account* shared, void (*notice)(Peer&, unsigned kind));

// Takes in what one peer has sent through its lane; whether anything came.
bool poll_peer(Peer& peer);

}  // namespace baton::message
