// Transfer redirection as the study had it: one receive at a time is known to its sender, who puts
// the next message straight into its buffer, if the receive was posted first, names its source and
// nothing before it can match. Not with MPI_THREAD_MULTIPLE, where a receive may be posted while
// another thread takes a message in.
#include "message/deposit/peer.hpp"
#include "transport/heap.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

using lockfree::AdvertState;

namespace {

// Returns whether an earlier receive could match what this one matches.
bool is_behind_another(const MatchQueue& queue, const Request& receive) {
  for (const Request* other = queue.posted_any.first; other; other = other->next)
    if (other->order < receive.order && tags_overlap(*other, receive)) return true;
  const List<Request>& bin = queue.posted[MatchQueue::bin(receive.source)];
  for (const Request* other = bin.first; other != &receive; other = other->next)
    if (other->source == receive.source && tags_overlap(*other, receive)) return true;
  return false;
}

void open(DepositPeer& sender, Request& receive) {
  receive.process = sender.process;
  receive.advert = ++sender.adverts;
  sender.told = &receive;
  lockfree::open_advert(*sender.own_advert, receive.advert,
                        reinterpret_cast<std::uint64_t>(receive.buffer),
                        static_cast<std::uint64_t>(receive.bytes), receive.context, receive.tag);
}

}  // namespace

void advertise_deposit(const MatchQueue& queue, Request& receive, DepositPeer& sender) {
  if (platform::threads_multiple || !deposit_model().redirects(receive.bytes)) return;
  if (!receive.is_run || !sender.ring_in.attached() || sender.told) return;
  if (!transport::exported_heap.contains(receive.buffer) &&
      !transport::kernel_copies_from(sender.slot))
    return;
  if (!is_behind_another(queue, receive)) open(sender, receive);
}

void advertise_next(DepositPeer& peer, const MatchQueue& queue, std::int32_t source) {
  if (platform::threads_multiple || peer.told) return;
  for (Request* receive = queue.posted[MatchQueue::bin(source)].first; receive;
       receive = receive->next)
    if (receive->source == source) return advertise_deposit(queue, *receive, peer);
}

bool close_deposit_advert(Request& receive) {
  DepositPeer& sender = deposit_peer(receive.process);
  if (!lockfree::move_advert(*sender.own_advert, sender.adverts, AdvertState::open,
                             AdvertState::closed))
    return false;
  sender.told = nullptr;
  receive.advert = 0;
  return true;
}

Request& take_redirected(DepositPeer& peer) {
  BATON_INVARIANT(peer.told != nullptr);
  Request& receive = *peer.told;
  {
    platform::Guard guard(receive.queue->lock);
    BATON_INVARIANT(take_back(*receive.queue, receive));
  }
  BATON_INVARIANT(lockfree::move_advert(*peer.own_advert, peer.adverts, AdvertState::claimed,
                                        AdvertState::closed));
  peer.told = nullptr;
  receive.advert = 0;
  return receive;
}

Target claim_target(DepositPeer& peer, const Request& send) {
  // In this order: what was consumed may have matched the receive, which then is advertised no
  // more.
  if (platform::threads_multiple || !peer.ring_out.all_consumed()) return {};
  lockfree::AdvertView advert = lockfree::view_advert(*peer.their_advert);
  bool matches = advert.state == AdvertState::open && advert.context == send.context &&
                 tag_fits(advert.tag, send.tag);
  // Too long for it: it is truncated in the ordinary way.
  if (!matches || static_cast<std::uint64_t>(send.bytes) > advert.bytes) return {};
  auto* address = reinterpret_cast<char*>(advert.target);
  bool exported = transport::exported_heap.reach(peer.slot, address) != nullptr;
  if (!exported && (peer.refuses_pushes || !transport::kernel_copies_from(peer.slot))) return {};
  // Claim last.
  if (!lockfree::move_advert(*peer.their_advert, advert.number, AdvertState::open,
                             AdvertState::claimed))
    return {};
  return {advert.number, address, exported};
}

bool push_to_target(DepositPeer& peer, const Target& target, const char* data, std::int64_t bytes) {
  if (transport::copy_to({peer.slot, target.address}, data, bytes)) return true;
  peer.refuses_pushes = true;
  BATON_INVARIANT(lockfree::move_advert(*peer.their_advert, target.number, AdvertState::claimed,
                                        AdvertState::open));
  return false;
}

}  // namespace baton::message
