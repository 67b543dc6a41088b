#include "message/node/receiver_initiated.hpp"

#include <cstdlib>

#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/node/accept.hpp"
#include "message/node/observe.hpp"
#include "message/node/pull.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

namespace {

using lockfree::AdvertState;
using transport::advert_count;

transport::Advert& own_advert(const Peer& sender, std::uint64_t number) {
  return transport::advert(sender.slot.own(), sender.slot, number);
}

// The first time takes memory.
bool prepare(NodePeer& peer) {
  if (peer.advertised) return true;
  if (peer.adverts_refused) return false;
  peer.advertised = static_cast<Request**>(std::calloc(advert_count, sizeof(Request*)));
  peer.adverts_refused =
      !peer.advertised || transport::reserve_adverts(peer.slot.own(), peer.slot) != MPI_SUCCESS;
  if (!peer.adverts_refused) {
    peer.link->announce_adverts();
    peer.takes_adverts = true;
    return true;
  }
  std::free(peer.advertised);
  peer.advertised = nullptr;
  return false;
}

}  // namespace

void advertise_receive(const MatchQueue& queue, Request& receive, NodePeer& peer) {
  if (!settings.receiver_initiated || platform::threads_multiple) return;
  if (!peer.link->is_open() || !receive.is_run) return;
  // Where nothing is pulled, nobody would push.
  bool pushed =
      transport::reach_by(peer.slot, receive.buffer) == transport::Reach::mapped ||
      ((peer.link->wishes_pulls() || receive.bytes >= settings.unseen_pull_bytes_min ||
        !settings.observe) &&
       receive.bytes >= settings.push_bytes_min && transport::kernel_copies_from(peer.slot));
  if (!pushed || is_behind_unadvertised(queue, receive) || !prepare(peer)) return;
  std::uint64_t number = peer.last_advert + 1;
  Request*& entry = peer.advertised[number % advert_count];
  if (entry) return;
  entry = &receive;
  receive.advert = peer.last_advert = number;
  receive.process = peer.process;
  lockfree::open_advert(own_advert(peer, number), number,
                        reinterpret_cast<std::uint64_t>(receive.buffer),
                        static_cast<std::uint64_t>(receive.bytes), receive.context, receive.tag);
}

namespace {

void forget_advert(Request& receive) {
  node_peer(receive.process).advertised[receive.advert % advert_count] = nullptr;
  receive.advert = 0;
}

}  // namespace

bool close_receive_advert(Request& receive) {
  const Peer& sender = peer_of(receive.process);
  transport::Advert& advert = own_advert(sender, receive.advert);
  bool closed =
      lockfree::move_advert(advert, receive.advert, AdvertState::open, AdvertState::closed);
  // A sender that is lost has not ended what it claimed, since all that has come of it was taken
  // in.
  if (!closed && loss_of(receive.process))
    closed =
        lockfree::move_advert(advert, receive.advert, AdvertState::claimed, AdvertState::closed);
  if (closed) forget_advert(receive);
  return closed;
}

Target find_target(NodePeer& peer, const Request& send) {
  if (!peer.link->is_exclusive() || !peer.link->has_adverts() || !send.is_run ||
      platform::threads_multiple)
    return {};
  Pushes& past = peer.pushes;
  // All that this rank has sent in other ways since the last redirection must have been taken in.
  if (past.end != peer.link->sent_lines()) past.others_end = past.end = peer.link->sent_lines();
  bool from_first = true;
  for (std::uint64_t number = past.first_advert;; ++number) {
    lockfree::AdvertView advert =
        lockfree::view_advert(transport::advert(peer.slot, peer.slot.own(), number));
    if (advert.number < number) return {};  // not there yet
    if (advert.number > number || advert.state != AdvertState::open) {
      // All that were there before it are gone, too.
      if (advert.number > number) number = advert.number - advert_count;
      if (from_first) past.first_advert = number + 1;
      continue;
    }
    from_first = false;
    if (advert.context != send.context || !tag_fits(advert.tag, send.tag)) continue;
    // Too long for it: truncated in the ordinary way.
    if (send.bytes > static_cast<std::int64_t>(advert.bytes)) return {};
    auto* address = reinterpret_cast<char*>(advert.target);
    auto bytes = static_cast<std::size_t>(send.bytes);
    return {number, address, transport::map({peer.slot, address}, bytes) != nullptr};
  }
}

