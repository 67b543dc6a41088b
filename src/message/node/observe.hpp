// Observation of long messages by their receiver: how long those of each size from one peer take,
// pulled and staged, at the distance that the peer has. It wishes for the quicker protocol, and for
// the other one now and then. No sender can know it: warm data lies in the receiver's cache and is
// best pulled, cold data is best staged (docs/decisions/observed.md).
#pragma once

#include "message/node/node_peer.hpp"

namespace baton::message {

// The ways: two copies through staging, one by the receiver, one of which the sender does a part.
enum class Taken { pipelined, pulled, shared };

// The receiver: a message of this size cost so much.
void observe(NodePeer& peer, std::int64_t bytes, bool exported, Taken how,
             transport::MoveCost cost);
// It could not have been pulled, because of its receive buffer: the sender need not wait for that.
void observe_not_pullable(NodePeer& peer, std::int64_t bytes, bool exported);
// The sender: whether to offer a message of this size to be pulled, rather than stage it. Where the
// receiver wishes for another way than before, this rank tries that, too, for what it receives.
// Under the send lock.
bool should_offer(NodePeer& peer, std::int64_t bytes, bool exported);
// The receiver: whether its sender shall copy a part of what it pulls next of this size.
bool wishes_shared(NodePeer& peer, std::int64_t bytes, bool exported);
// The receiver: whether it wishes to pull messages of this size.
bool wishes_pull(const NodePeer& peer, std::int64_t bytes, bool exported);

}  // namespace baton::message
