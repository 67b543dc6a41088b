// Another process, as it is known here, made at first contact (contact.cpp) by the protocol that it
// has. What is here serves all protocols and the fast paths; each derives a class with more.
// Invariant: what says under which lock it stands is touched under it only.
#pragma once

#include <atomic>
#include <cstdint>

#include "message/core/match.hpp"
#include "platform/lock.hpp"
#include "transport/link.hpp"
#include "transport/node.hpp"

namespace baton::message {

class Protocol;

// The kind of a message, which its first line says. Further kinds are each protocol's own.
enum class LineKind : unsigned {
  none,
  payload,  // eager: the whole message follows
  active,   // for a handler (active.hpp); the payload follows, the context is its number
  first_of_protocol
};

// The unexpected bytes that are kept for one or several senders, and whether they know that it is
// too much. Under its lock.
struct Account {
  platform::Lock lock;
  bool envelopes_only = false;  // what we last told them
  std::int64_t unexpected_bytes = 0;
  // Tells them; null: they cannot be told.
  void (*tell)(void* senders, bool envelopes_only) = nullptr;
  void* senders = nullptr;
};

// The counters of messages to and from a peer. Peers without lanes of their own have theirs
// together, one for each class of peers.
struct History {
  // By ways that the sender chooses: what we sent, under the send lock, or, together, by atomic
  // additions. By the others: what we received, by atomic additions.
  Traffic traffic;
};

struct Peer {
  // The lanes that the fast paths fill and empty, where the pair has its own.
  transport::LineSender out;
  transport::LineReceiver in;
  std::atomic<History*> history = nullptr;  // never null
  transport::Doorbell* doorbell = nullptr;  // of who cannot be rung: one that nobody looks at
  Process process{};
  PeerClass peer_class = PeerClass::other;
  std::atomic<bool> begun = false;  // sending is possible; set under the contact lock
  bool takes_adverts = false;       // it may be told of receives, and look for them
  transport::Slot slot;             // of a process of this node
  // The longest message that a send puts into the lane at once; the protocol puts longer ones.
  std::int64_t at_once_bytes_max = 0;  // under the send lock
  Protocol* protocol = nullptr;        // never null
  // Requests that wait for space on the way there, first come first served; later sends queue
  // behind.
  List<Request> queued;
  Account account;
  // Sent in one line of our lane, up to 8 bytes and longer: the first two size classes.
  Tally packed[2];
  platform::Lock send_lock;  // of the way there and `queued`

  // Returns whether a line may be put now: nothing queued before it, and space.
  BATON_INLINE bool can_put(std::uint32_t lines) {
    return BATON_LIKELY(!queued.first) && out.has_space(lines);
  }
  // The counters so far.
  BATON_INLINE History& past() const {
    // ORDER peer.history: acquire here, release in give_history; it is zeroed.
    return *history.load(std::memory_order_acquire);
  }
};

}  // namespace baton::message
