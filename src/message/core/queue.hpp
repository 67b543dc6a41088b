// The queue of requests that wait for space on the way to a peer, first come first served.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Puts what the request stands for on its way, or leaves it queued. Retried by progress.
void submit(Peer& peer, Request& request);
// Puts an active message (active.hpp) on its way, or a copy of it waits. MPI_ERR_NO_MEM, explained.
Error submit_active(Peer& peer, lockfree::Envelope envelope, const void* payload,
                    std::size_t bytes);
// Goes on with what waits; whether any went. By progress.
bool drain_queue(Peer& peer);

}  // namespace baton::message
