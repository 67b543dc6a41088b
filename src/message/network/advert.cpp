#include "message/network/advert.hpp"

#include "base/settings.hpp"
#include "message/core/loss.hpp"
#include "message/core/requests.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/rendezvous.hpp"
#include "message/network/take_back.hpp"

namespace baton::message {

namespace {

// Returns whether the network may write into a receive's buffer where it lies.
bool may_be_written(const Request& receive) {
  if (receive.is_run) return true;
  return !receive.is_host && receive.datatype->contiguous && network_reaches_devices();
}

}  // namespace

void advertise_over_network(const MatchQueue& queue, Request& receive, RemotePeer& sender) {
  if (receive.bytes <= settings.network_eager_bytes_max || !may_be_written(receive)) return;
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
                              const NetworkAdvertLine& line, std::uint32_t& rendezvous) {
  platform::Guard guard(peer.send_lock);
  return peer.adverts.known.arrive(wanted, line, !platform::threads_multiple, rendezvous);
}

}  // namespace

void arrive_network_advert(RemotePeer& peer, lockfree::Envelope wanted,
                           const NetworkAdvertLine& line) {
  std::uint32_t rendezvous = KnownAdverts::no_rendezvous;
  const KnownAdverts::Arrived arrived = take_in(peer, wanted, line, rendezvous);
  if (arrived == KnownAdverts::Arrived::refused)
    return tell(peer.process, {TakeBack::advert_refused, line.number, 0, 0, {}});
  if (arrived == KnownAdverts::Arrived::matched && rendezvous != KnownAdverts::no_rendezvous)
    write_to_advertised(peer, rendezvous, line);
}

namespace {

// Its sender will not use it: it is cancelled, or fails.
void end_withdrawn(Request& receive) {
  {
    platform::Guard guard(receive.queue->lock);
    BATON_INVARIANT(take_back(*receive.queue, receive));
  }
  const Error error = failure_of(receive);
  receive.cancelled = !error;
  receive.bytes = 0;
  complete(receive, error);
}

}  // namespace

void arrive_refused_advert(RemotePeer& peer, std::uint32_t number) {
  ++peer.adverts.refusals;
  OwnAdverts& own = peer.adverts.own;
  for (int i = own.count(); i-- > 0;) {
    Request& receive = own.at(i);
    if (static_cast<std::uint32_t>(receive.advert) - number > ~0u / 2) continue;  // before it
    close_network_advert(receive);
    if (network_part(receive).asked) end_withdrawn(receive);
  }
  ask_for_refused(peer, number);
}

void arrive_given_advert(RemotePeer& peer, std::uint32_t number) {
  Request* receive = peer.adverts.own.find(number);
  if (!receive) return;  // its sender was taken for lost
  close_network_advert(*receive);
  end_withdrawn(*receive);
}

}  // namespace baton::message
