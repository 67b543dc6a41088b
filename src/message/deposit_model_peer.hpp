// What a deposit model keeps for a pair of ranks, at each of the two. Used by deposit_model*.cpp.
#pragma once

#include "lockfree/deposit_ring.hpp"
#include "message/engine.hpp"

namespace baton::message {

// What the receiver writes for the sender, beside the ring.
struct DepositControl {
  lockfree::DepositHead<lockfree::Hardware> head;
};
static_assert(sizeof(DepositControl) <= page_bytes);

// A message part of the way in: either its receive, or memory of ours until all is there.
struct IncomingDeposit {
  Request* receive = nullptr;
  Arrival* arrival = nullptr;
  std::int32_t slot = lockfree::no_deposit_slot;
  std::int64_t position = 0;
};

struct DepositPeer {
  // The way there, under the send lock.
  lockfree::DepositSender<lockfree::Hardware> out;
  char* message = nullptr;  // where a piece is made contiguous first; as long as the ring
  // The way here, under the progress lock.
  lockfree::DepositReceiver<lockfree::Hardware> in;
  IncomingDeposit incoming;
  Peer* peer = nullptr;              // set when the way here is open
  DepositPeer* next_open = nullptr;  // of those
};

// Of a peer that was met; one for each.
DepositPeer& deposit_peer(const Peer& peer);

// What a model does with a message. Table 2 of the study; limits in bytes are the study's own.
struct DepositModel {
  static constexpr std::int64_t copied_bytes_max = 8192;   // 5: up to here one copy on each side
  static constexpr std::int64_t direct_bytes_min = 16384;  // 5: from here on none
  int number;

  // How much of the efficient queues there is.
  constexpr lockfree::DepositRules rules() const {
    return {.lazy = number != 1, .tail = number == 1};
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

// Takes in what has come (deposit_model_receive.cpp).
bool poll_deposit(Peer& peer, DepositPeer& deposit);

}  // namespace baton::message
