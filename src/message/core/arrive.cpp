// What happens when a message's first line is found, in a peer's lane or in the inbox.
#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/active.hpp"
#include "message/core/protocol.hpp"
#include "message/network/advert.hpp"
#include "message/network/network.hpp"
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
  // Where it lies in one piece; null: it does not.
  const void* whole_payload() const {
    if constexpr (in_lane)
      return nullptr;
    else
      return from.payload();
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
  } else if (const void* payload = message.whole_payload()) {
    datatype::unpack(*receive.datatype, receive.buffer, 0, static_cast<const char*>(payload),
                     receive.bytes);
    message.drop();
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

void account_unexpected(const UnexpectedMessage& unexpected, std::int64_t change) {
  if (unexpected.in_inbox) return account_unexpected(engine.inbox_account, *engine.inbox, change);
  Peer& peer = peer_of(unexpected.process);
  account_unexpected(peer.account, *peer.link, change);
}

namespace {

// There is no room left to keep a message in: nothing sensible can go on.
[[noreturn]] BATON_COLD void out_of_memory_for_unexpected() {
  BATON_INVARIANT(!"memory for a message that arrived before its receive; raise the memory limit or "
                   "lower BATON_UNEXPECTED_BYTES_MAX");
  __builtin_unreachable();
}

template <class Source>
UnexpectedMessage& keep_unexpected(const Message<Source>& message, lockfree::Envelope envelope,
                                   std::int64_t payload_bytes) {
  UnexpectedMessage* unexpected = new_unexpected(payload_bytes);
  if (!unexpected) out_of_memory_for_unexpected();
  unexpected->context = envelope.context;
  unexpected->source = message.header.source();
  unexpected->tag = envelope.tag;
  unexpected->process = message.peer.process;
  unexpected->in_inbox = !message.in_lane && !message.peer.is_remote();
  count(engine.counters.unexpected);
  return *unexpected;
}

MatchQueue& queue_of(std::uint32_t context) {
  MatchQueue* queue = queue_for(context);
  if (!queue) out_of_memory_for_unexpected();
  return *queue;
}

}  // namespace

namespace {

template <class Source>
void arrive_payload(Message<Source> message) {
  lockfree::Envelope envelope = message.envelope();
  if (!message.in_lane && message.peer.is_remote()) ++message.peer.adverts->taken;
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, message.header.source(), envelope.tag)) {
    BATON_INVARIANT(close_advert(*receive));
    receive_payload(message, *receive, envelope.tag);
    return;
  }
  std::size_t bytes = message.header.bytes();
  UnexpectedMessage& unexpected =
      keep_unexpected(message, envelope, static_cast<std::int64_t>(bytes));
  unexpected.bytes = static_cast<std::int64_t>(bytes);
  message.take_payload(unexpected.payload(), bytes);
  account_unexpected(unexpected, unexpected.bytes);
  keep(queue, unexpected);
}

// Matches an offer, or keeps it. What is to be delivered with its receive; null: nothing.
template <class Source>
UnexpectedMessage* match_rts(Message<Source> message) {
  lockfree::Envelope envelope = message.envelope();
  auto line = message.template read<RtsLine>();
  if (line.span.next_owner == NextOwner::sender) catch_up(message.peer);
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  Request* receive = take_posted(queue, message.header.source(), envelope.tag);
  std::int64_t kept_bytes = receive ? 0 : line.early_bytes;
  UnexpectedMessage& unexpected = keep_unexpected(message, envelope, kept_bytes);
  unexpected.bytes = line.bytes;
  unexpected.offered = true;
  unexpected.sender_contiguous = line.contiguous != 0;
  unexpected.offer = line.slot;
  unexpected.address = line.address;
  unexpected.span = line.span;
  unexpected.exported = line.exported != 0;
  unexpected.keeps_window = line.keeps_window != 0;
  unexpected.for_staging = line.for_staging != 0;
  unexpected.early_bytes = line.early_bytes;
  if (receive) {
    count(engine.counters.unexpected, ~std::uint64_t{0});
    // A withdrawn offer leaves the receive as it was, advert included: nobody can claim that before
    // the line is taken.
    bool matched = claim(unexpected);
    if (!matched) post_again(queue, *receive);
    BATON_INVARIANT(!matched || close_advert(*receive));
    message.drop();
    if (!matched) return nullptr;
    unexpected.receive = receive;
    return &unexpected;
  }
  message.drop();
  if (!line.span.empty()) {
    // Chunks are for all senders: what nobody waits for must not keep one.
    take_early(unexpected, unexpected.payload());
    give_back(line.span, unexpected.process);
    unexpected.span = {};
    account_unexpected(unexpected, unexpected.early_bytes);
  }
  keep(queue, unexpected);
  return nullptr;
}

