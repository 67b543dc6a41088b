#include "message/network/eager.hpp"

#include <algorithm>
#include <new>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/requests.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"

namespace baton::message {

using transport::network::network;

// An eager message that leaves from the program's memory.
struct EagerSend : transport::network::Operation {
  Request* request = nullptr;
  EagerSend* next = nullptr;
  transport::network::PacketEnds ends;
};

namespace {

void keep_spare(EagerSend& send) {
  NetworkMessages& shared = messages_over_network();
  platform::Guard guard(shared.spare_sends_lock);
  send.next = shared.spare_sends;
  shared.spare_sends = &send;
}

EagerSend* take_spare() {
  NetworkMessages& shared = messages_over_network();
  platform::Guard guard(shared.spare_sends_lock);
  EagerSend* send = shared.spare_sends;
  if (send) shared.spare_sends = send->next;
  return send ? send : new (std::nothrow) EagerSend;
}

void eager_sent(transport::network::Operation& operation, int error) {
  auto& send = static_cast<EagerSend&>(operation);
  Request& request = *send.request;
  keep_spare(send);
  platform::add_shared(messages_over_network().sends_under_way, ~0u);
  complete(request, error ? lost_peer(request.process, error) : MPI_SUCCESS);
}

lockfree::Header header_of(const Request& send) {
  return lockfree::make_header(static_cast<unsigned>(LineKind::payload), 0, send.source);
}

bool put_from_buffer(RemotePeer& peer, Request& send) {
  EagerSend* eager = take_spare();
  if (!eager) return false;
  eager->request = &send;
  eager->done = eager_sent;
  send.stage = Stage::streaming;
  platform::add_shared(messages_over_network().sends_under_way, 1u);
  if (peer.link.put_in_place(header_of(send), {send.context, send.tag}, send.buffer,
                             static_cast<std::size_t>(send.bytes), eager->ends, *eager))
    return true;
  platform::add_shared(messages_over_network().sends_under_way, ~0u);
  keep_spare(*eager);
  return false;
}

}  // namespace

bool put_eager(RemotePeer& peer, Request& send) {
  // Once put, it may be gone.
  const std::int64_t bytes = send.bytes;
  const lockfree::Envelope envelope{send.context, send.tag};
  const bool copied = bytes <= std::int64_t{transport::network::copied_bytes_max};
  if (!copied) {
    if (!put_from_buffer(peer, send)) return false;
  } else {
    char packed[transport::network::copied_bytes_max];
    const void* data = send.buffer;
    if (!send.is_run) {
      datatype::pack(*send.datatype, send.buffer, 0, packed, bytes, send.is_host);
      data = packed;
    }
    // A blocking send's request is its caller's own: what it has sent is to leave now.
    const auto together =
        send.heap ? transport::network::Together::may : transport::network::Together::never;
    if (!peer.link.put(header_of(send), {send.context, send.tag}, data,
                       static_cast<std::size_t>(bytes), together))
      return false;
    complete(send, MPI_SUCCESS);
  }
  KnownAdverts& known = peer.adverts.known;
  known.sent(envelope, KnownAdverts::no_rendezvous, known.find(envelope));
  count_message(peer, Way::network_eager, bytes);
  return true;
}

std::int64_t network_eager_bytes_max(const Request& send) {
  const std::size_t most =
      send.is_run ? network().eager_bytes_max() : transport::network::copied_bytes_max;
  return std::min(static_cast<std::int64_t>(most), settings.network_eager_bytes_max);
}

void forget_eager_sends() {
  NetworkMessages& shared = messages_over_network();
  while (EagerSend* send = shared.spare_sends) {
    shared.spare_sends = send->next;
    delete send;
  }
}

}  // namespace baton::message
