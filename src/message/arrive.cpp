// What happens when a message's first line is found in a ring.
#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/protocol.hpp"
#include "platform/copy.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

constexpr std::size_t bounce_bytes = 8192;  // holds every message that enters a ring
static_assert(bounce_bytes >= lockfree::ring_bytes);

// Reads the payload of the message at the head of the ring into contiguous memory.
BATON_INLINE void take_payload(Peer& peer, char* target, std::size_t wanted, std::size_t bytes) {
  if (BATON_LIKELY(bytes <= lockfree::first_line_payload_bytes)) {
    platform::copy_short(target, peer.in.first_payload(), wanted);
    peer.in.take(nullptr, 0);
  } else {
    peer.in.take_long(target, wanted, bytes, pause_for_peer);
  }
}

}  // namespace

Error settle_envelope(Request& receive, std::int32_t source, std::int32_t tag, std::int64_t bytes) {
  receive.source = source;
  receive.tag = tag;
  std::int64_t capacity = receive.bytes;
  receive.bytes = std::min(capacity, bytes);
  if (BATON_LIKELY(bytes <= capacity)) return MPI_SUCCESS;
  return fail(
      MPI_ERR_TRUNCATE,
      "a message of %lld bytes from rank %d with tag %d met a receive buffer of %lld bytes; "
      "receive with a larger count, or probe first",
      static_cast<long long>(bytes), source, tag, static_cast<long long>(capacity));
}

namespace {

// The payload at the head of the ring goes straight to the receive that matches it.
void receive_payload(Peer& peer, Request& receive, lockfree::Header header, std::int32_t tag) {
  std::size_t bytes = header.bytes();
  Error error = settle_envelope(receive, header.source(), tag, static_cast<std::int64_t>(bytes));
  auto wanted = static_cast<std::size_t>(receive.bytes);
  if (BATON_LIKELY(receive.datatype->contiguous)) {
    take_payload(peer, static_cast<char*>(receive.buffer), wanted, bytes);
  } else {
    char bounce[bounce_bytes];
    take_payload(peer, bounce, wanted, bytes);
    datatype::unpack(*receive.datatype, receive.buffer, 0, bounce, receive.bytes);
  }
  complete(receive, error);
}

}  // namespace

void account_unexpected(Peer& peer, std::int64_t change) {
  platform::Guard guard(peer.account_lock);
  peer.unexpected_bytes += change;
  bool full = peer.unexpected_bytes > settings.unexpected_bytes_max;
  bool relaxed = peer.unexpected_bytes <= settings.unexpected_bytes_max / 2;
  if (full == peer.envelopes_only || (peer.envelopes_only && !relaxed)) return;
  peer.envelopes_only = full;
  peer.in.set_envelopes_only(full);
}

namespace {

// There is no room left to keep a message in: nothing sensible can go on.
[[noreturn]] BATON_COLD void out_of_memory_for_arrival() {
  BATON_INVARIANT(!"memory for a message that arrived before its receive; raise the memory limit or "
                   "lower BATON_UNEXPECTED_BYTES_MAX");
  __builtin_unreachable();
}

Arrival& keep_arrival(Peer& peer, lockfree::Header header, lockfree::Envelope envelope,
                      std::int64_t payload_bytes) {
  Arrival* arrival = new_arrival(payload_bytes);
  if (!arrival) out_of_memory_for_arrival();
  arrival->context = envelope.context;
  arrival->source = header.source();
  arrival->tag = envelope.tag;
  arrival->peer_rank = peer.rank;
  count(engine.counters.unexpected);
  return *arrival;
}

MatchQueue& queue_of(std::uint32_t context) {
  MatchQueue* queue = queue_for(context);
  if (!queue) out_of_memory_for_arrival();
  return *queue;
}

}  // namespace

void pause_for_peer() {
  // The sender is between two stores, unless it lost its CPU.
  static thread_local int patience = 0;
  if ((++patience & 63) != 0)
    platform::pause_cpu();
  else
    platform::yield_cpu();
}

void arrive_payload(Peer& peer, lockfree::Header header) {
  lockfree::Envelope envelope = peer.in.envelope();
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, header.source(), envelope.tag)) {
    BATON_INVARIANT(close_advert(*receive));
    receive_payload(peer, *receive, header, envelope.tag);
    return;
  }
  std::size_t bytes = header.bytes();
  Arrival& arrival = keep_arrival(peer, header, envelope, static_cast<std::int64_t>(bytes));
  arrival.bytes = static_cast<std::int64_t>(bytes);
  take_payload(peer, arrival.payload(), bytes, bytes);
  account_unexpected(peer, arrival.bytes);
  keep(queue, arrival);
}