void copy_later(UnexpectedMessage& unexpected) {
  platform::Guard guard(engine.copies_lock);
  engine.copies.push(&unexpected);
  platform::add_shared(engine.copy_count, 1u);
}

// Whether others should make progress while this is copied. What lies in staging is copied at once:
// its sender goes on there.
bool is_long_copy(const UnexpectedMessage& unexpected) {
  constexpr std::int64_t bytes_min = 65536;  // guess
  return platform::threads_multiple && unexpected.bytes >= bytes_min && unexpected.early_bytes == 0;
}

template <class Source>
void arrive_rts(Message<Source> message) {
  UnexpectedMessage* unexpected = match_rts(message);
  if (!unexpected) return;
  if (BATON_UNLIKELY(is_long_copy(*unexpected))) return copy_later(*unexpected);
  deliver(*unexpected, *unexpected->receive);
}

// An envelope from another node: matched, or kept.
template <class Source>
void arrive_network_rts(Message<Source> message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.template read<NetworkRtsLine>();
  ++message.peer.adverts->taken;
  MatchQueue& queue = queue_of(envelope.context);
  UnexpectedMessage* matched = nullptr;
  {
    platform::Guard guard(queue.lock);
    Request* receive = take_posted(queue, message.header.source(), envelope.tag);
    UnexpectedMessage& unexpected = keep_unexpected(message, envelope, line.head_bytes);
    unexpected.bytes = line.bytes;
    unexpected.early_bytes = line.head_bytes;
    BATON_INVARIANT(line.head_bytes <= sizeof line.head);
    std::copy_n(line.head, line.head_bytes, unexpected.payload());
    unexpected.offered = unexpected.remote = true;
    unexpected.claimed = true;  // its sender cannot take it back
    unexpected.offer = static_cast<std::int32_t>(line.send);
    message.drop();
    if (receive) {
      count(engine.counters.unexpected, ~std::uint64_t{0});
      unexpected.receive = receive;
      matched = &unexpected;
    } else {
      keep(queue, unexpected);
    }
  }
  if (matched) deliver(*matched, *matched->receive);
}

template <class Source>
void arrive_pushed(Message<Source> message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.template read<PushedLine>();
  take_back_pushed(message.peer, line);
  message.drop();
  end_pushed(message.peer, line, message.header.source(), envelope.tag);
}

// Its lines are free before the handler runs, which may send.
template <class Source>
void take_active(Message<Source> message) {
  char payload[active_bytes_max];
  const Process sender = message.peer.process;
  const lockfree::Envelope envelope = message.envelope();
  const std::size_t bytes = message.header.bytes();
  message.take_payload(payload, bytes);
  arrive_active(sender, envelope, payload, bytes);
}

