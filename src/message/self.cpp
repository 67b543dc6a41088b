// Messages to oneself: no ring; matched and copied in place.
#include <algorithm>

#include "base/settings.hpp"
#include "message/protocol.hpp"

namespace baton::message {

namespace {

// Both sides may be any type: through a bounce buffer where neither is one run.
void copy_between(const Request& send, Request& receive) {
  std::int64_t bytes = receive.bytes;
  if (send.datatype->contiguous) {
    datatype::unpack(*receive.datatype, receive.buffer, 0, send.buffer, bytes);
    return;
  }
  if (receive.datatype->contiguous) {
    datatype::pack(*send.datatype, send.buffer, 0, receive.buffer, bytes);
    return;
  }
  constexpr std::int64_t bounce_bytes = 4096;
  char bounce[bounce_bytes];
  for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
    std::int64_t piece = std::min(bounce_bytes, bytes - done);
    datatype::pack(*send.datatype, send.buffer, done, bounce, piece);
    datatype::unpack(*receive.datatype, receive.buffer, done, bounce, piece);
  }
}

}  // namespace

void deliver_local(Request& send, Request& receive) {
  copy_between(send, receive);
  complete(receive, receive.error);
  complete(send, MPI_SUCCESS);
}

Error send_to_self(Request& send, bool synchronous) {
  MatchQueue* queue = queue_for(send.context);
  if (!queue) return fail(MPI_ERR_NO_MEM, "no memory to match a message to oneself");
  ++engine.counters.self_messages;
  engine.counters.self_bytes += static_cast<std::uint64_t>(send.bytes);
  platform::Guard guard(queue->lock);
  // Short ones are copied at once, so that the send need not wait for its receive.
  bool buffered = !synchronous && send.bytes <= settings.eager_bytes_max;
  Arrival* arrival = new_arrival(buffered ? send.bytes : 0);
  if (!arrival) return fail(MPI_ERR_NO_MEM, "no memory for a message to oneself");
  arrival->context = send.context;
  arrival->source = send.source;
  arrival->tag = send.tag;
  arrival->peer_rank = engine.rank;
  arrival->bytes = send.bytes;
  Request* receive = take_posted(*queue, send.source, send.tag);
  if (receive || !buffered) {
    arrival->offered = true;
    arrival->local = &send;
    send.stage = Stage::offered;
  } else {
    datatype::pack(*send.datatype, send.buffer, 0, arrival->payload(), send.bytes);
  }
  if (receive)
    deliver(*arrival, *receive);
  else
    keep(*queue, *arrival);
  if (buffered && !receive) complete(send, MPI_SUCCESS);
  return MPI_SUCCESS;
}

}  // namespace baton::message
