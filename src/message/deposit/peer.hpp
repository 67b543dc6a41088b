// The state that a deposit model keeps for a pair of ranks, at each of the two. Used by the files
// of this folder.
#pragma once

#include "lockfree/advert.hpp"
#include "lockfree/deposit_ring.hpp"
#include "message/node/node_protocol.hpp"
#include "message/node/receiver_initiated.hpp"
#include "message/node/rendezvous_slots.hpp"

namespace baton::message {

// The memory that the receiver writes for the sender, beside the ring.
struct DepositControl {
  lockfree::DepositHead<lockfree::Hardware> head;
  transport::Advert advert;  // one at a time, as the study had it
};
static_assert(sizeof(DepositControl) <= page_bytes);

// A message part of the way in: either its receive, or memory of ours until all is there.
struct IncomingDeposit {
  Request* receive = nullptr;
  UnexpectedMessage* unexpected = nullptr;
  std::int32_t slot = lockfree::no_deposit_slot;
  std::int64_t position = 0;
};

struct DepositPeer final : NodePeer {
  // The ring there, under the send lock.
  lockfree::DepositSender<lockfree::Hardware> ring_out;
  transport::Advert* their_advert = nullptr;
  char* message = nullptr;  // where a fragment is made contiguous first; as long as the ring
  // The ring here, under the progress lock.
  lockfree::DepositReceiver<lockfree::Hardware> ring_in;
  transport::Advert* own_advert = nullptr;
  Request* told = nullptr;    // the receive that it tells of; null: it is closed
  std::uint64_t adverts = 0;  // so far
  IncomingDeposit incoming;
  DepositPeer* next_open = nullptr;  // of those whose ring to us is in use
};

// A peer that was met.
inline DepositPeer& deposit_peer(Process process) {
  return static_cast<DepositPeer&>(peer_of(process));
}

// A model, by what it does with a message. Table 2 of the study; limits in bytes are the study's
// own.
struct DepositModel {
  static constexpr std::int64_t copied_bytes_max = 8192;   // 5: up to here one copy on each side
  static constexpr std::int64_t direct_bytes_min = 16384;  // 5: from here on none
  int number;

  // How much of the efficient queues there is.
  constexpr lockfree::DepositRules rules(bool delayed) const {
    return {.lazy = number != 1, .tail = number == 1, .delayed = delayed};
  }
  // Returns whether the sender makes the message contiguous in memory of its own before it deposits
  // it.
  constexpr bool copies_at_sender(std::int64_t bytes) const {
    return number <= 3 || (number == 5 && bytes < direct_bytes_min);
  }
  // Returns whether the data may go straight to the receive's buffer.
  constexpr bool redirects(std::int64_t bytes) const {
    return (number == 3 && bytes > 0) || (number == 5 && bytes > copied_bytes_max);
  }
};
DepositModel deposit_model();

// --- the sender
// Puts what there is space for; whether that was all (send.cpp).
bool put_deposit(DepositPeer& peer, Request& send);
// Claims the advert for the next message, when that matches and nothing else can; its number is 0
// if not (advert.cpp).
Target claim_target(DepositPeer& peer, const Request& send);
// The data of the first fragment, to there; false, with the advert open again, when our kernel
// refused.
bool push_to_target(DepositPeer& peer, const Target& target, const char* data, std::int64_t bytes);

// --- the receiver
// Takes in what has come (receive.cpp).
bool poll_deposit(DepositPeer& peer);
// Ends a synchronous message that was taken in before its receive.
void accept_deposit(UnexpectedMessage& unexpected, Request& receive);
// A receive was posted that names its source, and the model may redirect to it (advert.cpp).
void advertise_deposit(const MatchQueue& queue, Request& receive, DepositPeer& sender);
bool close_deposit_advert(Request& receive);
// The first receive posted in a context that names this peer, by its rank there, is made known to
// it where the model redirects.
void advertise_next(DepositPeer& peer, const MatchQueue& queue, std::int32_t source);
// The receive that a redirected message was put into.
Request& take_redirected(DepositPeer& peer);

}  // namespace baton::message
