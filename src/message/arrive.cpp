// What happens when a message's first line is found, in a peer's lane or in the inbox.
#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/active.hpp"
#include "message/protocol.hpp"
#include "platform/copy.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// A message whose first line has come, where it lies: in a peer's lane, or in the inbox.
template <class Source>
struct Message {
  Source& from;
  Peer& peer;
  lockfree::Header header;

  static constexpr bool in_lane = std::is_same_v<Source, transport::LineReceiver>;
  lockfree::Envelope envelope() const { return from.envelope(); }
  // What the payload of a line of some kind says.
  template <class Line>
  Line read() const {
    Line line;
    from.read(&line, sizeof line);
    return line;
  }
  // Its lines are free again.
  void drop() {
    if constexpr (in_lane)
      from.take(nullptr, 0);
    else
      from.take(nullptr, 0, 0);
  }
  template <class Line>
  Line take() {
    Line line = read<Line>();
    drop();
    return line;
  }
  // Copies the first `wanted` bytes of the payload into contiguous memory, and drops it.
  BATON_INLINE void take_payload(char* target, std::size_t wanted) {
    const std::size_t bytes = header.bytes();
    if constexpr (!in_lane) {
      from.take(target, wanted, bytes);
    } else if (BATON_LIKELY(bytes <= lockfree::first_line_payload_bytes)) {
      platform::copy_short(target, from.first_payload(), wanted);
      drop();
    } else {
      from.take_long(target, wanted, bytes, platform::PeerPause{});
    }
  }
};

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

// The payload goes straight to the receive that matches it.
template <class Source>
void receive_payload(Message<Source> message, Request& receive, std::int32_t tag) {
  std::size_t bytes = message.header.bytes();
  Error error =
      settle_envelope(receive, message.header.source(), tag, static_cast<std::int64_t>(bytes));
  auto wanted = static_cast<std::size_t>(receive.bytes);
  if (BATON_LIKELY(receive.datatype->contiguous)) {
    message.take_payload(static_cast<char*>(receive.buffer), wanted);
  } else {
    char bounce[transport::bytes_in_lines_max];
    message.take_payload(bounce, wanted);
    datatype::unpack(*receive.datatype, receive.buffer, 0, bounce, receive.bytes);
  }
  complete(receive, error);
}

}  // namespace

namespace {

template <class From>
void account_unexpected(Account& account, From& from, std::int64_t change) {
  platform::Guard guard(account.lock);
  account.unexpected_bytes += change;
  bool full = account.unexpected_bytes > settings.unexpected_bytes_max;
  bool relaxed = account.unexpected_bytes <= settings.unexpected_bytes_max / 2;
  if (full == account.envelopes_only || (account.envelopes_only && !relaxed)) return;
  account.envelopes_only = full;
  from.set_envelopes_only(full);
}

}  // namespace

void account_unexpected(const Arrival& arrival, std::int64_t change) {
  if (arrival.in_inbox) return account_unexpected(engine.inbox_account, *engine.inbox, change);
  Peer& peer = *engine.peers[arrival.peer_rank];
  account_unexpected(peer.account, *peer.link, change);
}

namespace {

// There is no room left to keep a message in: nothing sensible can go on.
[[noreturn]] BATON_COLD void out_of_memory_for_arrival() {
  BATON_INVARIANT(!"memory for a message that arrived before its receive; raise the memory limit or "
                   "lower BATON_UNEXPECTED_BYTES_MAX");
  __builtin_unreachable();
}

template <class Source>
Arrival& keep_arrival(const Message<Source>& message, lockfree::Envelope envelope,
                      std::int64_t payload_bytes) {
  Arrival* arrival = new_arrival(payload_bytes);
  if (!arrival) out_of_memory_for_arrival();
  arrival->context = envelope.context;
  arrival->source = message.header.source();
  arrival->tag = envelope.tag;
  arrival->peer_rank = message.peer.rank;
  arrival->in_inbox = !message.in_lane;
  count(engine.counters.unexpected);
  return *arrival;
}

MatchQueue& queue_of(std::uint32_t context) {
  MatchQueue* queue = queue_for(context);
  if (!queue) out_of_memory_for_arrival();
  return *queue;
}

}  // namespace

namespace {

template <class Source>
void arrive_payload(Message<Source> message) {
  lockfree::Envelope envelope = message.envelope();
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, message.header.source(), envelope.tag)) {
    BATON_INVARIANT(close_advert(*receive));
    receive_payload(message, *receive, envelope.tag);
    return;
  }
  std::size_t bytes = message.header.bytes();
  Arrival& arrival = keep_arrival(message, envelope, static_cast<std::int64_t>(bytes));
  arrival.bytes = static_cast<std::int64_t>(bytes);
  message.take_payload(arrival.payload(), bytes);
  account_unexpected(arrival, arrival.bytes);
  keep(queue, arrival);
}

// Matches an offer, or keeps it. What is to be delivered with its receive; null: nothing.
template <class Source>
Arrival* match_offer(Message<Source> message) {
  lockfree::Envelope envelope = message.envelope();
  auto line = message.template read<OfferLine>();
  if (line.place.leased) catch_up(message.peer);
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  Request* receive = take_posted(queue, message.header.source(), envelope.tag);
  std::int64_t kept_bytes = receive ? 0 : line.early_bytes;
  Arrival& arrival = keep_arrival(message, envelope, kept_bytes);
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
    message.drop();
    if (!matched) return nullptr;
    arrival.receive = receive;
    return &arrival;
  }
  message.drop();
  if (!line.place.empty()) {
    // Chunks are for all senders: what nobody waits for must not keep one.
    take_early(arrival, arrival.payload());
    give_back(line.place, arrival.peer_rank);
    arrival.place = {};
    account_unexpected(arrival, arrival.early_bytes);
  }
  keep(queue, arrival);
  return nullptr;
}