void arrive_offer(Peer& peer, lockfree::Header header) {
  lockfree::Envelope envelope = peer.in.envelope();
  OfferLine line;
  peer.in.read(&line, sizeof line);
  if (line.place.leased) catch_up(peer);
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  Request* receive = take_posted(queue, header.source(), envelope.tag);
  std::int64_t kept_bytes = receive ? 0 : line.early_bytes;
  Arrival& arrival = keep_arrival(peer, header, envelope, kept_bytes);
  arrival.bytes = line.bytes;
  arrival.offered = true;
  arrival.sender_contiguous = line.contiguous != 0;
  arrival.offer = line.slot;
  arrival.address = line.address;
  arrival.place = line.place;
  arrival.exported = line.exported != 0;
  arrival.early_bytes = line.early_bytes;
  if (receive) {
    count(engine.counters.unexpected, ~std::uint64_t{0});
    // A withdrawn offer leaves the receive as it was, advert included: nobody can claim that before
    // the line is taken.
    bool matched = claim(arrival);
    if (!matched) post_again(queue, *receive);
    BATON_INVARIANT(!matched || close_advert(*receive));
    peer.in.take(nullptr, 0);
    if (matched) deliver(arrival, *receive);
    return;
  }
  peer.in.take(nullptr, 0);
  if (!line.place.empty()) {
    // Chunks are for all senders: what nobody waits for must not keep one.
    take_early(arrival, arrival.payload());
    give_back(line.place, peer.rank);
    arrival.place = {};
    account_unexpected(peer, arrival.early_bytes);
  }
  keep(queue, arrival);
}

namespace {

// Whether its sender may still cancel it.
bool may_be_cancelled(const Arrival& arrival) {
  return arrival.offered && !arrival.local && !arrival.claimed && arrival.offer != no_slot;
}

lockfree::Offer<lockfree::Hardware>& offer_of(const Arrival& arrival) {
  return transport::arena.offers(arrival.peer_rank)[arrival.offer];
}

// What was kept for an arrival is not kept any more.
void account_delivered(const Arrival& arrival) {
  std::int64_t kept = !arrival.offered        ? arrival.bytes
                      : arrival.place.empty() ? arrival.early_bytes
                                              : 0;
  if (kept && arrival.peer_rank != engine.rank)
    account_unexpected(*engine.peers[arrival.peer_rank], -kept);
}

// The end of a message whose sender has cancelled it. We will not look again: its slot may be used
// anew. Its early bytes are complete, since only then it could be withdrawn.
void drop_withdrawn(Arrival& arrival) {
  BATON_INVARIANT(lockfree::move_offer(offer_of(arrival), lockfree::OfferState::withdrawn,
                                       lockfree::OfferState::done));
  if (!arrival.place.empty()) skip_early(arrival);
  account_delivered(arrival);
  free_arrival(&arrival);
}

}  // namespace

bool claim(Arrival& arrival) {
  if (!may_be_cancelled(arrival)) return true;
  arrival.claimed = lockfree::move_offer(offer_of(arrival), lockfree::OfferState::offered,
                                         lockfree::OfferState::claimed);
  if (arrival.claimed) return true;
  drop_withdrawn(arrival);
  return false;
}

bool is_withdrawn(const Arrival& arrival) {
  return may_be_cancelled(arrival) &&
         lockfree::offer_state(offer_of(arrival)) == lockfree::OfferState::withdrawn;
}

bool deliver(Arrival& arrival, Request& receive) {
  // Claim before the receive changes: a withdrawn offer must leave no trace.
  if (!claim(arrival)) return false;
  Error error = settle_envelope(receive, arrival.source, arrival.tag, arrival.bytes);
  receive.error = error;
  receive.peer_rank = arrival.peer_rank;
  if (arrival.local) {
    deliver_local(*arrival.local, receive);
  } else if (arrival.offered) {
    accept_offer(arrival, receive);
  } else {
    datatype::unpack(*receive.datatype, receive.buffer, 0, arrival.payload(), receive.bytes);
    complete(receive, error);
  }
  account_delivered(arrival);
  free_arrival(&arrival);
  return true;
}

}  // namespace baton::message
