// The five models of the deposit study (MPI over VMMC for Myrinet, 2000), so that it can be
// repeated on shared memory: one setting, deposit_model, sends all messages between ranks through
// byte rings (lockfree/deposit_ring.hpp) in the way of a model; docs/decisions/deposit-models.md
// says what each does. Called from engine, link, offer, receive and redirect.cpp where they are off
// the hot path: with a model on, no peer's own ring is ever attached, so that every fast path
// declines by itself. Matching, cancelling and synchronous sends are the library's own.
#pragma once

#include "message/engine.hpp"

namespace baton::message {

// Once, by start_engine and stop_engine. An error when this rank's settings are not the job's.
Error start_deposit_model();
void stop_deposit_model();

// The sender. Makes the ring at a peer; null, explained, when memory is short. Under the contact
// lock.
Peer* contact_deposit(Peer* peer, std::uint32_t rank);
// Puts what there is room for; whether that was all. Under the send lock.
bool put_deposit(Peer& peer, Request& send);

// The receiver. Looks into the ring of a peer that rang. Under the progress lock.
bool look_at_deposit(Peer& peer);
// A receive was posted that names its source, a rank of the job: the model may redirect to it.
void advertise_deposit(const MatchQueue& queue, Request& receive, std::uint32_t sender);
// close_advert for such a receive.
bool close_deposit_advert(Request& receive);
// Ends a synchronous message that was taken in before its receive.
void accept_deposit(Arrival& arrival, Request& receive);

}  // namespace baton::message