void copy_later(Arrival& arrival) {
  platform::Guard guard(engine.copies_lock);
  engine.copies.push(&arrival);
  platform::add_shared(engine.copy_count, 1u);
}

// Whether others should make progress while this is copied. What lies in staging is copied at once:
// its sender goes on there.
bool is_long_copy(const Arrival& arrival) {
  constexpr std::int64_t bytes_min = 65536;  // guess
  return platform::threads_multiple && arrival.bytes >= bytes_min && arrival.early_bytes == 0;
}

template <class Source>
void arrive_offer(Message<Source> message) {
  Arrival* arrival = match_offer(message);
  if (!arrival) return;
  if (BATON_UNLIKELY(is_long_copy(*arrival))) return copy_later(*arrival);
  deliver(*arrival, *arrival->receive);
}

template <class Source>
void arrive_redirected(Message<Source> message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.template read<RedirectLine>();
  take_back_redirected(message.peer, line);
  message.drop();
  end_redirected(message.peer, line, message.header.source(), envelope.tag);
}

// Its lines are free before the handler runs, which may send.
template <class Source>
void take_active(Message<Source> message) {
  char payload[active_bytes_max];
  const std::uint32_t sender = message.peer.rank;
  const lockfree::Envelope envelope = message.envelope();
  const std::size_t bytes = message.header.bytes();
  message.take_payload(payload, bytes);
  arrive_active(sender, envelope, payload, bytes);
}

// Hands on what has come; whether it was long, so that others had better be looked at first.
template <class Source>
bool arrive(Message<Source> message) {
  switch (static_cast<LineKind>(message.header.kind())) {
    case LineKind::payload:
      arrive_payload(message);
      return false;
    case LineKind::offer:
      arrive_offer(message);
      // Copying it took long: what we wait for may be there, and the next one's receive may be
      // posted before it is taken for unexpected and copied twice.
      return true;
    case LineKind::claim:
      arrive_claim(message.template take<ClaimLine>());
      return false;
    case LineKind::window:
      arrive_window(message.peer, message.template take<WindowLine>());
      return false;
    case LineKind::redirected:
      arrive_redirected(message);
      return false;
    case LineKind::active:
      take_active(message);
      return false;
    case LineKind::lane:
      message.drop();
      open_lane(message.peer);
      return false;
    case LineKind::none:
      break;
  }
  BATON_INVARIANT(!"a line of no kind has come");
  __builtin_unreachable();
}

constexpr int messages_per_poll = 32;  // guess: fair between lanes, cheap in a burst

}  // namespace

bool poll_peer(Peer& peer) {
  int taken = 0;
  int taken_max = messages_per_poll;
  for (; taken < taken_max; ++taken) {
    lockfree::Header header = peer.in.peek();
    if (header.lap() == 0) break;
    if (arrive(Message<transport::LineReceiver>{peer.in, peer, header})) taken_max = taken + 1;
  }
  // Trusting doorbells, what is left here must be found again.
  if (BATON_UNLIKELY(taken == taken_max && engine.doorbells))
    lockfree::ring_doorbell(transport::doorbell(engine.rank), peer.rank);
  return taken > 0;
}

bool poll_inbox() {
  transport::Inbox& inbox = *engine.inbox;
  int taken = 0;
  for (; taken < messages_per_poll; ++taken) {
    lockfree::Header header = inbox.peek();
    if (header.lap() == 0) break;
    Peer* peer = meet(inbox.sender());
    if (!peer) break;  // no memory now: the line stays
    if (arrive(Message<transport::Inbox>{inbox, *peer, header})) return true;
  }
  return taken > 0;
}

void make_copies() {
  while (platform::load_shared(engine.copy_count)) {
    Arrival* arrival;
    {
      platform::Guard guard(engine.copies_lock);
      arrival = engine.copies.first;
      if (!arrival) return;
      engine.copies.take_after(nullptr);
      platform::add_shared(engine.copy_count, ~0u);
    }
    BATON_INVARIANT(deliver(*arrival, *arrival->receive));
  }
}

namespace {

// Whether its sender may still cancel it.
bool may_be_cancelled(const Arrival& arrival) {
  return arrival.offered && !arrival.local && !arrival.claimed && arrival.offer != no_slot;
}

lockfree::Offer<lockfree::Hardware>& offer_of(const Arrival& arrival) {
  return transport::offer(arrival.peer_rank, arrival.offer);
}

// What was kept for an arrival is not kept any more.
void account_delivered(const Arrival& arrival) {
  std::int64_t kept = !arrival.offered        ? arrival.bytes
                      : arrival.place.empty() ? arrival.early_bytes
                                              : 0;
  if (kept && arrival.peer_rank != engine.rank) account_unexpected(arrival, -kept);
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
    engine.protocol->accept(arrival, receive);
  } else {
    datatype::unpack(*receive.datatype, receive.buffer, 0, arrival.payload(), receive.bytes);
    complete(receive, error);
  }
  account_delivered(arrival);
  free_arrival(&arrival);
  return true;
}

}  // namespace baton::message
