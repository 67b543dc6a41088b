// Another process as the protocol knows it, and the lines that the two put for each other.
// Made at first contact (contact.cpp), with the link that carries them. Invariant: what says under
// which lock it stands is touched under it only.
#pragma once

#include <atomic>
#include <cstdint>

#include "message/core/match.hpp"
#include "message/core/request.hpp"
#include "message/node/observe.hpp"
#include "platform/lock.hpp"
#include "transport/link.hpp"
#include "transport/node.hpp"

namespace baton::message {

// What a message's first line says it is.
enum class LineKind : unsigned {
  none,
  payload,  // eager: the whole message follows
  rts,      // an envelope; the sender's buffer may be taken
  cts,      // receiver to sender: stream the offered buffer to me
  window,   // sender to receiver: the chunks of staging that a stream goes through
  pushed,   // an envelope; the payload goes straight into the receive that was advertised
  active,   // for a handler (active.hpp); the payload follows, the context is its number
  lane,     // the last on a shared way: from now on the sender's lines come in a lane of its own
  network_rts,  // between nodes: an envelope, and the receiver's answer to it (network/network.hpp)
  network_cts,
  network_advert,  // a receive that its sender may write into (network/advert.hpp)
};

struct RtsLine {
  std::uint64_t address;
  std::int64_t bytes;
  std::int32_t slot;               // no_slot when staging holds all: nothing stays with the sender
  std::uint32_t early_bytes : 28;  // so much of the message is being written into staging
  std::uint32_t keeps_window : 1;  // the rest may go through the same window
  std::uint32_t for_staging : 1;   // without early bytes: there was no room for them
  std::uint32_t contiguous : 1;
  std::uint32_t exported : 1;  // one of its buffers, as far as the sender knows
  lockfree::StagingSpan span;
};
static_assert(sizeof(RtsLine) <= lockfree::first_line_payload_bytes);
inline constexpr std::int32_t no_slot = -1;
struct CtsLine {
  std::int64_t limit;  // bytes the receiver wants
  std::uint32_t slot;
  std::uint32_t stream;
  bool window_kept;  // the stream goes on through the window of the early bytes
};
struct WindowLine {
  lockfree::StagingSpan span;
  std::uint32_t stream;
};
struct PushedLine {
  std::uint64_t advert;   // its number
  std::uint64_t address;  // the sender's buffer
  std::int64_t bytes;
  std::int32_t slot;           // of an offer that both sides copy; no_slot: all is there
  std::uint32_t exported : 1;  // see RtsLine
  std::uint32_t mapped : 1;    // plain copies
  std::int64_t took_ticks;     // that the sender needed, if all is there
};
static_assert(sizeof(PushedLine) <= lockfree::first_line_payload_bytes);

// What was pushed into receives of a peer. Under the send lock.
struct Pushes {
  std::uint64_t first_advert = 1;  // those before are closed, or claimed by us
  std::uint64_t end = 0;           // of the lines we put, behind the last one
  std::uint64_t others_end = 0;    // behind the last line of another kind before it
};

// Whether the other side is likely to copy, too: not while it is found to be busy.
struct Company {
  std::atomic<std::uint8_t> alone = 0;  // messages in a row of which it copied nothing
  bool expected() {
    constexpr std::uint8_t enough = 2, long_enough = 34;  // guess
    // relaxed: a guess that threads may spoil for each other.
    std::uint8_t seen = alone.load(std::memory_order_relaxed);
    if (seen < enough) return true;
    bool again = seen + 1 >= long_enough;
    alone.store(again ? 1 : static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
    return again;
  }
  void saw(bool together) {
    std::uint8_t seen = alone.load(std::memory_order_relaxed);  // relaxed: as above
    alone.store(together ? 0 : static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
  }
};

// Whether we and a peer send each other long messages at the same time: by those that we staged
// there and that came from there since. All relaxed: guesses that threads may spoil for each other.
struct Crossing {
  std::atomic<std::uint8_t> ahead = 0;                // sent, less received
  std::atomic<std::uint8_t> sends = 0, receives = 0;  // lately
  std::atomic<bool> both = false;

  void sent() {
    constexpr std::uint8_t lately = 32;  // guess
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen < 64) ahead.store(static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
    seen = static_cast<std::uint8_t>(sends.load(std::memory_order_relaxed) + 1);
    if (seen == lately) {
      both.store(receives.load(std::memory_order_relaxed) > 0, std::memory_order_relaxed);
      receives.store(0, std::memory_order_relaxed);
      seen = 0;
    }
    sends.store(seen, std::memory_order_relaxed);
  }
  // Whether we sent more than we received before this one.
  bool received() {
    receives.store(1, std::memory_order_relaxed);
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen > 0) ahead.store(static_cast<std::uint8_t>(seen - 1), std::memory_order_relaxed);
    return seen > 0;
  }
};

// A window of a peer's staging that we keep from message to message, so that the next finds its way
// prepared: for a term, and then until another sender wants one. Under the send lock; only `holder`
// may be let go without.
struct Lease {
  lockfree::Window window;
  std::int64_t position = 0;  // bytes that went through, in whole lines
  std::int64_t emptied = 0;   // how far the receiver was when we last looked
  std::int64_t end = 0;       // of the last message in it, which may not fill its last line
  int messages = 0;           // in this term; without a window: sends until we may ask for one
  int had = 0;                // so many terms before, up to a bound
  bool ending = false;        // nothing more goes in
  Request* holder = nullptr;  // a send that is part of the way through
};

// Windows that change hands: one of us gives one to the other with a message that fits, and gets it
// back with a later one: a rank writes where it has read last, which its core still has
// (docs/decisions/staging.md). Each of the two adds one. Under the send lock.
struct TransferredWindows {
  struct Window {
    lockfree::Window chunks;
    std::int64_t position;  // of the next message, in the window's progress
    bool here;              // in our staging; else in the peer's
  };
  Window mine[2];  // the last one has come last
  int count = 0;
  bool asked_for = false;  // ours; once is enough
};

// What has come unexpected and is kept, and whether its senders know that it is too much. Under its
// lock.
struct Account {
  platform::Lock lock;
  std::int64_t unexpected_bytes = 0;
  bool envelopes_only = false;  // what we last told them
};

// What is remembered of messages to and from a peer. Peers without lanes of their own have theirs
// together, one for each class of peers: what is counted there is right, what is observed is not
// used.
struct History {
  // By ways that the sender chooses: what we sent, under the send lock, or, together, by atomic
  // additions. By the others: what we received, by atomic additions.
  Traffic traffic;
  Timings timings;
};

struct NetworkAdverts;

// Another process, as seen from here. Made at first contact.
struct Peer {
  // What the fast paths fill and empty, where the link has lanes of the pair's own.
  transport::LineSender out;
  transport::LineReceiver in;
  std::atomic<History*> history = nullptr;  // never null
  transport::Doorbell* doorbell = nullptr;
  Process process{};
  LocalRank local_rank{};
  transport::Link* link = nullptr;  // never null; ours
  // Requests that wait for room on the way there, first come first served; later sends queue
  // behind.
  List<Request> queued;
  Account account;
  std::uint64_t reserved_chunks = 0;  // of its staging, that are known to have memory
  Lease lease;
  TransferredWindows transferred;
  Request* streaming = nullptr;  // the one of its streams that goes on; under the progress lock
  // Sent in one line of our lane, up to 8 bytes and longer: the first two size classes.
  Tally packed[2];
  int early_sends = 0;  // since we last looked whether it wants envelopes only
  PeerClass peer_class = PeerClass::other;
  Crossing crossing;
  Stores stores;
  bool refuses_pushes = false;   // our kernel does not let us write to its memory
  bool adverts_refused = false;  // no memory for them
  Company company;               // of what we push, and of what we pull
  Pushes pushes;
  std::uint64_t last_advert = 0;      // of our receives, to it
  Request** advertised = nullptr;     // by the slot of the advert; null: none
  NetworkAdverts* adverts = nullptr;  // of a peer on another node: never null; ours
  platform::Lock send_lock;           // of the way there and `queued`
  platform::Lock history_lock;        // of what is observed

  // Whether it is on another node: the network leads there, and no memory.
  bool is_remote() const { return local_rank == not_on_this_node; }
  // Whether a line may be put now: nothing queued before it, and room.
  BATON_INLINE bool can_put(std::uint32_t lines) {
    return BATON_LIKELY(!queued.first) && out.has_room(lines);
  }
  // Of what was counted and observed so far.
  BATON_INLINE History& past() const {
    // ORDER peer.history: acquire here, release in give_history; it is zeroed.
    return *history.load(std::memory_order_acquire);
  }
};

}  // namespace baton::message
