// The steps of a message's way between the entry points (send, receive, probe) and the progress
// loop. Called by floor 6 only.
#pragma once

#include "message/engine.hpp"

namespace baton::message {

// --- arrivals (arrive.cpp): a first line stands at the head of the peer's ring.
void arrive_payload(Peer& peer, lockfree::Header header);
void arrive_offer(Peer& peer, lockfree::Header header);

// Hands an arrival that a receive has matched to it; frees the arrival. False when its offer had
// been withdrawn: the receive is as before.
bool deliver(Arrival& arrival, Request& receive);

// --- sends that do not end at once (offer.cpp).
// Puts what the request stands for into the peer's ring, or leaves it queued. Retried by progress.
void submit(Peer& peer, Request& request);
bool drain_queue(Peer& peer);

// The receiver's side of an offer it has claimed: copies, or asks for a stream.
void accept_offer(Arrival& arrival, Request& receive);
// The sender's side: offers that are done, claims that came.
bool poll_offers();
void arrive_claim(Peer& peer);
// Withdraws the offer of a send that nobody has matched. False when it was claimed.
bool withdraw(Request& send);

// --- streams through staging (stream.cpp).
// Takes a chunk for the beginning of a send that nobody has matched; no_chunk when it should wait.
int take_early_chunk(Peer& peer, const Request& send);
// Fills it with the first `bytes` of the message. The line that names it is out.
void fill_early_chunk(Peer& peer, const Request& send, int chunk, std::int64_t bytes);
// Copies an early chunk behind its sender, and gives it back: `bytes` lie in it, the first `wanted`
// go to the receive, or to memory.
void take_early_bytes(int chunk, std::int64_t bytes, Request& receive, std::int64_t wanted);
void take_early_bytes(int chunk, std::int64_t bytes, char* target);
std::uint32_t open_stream(Request& receive);
void arrive_chunk(Peer& peer);
bool advance_streams();

// --- messages to oneself (self.cpp).
Error send_to_self(Request& send, bool synchronous);
void deliver_local(Request& send, Request& receive);

// Gives the CPU away for a moment while a peer is in the middle of a message.
void pause_for_peer();

}  // namespace baton::message
