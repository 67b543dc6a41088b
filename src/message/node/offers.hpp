// Offers: sends whose data stays with the sender until its receiver has come. Each has a slot in
// the sender's part of the node's memory, through which the two agree who does what. Used by the
// rendezvous and the deposit models.
// Invariant: a slot is open from `open_slot` until both sides need it no more.
#pragma once

#include "message/node/lines.hpp"
#include "message/node/node_request.hpp"

namespace baton::message {

// Sends by the slots of our offers; pages are added when they are needed. Under its lock.
struct OfferSlots {
  static constexpr std::uint32_t page_sends = 64;
  static constexpr std::uint32_t pages_max = lockfree::offers_per_rank / page_sends;
  struct Page {
    Request* sends[page_sends] = {};  // null: free, or withdrawn
    std::uint64_t open = 0;           // a bit each
  };
  Page* pages[pages_max] = {};
  std::uint32_t in_use = 0;
  std::uint32_t full = 0;  // all pages below have no free slot
  std::uint32_t next_polled = 0;
  platform::Lock lock;

  ~OfferSlots();
};

// --- the sender
// Opens a slot for a send; no_slot, or no_memory; gives it up again. The send can be withdrawn
// while its stage is `offered`.
inline constexpr int no_memory = -2;
int open_slot(Request& send, Stage stage = Stage::offered);
void abandon_slot(std::uint32_t slot);
// Offers that are done, and those whose receivers share the copying; whether there were any.
bool poll_offers();
// A receiver has asked for a stream.
void arrive_cts(const CtsLine& line);
// The stream of an offer is over: its slot is free.
void end_streamed_offer(Request& send);
// Withdraws the offer of a send that nobody has matched. False when it was claimed.
bool withdraw(Request& send);
// Whether its receiver has begun to take it.
bool is_offer_taken(const Request& send);

// --- the receiver
// `claim` and `is_withdrawn` of the protocol.
bool claim_offer(UnexpectedMessage& unexpected);
bool is_offer_withdrawn(const UnexpectedMessage& unexpected);
// The claimed offer is served: its sender may go on.
void end_offer(Process sender, std::int32_t slot);

}  // namespace baton::message
