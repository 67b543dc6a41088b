#include "message/core/arrive.hpp"

#include <algorithm>
#include <cerrno>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/active.hpp"
#include "message/core/contact.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "platform/copy.hpp"
#include "platform/futex.hpp"
#include "platform/thread_checker.hpp"
#include "transport/peer_wait.hpp"

namespace baton::message {

namespace {

// A message whose first line has come, where it lies: in a peer's lane, or in the inbox.
template <class Source>
struct Message {
  Source& from;
  Peer& peer;
  Account& account;
  lockfree::Header header;

  static constexpr bool in_lane = std::is_same_v<Source, transport::LineReceiver>;
  lockfree::Envelope envelope() const { return from.envelope(); }
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
  // Copies the first `wanted` bytes of the payload into contiguous memory, and drops it. False when
  // its sender has died in the midst.
  [[nodiscard]] BATON_INLINE bool take_payload(char* target, std::size_t wanted) {
    const std::size_t bytes = header.bytes();
    if constexpr (!in_lane) {
      from.take(target, wanted, bytes);
    } else if (BATON_LIKELY(bytes <= lockfree::first_line_payload_bytes)) {
      platform::copy_short(target, from.first_payload(), wanted);
      drop();
    } else {
      return from.take_long(target, wanted, bytes, transport::PeerWait(peer.slot));
    }
    return true;
  }
};

// Such a message as the protocol sees it that knows the kind of its line.
template <class Source>
class LineOf final : public ArrivedLine {
 public:
  explicit LineOf(const Message<Source>& message)
      : ArrivedLine(message.header, message.peer, message.account), message_(message) {}
  lockfree::Envelope envelope() const override { return message_.envelope(); }
  void read(void* target, std::size_t bytes) const override { message_.from.read(target, bytes); }
  void drop() override { message_.drop(); }

 private:
  Message<Source> message_;
};

// The payload goes straight to the receive that matches it.
template <class Source>
void receive_payload(Message<Source> message, Request& receive, std::int32_t tag) {
  std::size_t bytes = message.header.bytes();
  Error error =
      settle_envelope(receive, message.header.source(), tag, static_cast<std::int64_t>(bytes));
  auto wanted = static_cast<std::size_t>(receive.bytes);
  bool all = true;
  if (BATON_LIKELY(receive.is_run)) {
    all = message.take_payload(static_cast<char*>(receive.buffer), wanted);
  } else if (const void* payload = message.whole_payload()) {
    datatype::unpack(*receive.datatype, receive.buffer, 0, static_cast<const char*>(payload),
                     receive.bytes, receive.is_host);
    message.drop();
  } else {
    char bounce[transport::bytes_in_lines_max];
    all = message.take_payload(bounce, wanted);
    if (all)
      datatype::unpack(*receive.datatype, receive.buffer, 0, bounce, receive.bytes,
                       receive.is_host);
  }
  if (BATON_UNLIKELY(!all))
    error = message.peer.protocol->explain_loss(message.peer.process, ESRCH);
  complete(receive, error);
}

// Returns whether it was the last that was awaited here: the next one would be unexpected, and
// copied twice, if its receive is not posted first.
template <class Source>
bool arrive_payload(Message<Source> message) {
  lockfree::Envelope envelope = message.envelope();
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, message.header.source(), envelope.tag)) {
    BATON_INVARIANT(close_advert(*receive));
    receive_payload(message, *receive, envelope.tag);
    return queue.posted_count == 0;
  }
  std::size_t bytes = message.header.bytes();
  UnexpectedMessage& unexpected =
      make_unexpected(message.peer, message.account, message.header.source(), envelope,
                      static_cast<std::int64_t>(bytes));
  unexpected.bytes = static_cast<std::int64_t>(bytes);
  count(engine.counters.unexpected);
  if (BATON_UNLIKELY(!message.take_payload(unexpected.payload(), bytes))) {
    drop_unexpected(unexpected);  // its sender has died in the midst: there is no such message
    return false;
  }
  account_unexpected(unexpected, unexpected.bytes);
  keep(queue, unexpected);
  return false;
}

// Its lines are free before the handler runs, which may send.
template <class Source>
void take_active(Message<Source> message) {
  char payload[active_bytes_max];
  const Process sender = message.peer.process;
  const lockfree::Envelope envelope = message.envelope();
  const std::size_t bytes = message.header.bytes();
  if (BATON_LIKELY(message.take_payload(payload, bytes)))
    arrive_active(sender, envelope, payload, bytes);
}

// Hands on what has come. Returns whether others, and who waits for it, had better look first.
template <class Source>
bool arrive(Message<Source> message) {
  platform::hears_from(&message.peer);
  switch (static_cast<LineKind>(message.header.kind())) {
    case LineKind::payload:
      return arrive_payload(message);
    case LineKind::active:
      take_active(message);
      return false;
    case LineKind::none:
      BATON_INVARIANT(!"a line of no kind has come");
      __builtin_unreachable();
    default: {
      LineOf<Source> line(message);
      return message.peer.protocol->arrive(line);
    }
  }
}

constexpr int messages_per_poll = 32;  // guess: fair between lanes, cheap in a burst

}  // namespace

bool poll_peer(Peer& peer) {
  int taken = 0;
  int taken_max = messages_per_poll;
  for (; taken < taken_max; ++taken) {
    lockfree::Header header = peer.in.peek();
    if (header.lap() == 0) break;
    if (arrive(Message<transport::LineReceiver>{peer.in, peer, peer.account, header}))
      taken_max = taken + 1;
  }
  // Trusting doorbells, what is left here must be found again.
  if (BATON_UNLIKELY(taken == taken_max && engine.doorbells))
    lockfree::ring_doorbell(transport::doorbell(peer.slot.own()), peer.slot.index);
  return taken > 0;
}

bool poll_inbox(transport::Inbox& inbox, Account* shared, void (*notice)(Peer&, unsigned kind)) {
  int taken = 0;
  for (; taken < messages_per_poll; ++taken) {
    lockfree::Header header = inbox.peek();
    if (header.lap() == 0) break;
    Peer* peer = meet(inbox.sender());
    if (!peer) break;  // no memory now: the line stays
    if (notice) notice(*peer, static_cast<unsigned>(header.kind()));
    Account& account = shared ? *shared : peer->account;
    if (arrive(Message<transport::Inbox>{inbox, *peer, account, header})) return true;
  }
  return taken > 0;
}

}  // namespace baton::message