// Hands on what has come; whether it was long, so that others had better be looked at
// first.
template <class Source>
bool arrive(Message<Source> message) {
  switch (static_cast<LineKind>(message.header.kind())) {
    case LineKind::payload:
      arrive_payload(message);
      return false;
    case LineKind::rts:
      arrive_rts(message);
      // Copying it took long: what we wait for may be there, and the next one's receive may be
      // posted before it is taken for unexpected and copied twice.
      return true;
    case LineKind::cts:
      arrive_cts(message.template take<CtsLine>());
      return false;
    case LineKind::window:
      arrive_window(message.peer, message.template take<WindowLine>());
      return false;
    case LineKind::pushed:
      arrive_pushed(message);
      return false;
    case LineKind::active:
      take_active(message);
      return false;
    case LineKind::lane:
      message.drop();
      open_lane(message.peer);
      return false;
    case LineKind::network_rts:
      arrive_network_rts(message);
      return false;
    case LineKind::network_cts:
      arrive_network_cts(message.peer, message.template take<NetworkCtsLine>());
      return false;
    case LineKind::network_advert: {
      const lockfree::Envelope wanted = message.envelope();
      arrive_network_advert(message.peer, wanted, message.template take<NetworkAdvertLine>());
      return false;
    }
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
    lockfree::ring_doorbell(transport::doorbell(engine.local_rank), number_of(peer.local_rank));
  return taken > 0;
}

bool poll_inbox(transport::Inbox& inbox) {
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
    UnexpectedMessage* unexpected;
    {
      platform::Guard guard(engine.copies_lock);
      unexpected = engine.copies.first;
      if (!unexpected) return;
      engine.copies.take_after(nullptr);
      platform::add_shared(engine.copy_count, ~0u);
    }
    BATON_INVARIANT(deliver(*unexpected, *unexpected->receive));
  }
}

namespace {

// Whether its sender may still cancel it.
bool may_be_cancelled(const UnexpectedMessage& unexpected) {
  return unexpected.offered && !unexpected.local && !unexpected.claimed &&
         unexpected.offer != no_slot;
}

lockfree::Offer<lockfree::Hardware>& offer_of(const UnexpectedMessage& unexpected) {
  return transport::offer(transport::local_rank_of(unexpected.process), unexpected.offer);
}

// What was kept for an unexpected message is not kept any more.
void account_delivered(const UnexpectedMessage& unexpected) {
  std::int64_t kept = !unexpected.offered       ? unexpected.bytes
                      : unexpected.span.empty() ? unexpected.early_bytes
                                                : 0;
  if (kept && unexpected.process != engine.self) account_unexpected(unexpected, -kept);
}

// The end of a message whose sender has cancelled it. We will not look again: its slot may be used
// anew. Its early bytes are complete, since only then it could be withdrawn.
void drop_withdrawn(UnexpectedMessage& unexpected) {
  BATON_INVARIANT(lockfree::move_offer(offer_of(unexpected), lockfree::OfferState::withdrawn,
                                       lockfree::OfferState::done));
  if (!unexpected.span.empty()) skip_early(unexpected);
  account_delivered(unexpected);
  free_unexpected(&unexpected);
}

}  // namespace

bool claim(UnexpectedMessage& unexpected) {
  if (!may_be_cancelled(unexpected)) return true;
  unexpected.claimed = lockfree::move_offer(offer_of(unexpected), lockfree::OfferState::offered,
                                            lockfree::OfferState::claimed);
  if (unexpected.claimed) return true;
  drop_withdrawn(unexpected);
  return false;
}

bool is_withdrawn(const UnexpectedMessage& unexpected) {
  return may_be_cancelled(unexpected) &&
         lockfree::offer_state(offer_of(unexpected)) == lockfree::OfferState::withdrawn;
}

bool deliver(UnexpectedMessage& unexpected, Request& receive) {
  // Claim before the receive changes: a withdrawn offer must leave no trace.
  if (!claim(unexpected)) return false;
  Error error = settle_envelope(receive, unexpected.source, unexpected.tag, unexpected.bytes);
  receive.error = error;
  receive.process = unexpected.process;
  if (unexpected.local) {
    deliver_local(*unexpected.local, receive);
  } else if (unexpected.remote) {
    accept_over_network(unexpected, receive);
  } else if (unexpected.offered) {
    engine.protocol->accept(unexpected, receive);
  } else {
    datatype::unpack(*receive.datatype, receive.buffer, 0, unexpected.payload(), receive.bytes);
    complete(receive, error);
  }
  account_delivered(unexpected);
  free_unexpected(&unexpected);
  return true;
}

}  // namespace baton::message
