// The five models of the deposit study (MPI over VMMC for Myrinet, 2000), so that it can be
// repeated on shared memory: one setting, deposit_model, sends all messages between ranks through
// byte rings (lockfree/deposit_ring.hpp) in the way of a model; docs/decisions/deposit-models.md
// says what each does. A protocol of its own: with a model on, no peer's lane is ever attached, so
// that every fast path declines by itself. Matching, cancelling and synchronous sends are the
// library's own.
#pragma once

#include "message/core/protocol.hpp"

namespace baton::message {

extern const Protocol deposit_models;

// Its parts. The sender: puts what there is room for; whether that was all.
bool put_deposit(Peer& peer, Request& send);
// The receiver: a receive was posted that names its source, and the model may
// redirect to it.
void advertise_deposit(const MatchQueue& queue, Request& receive, Process sender);
bool close_deposit_advert(Request& receive);
// Ends a synchronous message that was taken in before its receive.
void accept_deposit(UnexpectedMessage& unexpected, Request& receive);

}  // namespace baton::message
