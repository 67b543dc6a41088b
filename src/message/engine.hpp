// The messaging engine of this process: its peers, the one progress loop and the registry of what
// it drives. Used by everything on floor 6 and, for progress and waiting, by all floors above.
// Invariant: only this process's threads touch it; what peers share lies in the arena.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.hpp"
#include "base/counters.hpp"
#include "base/reason.hpp"
#include "message/match.hpp"
#include "message/observe.hpp"
#include "message/request.hpp"
#include "platform/clock.hpp"
#include "platform/lock.hpp"
#include "transport/arena.hpp"

namespace baton::message {

// What a message's first line says it is.
enum class LineKind : unsigned {
  none,
  payload,     // the whole message follows in the ring
  offer,       // an envelope; the sender's buffer may be taken
  claim,       // receiver to sender: stream the offered buffer to me
  window,      // sender to receiver: the chunks of staging that a stream goes through
  redirected,  // an envelope; the payload goes straight into the receive that was advertised
};

struct OfferLine {
  std::uint64_t address;
  std::int64_t bytes;
  std::int32_t slot;               // no_slot when staging holds all: nothing stays with the sender
  std::uint32_t early_bytes : 30;  // so much of the message is being written into staging
  std::uint32_t contiguous : 1;
  std::uint32_t exported : 1;  // one of its buffers, as far as the sender knows
  lockfree::StagingPlace place;
};
static_assert(sizeof(OfferLine) <= lockfree::first_line_payload_bytes);
inline constexpr std::int32_t no_slot = -1;
struct ClaimLine {
  std::int64_t limit;  // bytes the receiver wants
  std::uint32_t slot;
  std::uint32_t stream;
  bool window_kept;  // the stream goes on through the window of the early bytes
};
struct WindowLine {
  lockfree::StagingPlace place;
  std::uint32_t stream;
};
struct RedirectLine {
  std::uint64_t advert;   // its number
  std::uint64_t address;  // the sender's buffer
  std::int64_t bytes;
  std::int32_t slot;           // of an offer that both sides copy; no_slot: all is there
  std::uint32_t exported : 1;  // see OfferLine
  std::uint32_t mapped : 1;    // plain copies
  std::int64_t took_ticks;     // that the sender needed, if all is there
};
static_assert(sizeof(RedirectLine) <= lockfree::first_line_payload_bytes);

// What was sent to a peer by redirection. Under the send lock.
struct Redirections {
  std::uint64_t first_advert = 1;  // those before are closed, or claimed by us
  std::uint64_t end = 0;           // of the ring's lines, behind the last one
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

// Whether we and a peer send each other long messages at the same time, by those we have staged
// there and have not seen as many of from there since.
struct Crossing {
  std::atomic<std::uint8_t> ahead = 0;
  // relaxed: a guess that threads may spoil for each other.
  void sent() {
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen < 64) ahead.store(static_cast<std::uint8_t>(seen + 1), std::memory_order_relaxed);
  }
  bool received() {
    std::uint8_t seen = ahead.load(std::memory_order_relaxed);
    if (seen > 0) ahead.store(static_cast<std::uint8_t>(seen - 1), std::memory_order_relaxed);
    return seen > 0;
  }
};

// A window of a peer's staging that we keep from message to message, so that the next finds its way
// prepared. Under the send lock; only `holder` may be let go without.
struct Lease {
  lockfree::Window window;
  std::int64_t position = 0;  // bytes that went through, in whole lines
  std::int64_t emptied = 0;   // how far the receiver was when we last looked
  Request* holder = nullptr;  // a send that is part of the way through
};

// Another rank of the job, as seen from here. Made at first contact.
struct Peer {
  lockfree::SendRing<lockfree::Hardware> out;
  lockfree::ReceiveRing<lockfree::Hardware> in;
  transport::Doorbell* doorbell = nullptr;
  std::uint32_t rank = 0;
  // Requests that wait for room in `out`, first come first served; later sends queue behind.
  List<Request> queued;
  std::int64_t unexpected_bytes = 0;
  bool envelopes_only = false;        // what we last told it
  std::uint64_t reserved_chunks = 0;  // of its staging, that are known to have memory
  Lease lease;
  Timings timings;
  int early_sends = 0;  // since we last looked whether it wants envelopes only
  PeerClass place = PeerClass::other;
  // By ways that the sender chooses: what we sent, under the send lock. By the others: what we
  // received, by atomic additions.
  Traffic traffic;
  Crossing crossing;
  bool refuses_pushes = false;   // our kernel does not let us write to its memory
  bool adverts_refused = false;  // no memory for them
  Company company;               // of what we push, and of what we pull
  Redirections redirections;
  std::uint64_t last_advert = 0;   // of our receives, to it
  Request** advertised = nullptr;  // by the place of the advert; null: none
  platform::Lock send_lock;        // of `out` and `queued`
  platform::Lock account_lock;     // of unexpected_bytes, envelopes_only and what is observed

