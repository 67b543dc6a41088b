#include <algorithm>

#include "base/settings.hpp"
#include "datatype/foreign.hpp"
#include "message/core/account.hpp"
#include "message/core/contact.hpp"
#include "message/core/lead.hpp"
#include "message/core/loss.hpp"
#include "message/core/notify.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"

namespace baton::message {

namespace {

// Where the program's threads do not call at the same time.
struct NoGuard {
  explicit NoGuard(platform::Lock&) {}
};

// The whole way of a message that enters a ring, to a known peer: true when it is sent.
template <class Guard>
BATON_INLINE bool send_eager(const Context& context, const void* buffer, std::int64_t bytes,
                             const Datatype& type, std::int32_t destination, std::int32_t tag) {
  if (BATON_UNLIKELY(destination < 0 || !type.contiguous)) return false;
  const Process process = context.process(destination);
  Peer* peer = known_peer(process);
  if (BATON_UNLIKELY(!peer)) return false;
  const Guard guard(peer->send_lock);
  if (BATON_UNLIKELY(bytes > peer->at_once_bytes_max)) return false;
  if (BATON_UNLIKELY(!peer->out.attached() || peer->out.envelopes_only())) return false;
  auto length = static_cast<std::size_t>(bytes);
  auto header =
      lockfree::make_header(static_cast<unsigned>(LineKind::payload), length, context.rank);
  if (BATON_LIKELY(length <= lockfree::first_line_payload_bytes)) {
    if (BATON_UNLIKELY(!peer->can_put(1))) return false;
    platform::copy_short(peer->out.next_payload(), buffer, length);
    peer->out.put(header, {context.send_id, tag}, nullptr, 0);
    count_packed(*peer, length);
  } else {
    if (BATON_UNLIKELY(!peer->can_put(lockfree::lines_for(length)))) return false;
    peer->out.put_long(header, {context.send_id, tag}, static_cast<const char*>(buffer), length);
    count_sent(*peer, Way::eager, length);
  }
  notify(*peer);
  return true;
}

[[gnu::noinline]] bool send_eager_barred(const Context& context, const void* buffer,
                                         std::int64_t bytes, const Datatype& type,
                                         std::int32_t destination, std::int32_t tag) {
  if (has_lost_peers() || !datatype::is_run(type, buffer, context.is_host())) return false;
  if (!send_eager<platform::Guard>(context, buffer, bytes, type, destination, tag)) return false;
  const bool packed = bytes <= static_cast<std::int64_t>(lockfree::first_line_payload_bytes);
  tell_way(*known_peer(context.process(destination)), packed ? Way::inline_eager : Way::eager,
           bytes);
  return true;
}

BATON_INLINE bool send_at_once(const Context& context, const void* buffer, std::int64_t bytes,
                               const Datatype& type, std::int32_t destination, std::int32_t tag) {
  if (BATON_UNLIKELY(engine.shortcuts_barred))
    return send_eager_barred(context, buffer, bytes, type, destination, tag);
  return send_eager<NoGuard>(context, buffer, bytes, type, destination, tag);
}

void fill_send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
               std::int32_t tag, bool synchronous, Request& request) {
  request.kind = RequestKind::send;
  request.synchronous = synchronous;
  request.source = context.rank;
  request.tag = tag;
  request.context = context.send_id;
  request.buffer = const_cast<void*>(buffer);
  request.datatype = &type;
  request.is_host = context.is_host();
  request.is_run = datatype::is_run(type, buffer, request.is_host);
  request.bytes = count * type.size;
  request.owner = context.owner;
}

}  // namespace

void begin_send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
                std::int32_t destination, std::int32_t tag, bool synchronous, Request& request) {
  fill_send(context, buffer, count, type, tag, synchronous, request);
  watch(request);
  if (const Error error = refused(context)) return complete(request, error);
  if (destination == MPI_PROC_NULL) return complete(request, MPI_SUCCESS);
  request.process = context.process(destination);
  Peer* peer = contact(request.process);
  if (!peer) return complete(request, MPI_ERR_NO_MEM);
  peer->protocol->start(*peer, request);
}

namespace {

// Short device memory waits for its receive, where other short messages are buffered
// (message/node/device_receive.hpp). If the receive is late it is buffered, too: programs may have
// all ranks send before they receive.
BATON_COLD void buffer_when_late(Request& send) {
  Protocol& protocol = *known_peer(send.process)->protocol;
  // At least one, so that each wait makes progress.
  const std::int64_t patience =
      std::max<std::int64_t>(settings.device_patience_us, 1) * platform::ticks_per_us();
  const auto is_over = [&send] { return is_settled(send); };
  for (bool asked = false; !asked && !is_over();) {
    const std::int64_t end = platform::now_ticks() + patience;
    wait_until([&] { return is_over() || platform::now_ticks() > end; },
               [&] {
                 return WaitSubject{WaitSubject::Kind::request, &send};
               });
    asked = is_over() || protocol.buffer_late_send(send);
  }
}

// Returns whether a send's data lies in a device's memory, as far as one need know here.
bool may_be_on_device(const Request& send) {
  return !send.is_run && !send.is_host && send.datatype->contiguous;
}

}  // namespace

Error send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
           std::int32_t destination, std::int32_t tag) {
  if (BATON_LIKELY(send_at_once(context, buffer, count * type.size, type, destination, tag)))
    return MPI_SUCCESS;
  Request request;
  begin_send(context, buffer, count, type, destination, tag, false, request);
  if (is_complete(request)) return request.error;
  if (BATON_UNLIKELY(may_be_on_device(request)) && settings.device_patience_us >= 0)
    buffer_when_late(request);
  if (!is_complete(request)) wait_for(request);
  return request.error;
}

Error send_synchronous(const Context& context, const void* buffer, std::int64_t count,
                       Datatype& type, std::int32_t destination, std::int32_t tag) {
  Request request;
  begin_send(context, buffer, count, type, destination, tag, true, request);
  wait_for(request);
  return request.error;
}

Error exchange(const Context& context, const void* out, std::int64_t out_count, Datatype& out_type,
               std::int32_t destination, std::int32_t out_tag, void* in, std::int64_t in_count,
               Datatype& in_type, std::int32_t source, std::int32_t in_tag, MPI_Status* status) {
  Request incoming;
  begin_receive(context, in, in_count, in_type, source, in_tag, incoming);
  Error sent = send(context, out, out_count, out_type, destination, out_tag);
  if (!is_complete(incoming)) wait_for(incoming);
  fill_status(incoming, status);
  return sent ? sent : incoming.error;
}

Error start_send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
                 std::int32_t destination, std::int32_t tag, bool synchronous,
                 MPI_Request* handle) {
  if (!synchronous && send_at_once(context, buffer, count * type.size, type, destination, tag)) {
    *handle = completed_handle();
    return MPI_SUCCESS;
  }
  Request* request = new_request();
  if (!request) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  datatype::retain(type);
  hold(*request, context);
  begin_send(context, buffer, count, type, destination, tag, synchronous, *request);
  *handle = request->handle;
  rouse_progress_thread();
  return MPI_SUCCESS;
}

}  // namespace baton::message
