#include "base/check.hpp"
#include "base/settings.hpp"
#include "base/status_fields.hpp"
#include "datatype/foreign.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/lead.hpp"
#include "message/core/loss.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/core/wait.hpp"
#include "platform/copy.hpp"
#include "transport/peer_wait.hpp"

namespace baton::message {

namespace {

// Polls of the awaited lane before the receive is posted and all else is looked at, too.
constexpr int direct_polls = 64;  // guess
constexpr int direct_polls_oversubscribed = 2;

// Nothing posted and nothing waiting in this context: what stands first in the lane is ours to
// judge.
BATON_INLINE bool queue_is_idle(const MatchQueue& queue) {
  return (queue.posted_count | queue.unexpected_count) == 0;
}

void fill_direct_status(MPI_Status* status, std::int32_t source, std::int32_t tag,
                        std::size_t bytes) {
  if (!status) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  set_status_bytes(*status, static_cast<std::int64_t>(bytes));
  set_status_cancelled(*status, false);
}

// Apart, so that the short ones' function saves few registers.
[[gnu::noinline]] bool take_long(Peer& peer, char* buffer, std::size_t bytes) {
  if (peer.out.attached()) peer.out.prefetch_head();
  return peer.in.take_long(buffer, bytes, bytes, transport::PeerWait(peer.slot));
}

[[gnu::noinline]] bool receive_direct_barred(const Context& context, void* buffer,
                                             std::int64_t capacity, const Datatype& type,
                                             std::int32_t source, std::int32_t tag,
                                             MPI_Status* status);

// A blocking receive that names its source, with nothing else in its context: straight from the
// lane into the buffer, no request. False: take the ordinary way. `asked`: the shortest ways are
// barred, and this one may be taken nevertheless.
template <bool asked>
BATON_INLINE bool receive_direct(const Context& context, void* buffer, std::int64_t capacity,
                                 const Datatype& type, std::int32_t source, std::int32_t tag,
                                 MPI_Status* status) {
  if (BATON_UNLIKELY(source < 0 || !type.contiguous)) return false;
  if (!asked && BATON_UNLIKELY(engine.shortcuts_barred))
    return receive_direct_barred(context, buffer, capacity, type, source, tag, status);
  Peer* peer = known_peer(context.process(source));
  if (BATON_UNLIKELY(!peer || !peer->in.attached() || !queue_is_idle(*context.queue))) return false;
  lockfree::Header header = peer->in.peek();
  int polls = engine.waits_by_progress ? direct_polls_oversubscribed : direct_polls;
  for (; header.lap() == 0; header = peer->in.peek()) {
    // A sender who would push must know of the receive.
    if (--polls == 0 || (capacity > settings.eager_bytes_max && peer->takes_adverts)) return false;
    platform::pause_cpu();
  }
  lockfree::Envelope envelope = peer->in.envelope();
  std::size_t bytes = header.bytes();
  bool ours = header.kind() == static_cast<unsigned>(LineKind::payload) &&
              envelope.context == context.receive_id &&
              (envelope.tag == tag || (tag == MPI_ANY_TAG && envelope.tag >= 0)) &&
              static_cast<std::int64_t>(bytes) <= capacity;
  if (BATON_UNLIKELY(!ours)) return false;
  if (BATON_LIKELY(bytes <= lockfree::first_line_payload_bytes)) {
    platform::copy_short(buffer, peer->in.first_payload(), bytes);
    peer->in.take(nullptr, 0);
  } else if (BATON_UNLIKELY(!take_long(*peer, static_cast<char*>(buffer), bytes))) {
    return false;  // its sender has died in the midst: no such message has come
  }
  fill_direct_status(status, source, envelope.tag, bytes);
  return true;
}

// Where one thread calls at a time, and data may lie in foreign memory: this may not.
bool receive_direct_barred(const Context& context, void* buffer, std::int64_t capacity,
                           const Datatype& type, std::int32_t source, std::int32_t tag,
                           MPI_Status* status) {
  if (has_lost_peers() || platform::threads_multiple ||
      !datatype::is_run(type, buffer, context.is_host()))
    return false;
  return receive_direct<true>(context, buffer, capacity, type, source, tag, status);
}

void fill_receive(void* buffer, std::int64_t count, Datatype& type, std::int32_t source,
                  std::int32_t tag, bool is_host, Request& request) {
  request.kind = RequestKind::receive;
  request.source = source;
  request.tag = tag;
  request.buffer = buffer;
  request.datatype = &type;
  request.is_host = is_host;
  request.is_run = datatype::is_run(type, buffer, is_host);
  request.bytes = count * type.size;
}

void fill_null_receive(Request& request) {
  request.source = MPI_PROC_NULL;
  request.tag = MPI_ANY_TAG;
  request.bytes = 0;
  complete(request, MPI_SUCCESS);
}

void fill_unexpected_status(const UnexpectedMessage& unexpected, MPI_Status* status) {
  fill_direct_status(status, unexpected.source, unexpected.tag,
                     static_cast<std::size_t>(unexpected.bytes));
}

// Looks for a message that waits; when there is none, makes progress once and looks again.
template <class Find>
UnexpectedMessage* look_twice(MatchQueue& queue, Find find) {
  for (int look = 0; look < 2; ++look) {
    {
      platform::Guard guard(queue.lock);
      if (UnexpectedMessage* unexpected = find()) return unexpected;
    }
    if (look == 0) progress();
  }
  return nullptr;
}

// The unexpected message that matches a receive; or null, and the receive is posted.
UnexpectedMessage* take_or_post(const Context& context, std::int32_t source, std::int32_t tag,
                                Request& request) {
  platform::Guard guard(context.queue->lock);
  if (UnexpectedMessage* unexpected = take_unexpected(*context.queue, source, tag))
    return unexpected;
  post(*context.queue, request);
  if (BATON_UNLIKELY(request.bytes > engine.posted_bytes_max && source >= 0))
    if (Peer* sender = known_peer(context.process(source)))
      sender->protocol->advertise(*context.queue, request, *sender);
  return nullptr;
}

}  // namespace

void begin_receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
                   std::int32_t source, std::int32_t tag, Request& request) {
  fill_receive(buffer, count, type, source, tag, context.is_host(), request);
  request.context = context.receive_id;
  request.owner = context.owner;
  if (const Error error = refused(context)) {
    request.bytes = 0;
    return complete(request, error);
  }
  if (source == MPI_PROC_NULL) return fill_null_receive(request);
  watch(request);
  // A matched message is copied without the lock.
  while (UnexpectedMessage* unexpected = take_or_post(context, source, tag, request))
    if (deliver(*unexpected, request)) return;
}

