#include "message/network/advert.hpp"

#include <algorithm>
#include <new>

#include "base/settings.hpp"
#include "message/core/arrive.hpp"
#include "message/network/cancel.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/transfer.hpp"

namespace baton::message {

namespace {

bool fits(lockfree::Envelope wanted, lockfree::Envelope envelope) {
  return wanted.context == envelope.context && tag_fits(wanted.tag, envelope.tag);
}

}  // namespace

const NetworkAdvertLine* KnownAdverts::find(lockfree::Envelope envelope) const {
  for (int i = 0; i < count_; ++i)
    if (fits(known_[i].wanted, envelope)) return &known_[i].line;
  return nullptr;
}

void KnownAdverts::take_out(const NetworkAdvertLine* line) {
  Known* const end = known_ + count_;
  Known* const found =
      std::find_if(known_, end, [&](const Known& one) { return &one.line == line; });
  std::copy(found + 1, end, found);
  --count_;
}

void KnownAdverts::sent(lockfree::Envelope envelope, std::uint32_t transfer,
                        const NetworkAdvertLine* matched) {
  latest_[sent_++ % remembered_sends] = {envelope, transfer, matched != nullptr};
  if (matched) take_out(matched);
}

KnownAdverts::Arrived KnownAdverts::arrive(lockfree::Envelope wanted, const NetworkAdvertLine& line,
                                           bool usable, std::uint32_t& transfer) {
  if (line.refusals != refusals_) return Arrived::ignored;
  if (!usable || sent_ - line.taken > remembered_sends || count_ == adverts_max) {
    ++refusals_;
    return Arrived::refused;
  }
  for (std::uint32_t number = line.taken; number != sent_; ++number) {
    Message& message = latest_[number % remembered_sends];
    if (message.matched || !fits(wanted, message.envelope)) continue;
    message.matched = true;
    transfer = message.transfer;
    return Arrived::matched;
  }
  known_[count_++] = {wanted, line};
  return Arrived::kept;
}

bool KnownAdverts::has(std::uint32_t number) const {
  return std::any_of(known_, known_ + count_,
                     [&](const Known& one) { return one.line.number == number; });
}

void KnownAdverts::drop(std::uint32_t number) {
  for (int i = 0; i < count_; ++i)
    if (known_[i].line.number == number) return take_out(&known_[i].line);
}

bool OwnAdverts::wants_more() {
  if (count_ == adverts_max) return false;
  if (hope_ > 0) return true;
  if (++skipped_ < receives_skipped) return false;
  skipped_ = 0;
  hope_ = 1;
  return true;
}

std::uint32_t OwnAdverts::open(Request& receive) {
  open_[count_++] = &receive;
  if (++last_number_ == 0) ++last_number_;
  receive.advert = last_number_;
  return last_number_;
}

Request* OwnAdverts::find(std::uint32_t number) const {
  for (int i = 0; i < count_; ++i)
    if (open_[i]->advert == number) return open_[i];
  return nullptr;
}

void OwnAdverts::close(const Request& receive) {
  Request** const end = open_ + count_;
  Request** const found = std::find(open_, end, &receive);
  BATON_INVARIANT(found != end);
  std::copy(found + 1, end, found);
  --count_;
}

void advertise_over_network(const MatchQueue& queue, Request& receive, RemotePeer& sender) {
  if (receive.bytes <= settings.network_eager_bytes_max || !receive.datatype->contiguous) return;
  if (!sender.link.has_begun() || sender.queued.first || loss_of(sender.process)) return;
  NetworkAdverts& adverts = sender.adverts;
  if (is_behind_unadvertised(queue, receive) || !adverts.own.wants_more()) return;
  NetworkAdvertLine line{};
  if (!open_advertised(sender, receive, line)) return;
  line.number = adverts.own.open(receive);
  line.bytes = receive.bytes;
  line.taken = adverts.taken;
  line.refusals = adverts.refusals;
  receive.process = sender.process;
  network_part(receive).asked = false;
  platform::Guard guard(sender.send_lock);
  if (!put_line(sender, NetworkLine::advert, 0, {receive.context, receive.tag}, &line, sizeof line))
    close_network_advert(receive);
}

namespace {

OwnAdverts& own_adverts(const Request& receive) {
  return remote_peer(receive.process).adverts.own;
}

}  // namespace

void close_network_advert(Request& receive) {
  close_advertised(receive);
  own_adverts(receive).close(receive);
  own_adverts(receive).wasted();
  receive.advert = 0;
}

void accept_advertised(Request& receive, const UnexpectedMessage& unexpected) {
  own_adverts(receive).close(receive);
  own_adverts(receive).used();
  accept_written(receive, unexpected);
  // The request may be gone.
}

namespace {

KnownAdverts::Arrived take_in(RemotePeer& peer, lockfree::Envelope wanted,
                              const NetworkAdvertLine& line, std::uint32_t& transfer) {
  platform::Guard guard(peer.send_lock);
  return peer.adverts.known.arrive(wanted, line, !platform::threads_multiple, transfer);
}

}  // namespace

void arrive_network_advert(RemotePeer& peer, lockfree::Envelope wanted,
                           const NetworkAdvertLine& line) {
  std::uint32_t transfer = KnownAdverts::no_transfer;
  const KnownAdverts::Arrived arrived = take_in(peer, wanted, line, transfer);
  if (arrived == KnownAdverts::Arrived::refused) return refuse_advert(peer, line.number);
  if (arrived == KnownAdverts::Arrived::matched && transfer != KnownAdverts::no_transfer)
    write_to_advertised(peer, transfer, line);
}

namespace {

void end_cancelled(Request& receive) {
  {
    platform::Guard guard(receive.queue->lock);
    BATON_INVARIANT(take_back(*receive.queue, receive));
  }
  receive.cancelled = true;
  receive.bytes = 0;
  complete(receive, MPI_SUCCESS);
}

}  // namespace

void arrive_refused_advert(RemotePeer& peer, std::uint32_t number) {
  ++peer.adverts.refusals;
  OwnAdverts& own = peer.adverts.own;
  for (int i = own.count(); i-- > 0;) {
    Request& receive = own.at(i);
    if (static_cast<std::uint32_t>(receive.advert) - number > ~0u / 2) continue;  // before it
    close_network_advert(receive);
    if (network_part(receive).asked) end_cancelled(receive);
  }
  ask_for_refused(peer, number);
}

void arrive_given_advert(RemotePeer& peer, std::uint32_t number) {
  Request* receive = peer.adverts.own.find(number);
  if (!receive) return;  // its sender was taken for lost
  close_network_advert(*receive);
  end_cancelled(*receive);
}

}  // namespace baton::message
