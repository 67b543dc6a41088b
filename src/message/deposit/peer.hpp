// What a deposit model keeps for a pair of ranks, at each of the two. Used by the files of this
// folder.
#pragma once

#include "lockfree/advert.hpp"
#include "lockfree/deposit_ring.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

// What the receiver writes for the sender, beside the ring.
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

struct DepositPeer {
  // The way there, under the send lock.
  lockfree::DepositSender<lockfree::Hardware> out;
  transport::Advert* their_advert = nullptr;
  char* message = nullptr;  // where a piece is made contiguous first; as long as the ring
  // The way here, under the progress lock.
  lockfree::DepositReceiver<lockfree::Hardware> in;
  transport::Advert* own_advert = nullptr;
  Request* advertised = nullptr;  // the receive that it tells of; null: it is closed
  std::uint64_t adverts = 0;      // so far
  IncomingDeposit incoming;
  Peer* peer = nullptr;              // set when the way here is open
  DepositPeer* next_open = nullptr;  // of those
};

// Of a peer that was met; and of a process, null before.
DepositPeer& deposit_peer(const Peer& peer);
DepositPeer* find_deposit_peer(Process process);

// What a model does with a message. Table 2 of the study; limits in bytes are the study's own.
struct DepositModel {
  static constexpr std::int64_t copied_bytes_max = 8192;   // 5: up to here one copy on each side
  static constexpr std::int64_t direct_bytes_min = 16384;  // 5: from here on none
  int number;

  // How much of the efficient queues there is.
  constexpr lockfree::DepositRules rules(bool delayed) const {
    return {.lazy = number != 1, .tail = number == 1, .delayed = delayed};
  }
  // Whether the sender makes the message contiguous in memory of its own before it deposits it.
  constexpr bool copies_at_sender(std::int64_t bytes) const {
    return number <= 3 || (number == 5 && bytes < direct_bytes_min);
  }
  // Whether the data may go straight to the receive's buffer.
  constexpr bool redirects(std::int64_t bytes) const {
    return (number == 3 && bytes > 0) || (number == 5 && bytes > copied_bytes_max);
  }
};
DepositModel deposit_model();

// The first receive posted in a context that names this peer, by its rank there, is made known to
// it where the model redirects (advert.cpp).
void advertise_next(Peer& peer, const MatchQueue& queue, std::int32_t source);
// The sender: claims the advert for the next message, when that matches and nothing else can; its
// number is 0 if not.
Target claim_target(Peer& peer, const Request& send);
// The data of the first piece, to there; false, with the advert open again, when our kernel
// refused.
bool push_to_target(Peer& peer, const Target& target, const char* data, std::int64_t bytes);
// The receiver: the receive that a redirected message was put into.
Request& take_redirected(Peer& peer);

// Takes in what has come (receive.cpp).
bool poll_deposit(Peer& peer, DepositPeer& deposit);

}  // namespace baton::message
