// The deposit models' receiver: takes fragments out of the ring, each message to its receive or,
// when none is there yet, to memory of ours. Matching an unexpected message waits until all of it
// is here: the same order, since what its sender sends next stands behind it.
#include <algorithm>
#include <cstring>

#include "datatype/pack.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/deposit/peer.hpp"

namespace baton::message {

namespace {

// guess: fair between peers. Fragments are up to a ring long.
constexpr int fragments_per_poll = 16;

transport::RendezvousEntry& entry_of(const DepositPeer& peer, std::int32_t slot) {
  return transport::rendezvous_entry(peer.slot, slot);
}

// The receive that matches a message; null when there is none, or the sender has cancelled.
Request* find_receive(DepositPeer& peer, const lockfree::DepositHeader& header) {
  MatchQueue& queue = queue_of(header.context);
  platform::Guard guard(queue.lock);
  Request* receive = take_posted(queue, header.source, header.tag);
  if (!receive) return nullptr;
  if (header.cancellable &&
      !lockfree::move_entry(entry_of(peer, header.slot), lockfree::RendezvousState::offered,
                            lockfree::RendezvousState::claimed)) {
    post_again(queue, *receive);
    return nullptr;
  }
  // Nobody can have claimed it: the sender had put this message before it looked.
  BATON_INVARIANT(close_advert(*receive));
  return receive;
}

UnexpectedMessage* make_unexpected(const DepositPeer& peer, const lockfree::DepositHeader& header) {
  auto bytes = static_cast<std::int64_t>(header.message_bytes);
  UnexpectedMessage* unexpected = new_unexpected(bytes);
  BATON_INVARIANT(unexpected != nullptr && "memory for a message that came before its receive");
  unexpected->context = header.context;
  unexpected->source = header.source;
  unexpected->tag = header.tag;
  unexpected->process = peer.process;
  unexpected->bytes = bytes;
  unexpected->account = const_cast<Account*>(&peer.account);
  if (header.slot >= 0) {
    // It is kept like an offered message whose bytes all came early: its sender waits for the
    // match.
    unexpected->offered = true;
    unexpected->part.begin<NodeUnexpected>().slot = header.slot;
    unexpected->claimed = !header.cancellable;
  }
  return unexpected;
}

void open(IncomingDeposit& incoming, DepositPeer& peer, const lockfree::DepositHeader& header) {
  incoming = {};
  incoming.slot = header.slot;
  incoming.receive = header.redirected ? &take_redirected(peer) : find_receive(peer, header);
  if (!incoming.receive) {
    incoming.unexpected = make_unexpected(peer, header);
    return;
  }
  Request& receive = *incoming.receive;
  receive.stage = Stage::streaming;
  receive.process = peer.process;
  receive.error = settle_envelope(receive, header.source, header.tag,
                                  static_cast<std::int64_t>(header.message_bytes));
}

// The receiver's copy.
void copy_fragment(IncomingDeposit& incoming, const char* data, std::int64_t bytes) {
  if (incoming.unexpected) {
    std::memcpy(incoming.unexpected->payload() + incoming.position, data,
                static_cast<std::size_t>(bytes));
    return;
  }
  Request& receive = *incoming.receive;
  std::int64_t wanted = std::min(bytes, receive.bytes - incoming.position);
  if (wanted > 0)
    datatype::unpack(*receive.datatype, receive.buffer, incoming.position, data, wanted,
                     receive.is_host);
}

// The match of a synchronous send is told.
void end_slot(Process sender, std::int32_t slot) {
  BATON_INVARIANT(lockfree::move_entry(transport::rendezvous_entry(peer_of(sender).slot, slot),
                                       lockfree::RendezvousState::claimed,
                                       lockfree::RendezvousState::done));
  wake_rank(sender);
}

// A message that nobody waited for is complete: now it can be matched.
void keep_or_deliver(DepositPeer& peer, UnexpectedMessage& unexpected) {
  MatchQueue& queue = queue_of(unexpected.context);
  platform::Guard guard(queue.lock);
  account_unexpected(unexpected, unexpected.bytes);
  Request* receive = take_posted(queue, unexpected.source, unexpected.tag);
  if (!receive) {
    count(engine.counters.unexpected);
    keep(queue, unexpected);
  } else if (claim(unexpected)) {
    BATON_INVARIANT(close_advert(*receive));
    advertise_next(peer, queue, unexpected.source);
    BATON_INVARIANT(deliver(unexpected, *receive));
  } else {
    post_again(queue, *receive);
  }
}

void close(IncomingDeposit& incoming, DepositPeer& peer) {
  IncomingDeposit message = incoming;
  incoming = {};
  if (message.unexpected) return keep_or_deliver(peer, *message.unexpected);
  if (message.slot >= 0) end_slot(peer.process, message.slot);
  Request& receive = *message.receive;
  advertise_next(peer, *receive.queue, receive.source);
  complete(receive, receive.error);
}

}  // namespace

bool poll_deposit(DepositPeer& peer) {
  lockfree::DepositHeader header;
  int taken = 0;
  for (; taken < fragments_per_poll && peer.ring_in.peek(&header); ++taken) {
    IncomingDeposit& incoming = peer.incoming;
    if (header.is_first) open(incoming, peer, header);
    auto bytes = static_cast<std::int64_t>(header.bytes);
    if (bytes > 0 && !header.redirected) copy_fragment(incoming, peer.ring_in.payload(), bytes);
    incoming.position += bytes;
    bool last = incoming.position == static_cast<std::int64_t>(header.message_bytes);
    // Before the sender can see that it is consumed: what it matches is advertised no more.
    if (last) close(incoming, peer);
    peer.ring_in.take(header);
  }
  if (taken > 0) wake_rank(peer.slot);  // it may wait for space
  return taken > 0;
}

void accept_deposit(UnexpectedMessage& unexpected, Request& receive) {
  if (receive.bytes > 0)
    datatype::unpack(*receive.datatype, receive.buffer, 0, unexpected.payload(), receive.bytes,
                     receive.is_host);
  end_slot(unexpected.process, node_part(unexpected).slot);
  complete(receive, receive.error);
}

}  // namespace baton::message