namespace {

// There is space: the caller has looked, and nobody else's lines go there.
void put_pushed(NodePeer& peer, const Request& send, const PushedLine& line) {
  BATON_INVARIANT(
      put_line(peer, NodeLine::pushed, send.source, {send.context, send.tag}, &line, sizeof line));
  peer.pushes.end = peer.link->sent_lines();
  count_sent(peer, Way::receiver_initiated, static_cast<std::size_t>(send.bytes));
  tell_way(peer, Way::receiver_initiated, send.bytes);
}

// We copy all of it before its line goes.
bool push_alone(NodePeer& peer, Request& send, const Target& target, PushedLine& line) {
  const OutstandingCopy counted(send.bytes);
  std::int64_t start = platform::now_ticks();
  if (!transport::copy_to({peer.slot, target.address}, send.buffer, send.bytes)) {
    peer.refuses_pushes = true;
    return false;
  }
  line.took_ticks = platform::now_ticks() - start;
  put_pushed(peer, send, line);
  complete(send, MPI_SUCCESS);
  return true;
}

// Both copy, as soon as the receiver looks.
void push_together(NodePeer& peer, Request& send, const Target& target, const PushedLine& line) {
  std::uint32_t piece = piece_bytes(send.bytes);
  transport::RendezvousEntry& entry = transport::rendezvous_entry(peer.slot.own(), line.slot);
  lockfree::open_shared_entry(entry, reinterpret_cast<std::uint64_t>(target.address),
                              static_cast<std::uint64_t>(send.bytes), piece);
  put_pushed(peer, send, line);
  notify(peer);
  peer.shared_copies.saw(push_pieces(entry, send, lockfree::pieces_in_all(entry)) <
                         lockfree::pieces_in_all(entry));
}

}  // namespace

bool redirect(NodePeer& peer, Request& send, const Target& target) {
  if (!target.exported && (send.bytes < settings.push_bytes_min || peer.refuses_pushes ||
                           !transport::kernel_copies_from(peer.slot)))
    return false;
  if (!peer.link->has_taken(peer.pushes.others_end)) return false;
  bool together = !engine.oversubscribed && piece_bytes(send.bytes) > 0 &&
                  transport::reach_by(peer.slot, send.buffer) != transport::Reach::by_both_sides &&
                  peer.shared_copies.expected();
  int slot = together ? open_slot(send) : no_slot;
  if (slot < 0) together = false;
  transport::Advert& advert = transport::advert(peer.slot, peer.slot.own(), target.number);
  if (!lockfree::move_advert(advert, target.number, AdvertState::open, AdvertState::claimed)) {
    if (together) abandon_slot(node_of(peer), static_cast<std::uint32_t>(slot));
    return false;
  }
  PushedLine line{target.number,
                  reinterpret_cast<std::uint64_t>(send.buffer),
                  send.bytes,
                  together ? slot : no_slot,
                  node_part(send).exported,
                  target.exported,
                  0};
  if (together) {
    push_together(peer, send, target, line);
    return true;
  }
  if (push_alone(peer, send, target, line)) return true;
  BATON_INVARIANT(
      lockfree::move_advert(advert, target.number, AdvertState::claimed, AdvertState::open));
  return false;
}

namespace {

// Nobody else gets the receive that a message was pushed into.
void take_back_pushed(NodePeer& peer, const PushedLine& line) {
  Request& receive = *peer.advertised[line.advert % advert_count];
  platform::Guard guard(receive.queue->lock);
  BATON_INVARIANT(receive.advert == line.advert && take_back(*receive.queue, receive));
  BATON_INVARIANT(lockfree::move_advert(own_advert(peer, line.advert), line.advert,
                                        AdvertState::claimed, AdvertState::closed));
}

// Once the line is dropped.
void end_pushed(NodePeer& peer, const PushedLine& line, std::int32_t source, std::int32_t tag) {
  Request& receive = *peer.advertised[line.advert % advert_count];
  forget_advert(receive);
  receive.source = source;
  receive.tag = tag;
  receive.bytes = line.bytes;
  receive.part.begin<NodeRequest>().exported = line.exported != 0;
  if (line.slot != no_slot) return accept_pushed(line, receive);
  observe(
      peer, receive.bytes, node_part(receive).exported, Taken::pulled,
      transport::cost_of_copy(receive.bytes, line.took_ticks, transport::Pushed::all, line.mapped));
  complete(receive, MPI_SUCCESS);
}

}  // namespace

void arrive_pushed(ArrivedLine& message) {
  auto& peer = static_cast<NodePeer&>(message.peer());
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.read<PushedLine>();
  take_back_pushed(peer, line);
  message.drop();
  end_pushed(peer, line, message.source(), envelope.tag);
}

}  // namespace baton::message
