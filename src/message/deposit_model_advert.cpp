// Transfer redirection as the study had it: one receive at a time is known to its sender, who puts
// the next message straight into its buffer, if the receive was posted first, names its source and
// nothing before it can match. Not with MPI_THREAD_MULTIPLE, where a receive may be posted while
// another thread takes a message in.
#include "message/deposit_model.hpp"
#include "message/deposit_model_peer.hpp"
#include "message/protocol.hpp"
#include "transport/heap.hpp"
#include "transport/single_copy.hpp"

namespace baton::message {

using lockfree::DepositAdvertState;

namespace {

bool tags_overlap(const Request& one, const Request& other) {
  return one.tag == other.tag || one.tag == MPI_ANY_TAG || other.tag == MPI_ANY_TAG;
}

bool tag_fits(std::int32_t wanted, std::int32_t tag) {
  // Negative tags belong to the library itself.
  return wanted == tag || (wanted == MPI_ANY_TAG && tag >= 0);
}

// Whether an earlier receive could match what this one matches.
bool is_behind_another(const MatchQueue& queue, const Request& receive) {
  for (const Request* other = queue.posted_any.first; other; other = other->next)
    if (other->order < receive.order && tags_overlap(*other, receive)) return true;
  const List<Request>& bin = queue.posted[MatchQueue::bin(receive.source)];
  for (const Request* other = bin.first; other != &receive; other = other->next)
    if (other->source == receive.source && tags_overlap(*other, receive)) return true;
  return false;
}

void open(DepositPeer& deposit, Request& receive, std::uint32_t sender) {
  receive.peer_rank = sender;
  receive.advertised = true;
  deposit.advertised = &receive;
  lockfree::open_deposit_advert(
      *deposit.own_advert,
      {++deposit.adverts, reinterpret_cast<std::uint64_t>(receive.buffer),
       static_cast<std::uint64_t>(receive.bytes), receive.context, receive.tag});
}

}  // namespace

void advertise_deposit(const MatchQueue& queue, Request& receive, std::uint32_t sender) {
  if (platform::threads_multiple || !deposit_model().redirects(receive.bytes)) return;
  if (sender == engine.rank || !receive.datatype->contiguous) return;
  DepositPeer* deposit = find_deposit_peer(sender);
  if (!deposit || !deposit->in.attached() || deposit->advertised) return;
  if (!transport::is_exported(receive.buffer) && !transport::can_read_from(sender)) return;
  if (!is_behind_another(queue, receive)) open(*deposit, receive, sender);
}

void advertise_next(Peer& peer, const MatchQueue& queue, std::int32_t source) {
  if (platform::threads_multiple || deposit_peer(peer).advertised) return;
  for (Request* receive = queue.posted[MatchQueue::bin(source)].first; receive;
       receive = receive->next)
    if (receive->source == source) return advertise_deposit(queue, *receive, peer.rank);
}

bool close_deposit_advert(Request& receive) {
  if (!receive.advertised) return true;
  DepositPeer& deposit = *find_deposit_peer(receive.peer_rank);
  if (!lockfree::move_deposit_advert(*deposit.own_advert, deposit.adverts, DepositAdvertState::open,
                                     DepositAdvertState::closed))
    return false;
  deposit.advertised = nullptr;
  receive.advertised = false;
  return true;
}

Request& take_redirected(Peer& peer) {
  DepositPeer& deposit = deposit_peer(peer);
  BATON_INVARIANT(deposit.advertised != nullptr);
  Request& receive = *deposit.advertised;
  {
    platform::Guard guard(receive.queue->lock);
    BATON_INVARIANT(take_back(*receive.queue, receive));
  }
  BATON_INVARIANT(lockfree::move_deposit_advert(*deposit.own_advert, deposit.adverts,
                                                DepositAdvertState::claimed,
                                                DepositAdvertState::closed));
  deposit.advertised = nullptr;
  receive.advertised = false;
  return receive;
}

lockfree::DepositTarget claim_target(Peer& peer, const Request& send) {
  DepositPeer& deposit = deposit_peer(peer);
  // In this order: what was consumed may have matched the receive, which then is advertised no
  // more.
  if (platform::threads_multiple || !deposit.out.all_consumed()) return {};
  lockfree::DepositTarget target = lockfree::view_deposit_advert(*deposit.their_advert);
  bool matches = target.number && target.context == send.context && tag_fits(target.tag, send.tag);
  // Too long for it: it is truncated in the ordinary way.
  if (!matches || static_cast<std::uint64_t>(send.bytes) > target.bytes) return {};
  auto* address = reinterpret_cast<void*>(target.address);
  if (!transport::reach_exported(peer.rank, address) &&
      (peer.refuses_pushes || !transport::can_read_from(peer.rank)))
    return {};
  // Claim last.
  if (!lockfree::move_deposit_advert(*deposit.their_advert, target.number, DepositAdvertState::open,
                                     DepositAdvertState::claimed))
    return {};
  return target;
}

bool push_to_target(Peer& peer, const lockfree::DepositTarget& target, const char* data,
                    std::int64_t bytes) {
  if (transport::write_to(peer.rank, data, reinterpret_cast<void*>(target.address), bytes))
    return true;
  peer.refuses_pushes = true;
  BATON_INVARIANT(lockfree::move_deposit_advert(*deposit_peer(peer).their_advert, target.number,
                                                DepositAdvertState::claimed,
                                                DepositAdvertState::open));
  return false;
}

}  // namespace baton::message