  // Whether a line may be put now: nothing queued before it, and room.
  BATON_INLINE bool can_put(std::uint32_t lines) {
    return BATON_LIKELY(!queued.first) && out.has_room(lines);
  }
};

// A source of progress registered from above. `advance` returns whether anything happened; it is
// called only while `active` is not 0.
struct ProgressSource {
  bool (*advance)(void* state);
  void* state;
  std::uint32_t active;
  ProgressSource* next;
};

// Whoever makes progress holds `progress_lock`, and with it what comes in: rings, contacts,
// streams, doorbells. Locks are taken in the order progress, match queue, contact, send, the rest.
struct Engine {
  Peer** peers = nullptr;  // by rank in the job; null before contact
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  bool senders_fence = false;
  bool crowded = false;         // more ranks than usable CPUs
  bool doorbells = false;       // we trust doorbells instead of looking at every ring
  bool about_to_sleep = false;  // a waiter has announced it: each round looks everywhere
  Peer** contacts = nullptr;    // the peers whose ring to us is in use
  std::uint32_t contact_count = 0;
  std::uint32_t queued_count = 0;  // requests queued at all peers
  std::uint32_t stream_count = 0;  // sends and receives that stream now
  std::uint32_t open_offers = 0;
  std::uint32_t withdrawn_offers = 0;  // of these; their receivers have not looked yet
  std::uint32_t active_sources = 0;
  List<Request> streams_out;
  List<Request> streams_in;
  ProgressSource* sources = nullptr;
  Counters counters;
  Tally to_self[size_class_count];
  ReasonCounts reasons{};
  platform::Lock progress_lock;
  platform::Lock contact_lock;  // of making peers and attaching their send rings
  platform::Lock source_lock;   // of the list of sources
};

extern Engine engine;

// Start and end. The arena is attached before and detached after.
Error start_engine();
void stop_engine();
// What went to and came from all peers, and why, so far (account.cpp).
void sum_up(TrafficRecord& record);
// The sources of exchanges (persistent.cpp) and flushes (send_buffer.cpp) must register anew with
// the next engine.
void forget_exchanges();
void forget_flushes();

// The peer of a rank in the job; makes contact if need be. Null, explained, when memory is short.
Peer* contact(std::uint32_t rank);
// As above for the hot path: null also when there is no contact yet.
BATON_INLINE Peer* known_peer(std::uint32_t rank) {
  // ORDER engine.peers: acquire here, release in make_peer.
  return std::atomic_ref(engine.peers[rank]).load(std::memory_order_acquire);
}

// After something was published to a rank: wakes it if it sleeps, rings if it wants that.
BATON_COLD void notify_slow(std::uint32_t rank);
BATON_INLINE void notify(const transport::Doorbell& doorbell, std::uint32_t rank) {
  // The load of the wake word stays behind the publish: in the hardware by the receiver's
  // membarrier or our fence, in the compiler by this.
  lockfree::Hardware::compiler_fence();
  if (BATON_UNLIKELY(engine.senders_fence)) lockfree::Hardware::full_fence();
  if (lockfree::wants_attention(doorbell)) notify_slow(rank);
}
// After something changed that a rank finds without looking into our ring (an offer, a room): wakes
// it, but rings nothing, since a bit would make it look into a ring that may have no memory yet.
BATON_COLD void wake_slow(std::uint32_t rank);
inline void wake_rank(std::uint32_t rank) {
  if (BATON_UNLIKELY(engine.senders_fence)) lockfree::Hardware::full_fence();
  if (lockfree::wants_attention(transport::arena.doorbell(rank))) wake_slow(rank);
}

// One round of progress; whether anything happened. Nothing when another thread is at it.
bool progress();
// The same for who holds the progress lock.
bool progress_alone();
// Takes in what one peer has sent; whether anything came.
bool poll_peer(Peer& peer);

// Adds to a counter.
BATON_INLINE void count(std::uint64_t& counter, std::uint64_t number = 1) {
  platform::add_shared(counter, number);
}

// A message that left by a way. The caller holds the send lock.
BATON_INLINE void count_sent(Peer& peer, Way way, std::size_t bytes) {
  Tally& tally = peer.traffic.at(way, static_cast<std::int64_t>(bytes));
  ++tally.messages;
  tally.bytes += bytes;
}
// A message that came by a way.
inline void count_received(std::uint32_t peer_rank, Way way, std::int64_t bytes) {
  Tally& tally = engine.peers[peer_rank]->traffic.at(way, bytes);
  count(tally.messages);
  count(tally.bytes, static_cast<std::uint64_t>(bytes));
}

// Why a message took no cheaper way (account.cpp). Not for those that enter a ring: theirs is the
// cheapest.
void count_reason(const Peer& peer, Reason reason, std::int64_t bytes);

// Registers a source; it lives as long as the engine. `set_active` keeps the loop's one branch.
void add_source(ProgressSource& source);
void set_active(ProgressSource& source, bool active);

}  // namespace baton::message