Error receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
              std::int32_t source, std::int32_t tag, MPI_Status* status) {
  if (BATON_LIKELY(
          receive_direct<false>(context, buffer, count * type.size, type, source, tag, status)))
    return MPI_SUCCESS;
  Request request;
  begin_receive(context, buffer, count, type, source, tag, request);
  if (!is_complete(request)) wait_for(request);
  fill_status(request, status);
  return request.error;
}

Error start_receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
                    std::int32_t source, std::int32_t tag, MPI_Request* handle) {
  Request* request = new_request();
  if (!request) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  datatype::retain(type);
  hold(*request, context);
  begin_receive(context, buffer, count, type, source, tag, *request);
  *handle = request->handle;
  rouse_progress_thread();
  return MPI_SUCCESS;
}

bool probe_once(const Context& context, std::int32_t source, std::int32_t tag, MPI_Status* status) {
  UnexpectedMessage* unexpected =
      look_twice(*context.queue, [&] { return find_unexpected(*context.queue, source, tag); });
  if (unexpected) fill_unexpected_status(*unexpected, status);
  return unexpected != nullptr;
}

UnexpectedMessage* take_once(const Context& context, std::int32_t source, std::int32_t tag,
                             MPI_Status* status) {
  UnexpectedMessage* unexpected = look_twice(*context.queue, [&]() -> UnexpectedMessage* {
    while (UnexpectedMessage* taken = take_unexpected(*context.queue, source, tag))
      if (claim(*taken)) return taken;
    return nullptr;
  });
  if (!unexpected) return nullptr;
  fill_unexpected_status(*unexpected, status);
  unexpected->owner = context.owner;
  unexpected->usage = context.usage;
  unexpected->to_host = context.is_host();
  if (unexpected->usage) platform::add_shared(unexpected->usage->uses, 1);
  return unexpected;
}

void receive_unexpected(UnexpectedMessage& unexpected, void* buffer, std::int64_t count,
                        Datatype& type, Request& request) {
  fill_receive(buffer, count, type, unexpected.source, unexpected.tag, unexpected.to_host, request);
  request.context = unexpected.context;
  request.owner = unexpected.owner;
  request.usage = unexpected.usage;
  BATON_INVARIANT(deliver(unexpected, request));  // it was claimed when it was taken
  rouse_progress_thread();
}

}  // namespace baton::message
