// Messages to oneself: no ring; matched and copied in place.
#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

void deliver_local(Request& send, Request& receive) {
  datatype::copy(*send.datatype, send.buffer, *receive.datatype, receive.buffer, receive.bytes);
  complete(receive, receive.error);
  complete(send, MPI_SUCCESS);
}

namespace {

// The receive that a message to oneself meets; null: there is none, and it is kept, `buffered`:
// with its data.
Request* match_or_keep(MatchQueue& queue, UnexpectedMessage& unexpected, bool buffered) {
  platform::Guard guard(queue.lock);
  Request& send = *unexpected.local;
  if (Request* receive = take_posted(queue, send.source, send.tag)) return receive;
  if (buffered) {
    unexpected.offered = false;
    unexpected.local = nullptr;
    datatype::pack(*send.datatype, send.buffer, 0, unexpected.payload(), send.bytes);
  } else {
    send.stage = Stage::offered;
  }
  keep(queue, unexpected);
  return nullptr;
}

}  // namespace

Error send_to_self(Request& send, bool synchronous) {
  MatchQueue* queue = queue_for(send.context);
  if (!queue) return fail(MPI_ERR_NO_MEM, "no memory to match a message to oneself");
  Tally& tally = engine.to_self[size_class(send.bytes)];
  count(tally.messages);
  count(tally.bytes, static_cast<std::uint64_t>(send.bytes));
  // Short ones are copied at once, so that the send need not wait for its receive.
  bool buffered = !synchronous && send.bytes <= settings.eager_bytes_max;
  UnexpectedMessage* unexpected = new_unexpected(buffered ? send.bytes : 0);
  if (!unexpected) return fail(MPI_ERR_NO_MEM, "no memory for a message to oneself");
  unexpected->context = send.context;
  unexpected->source = send.source;
  unexpected->tag = send.tag;
  unexpected->process = engine.self;
  unexpected->bytes = send.bytes;
  unexpected->offered = true;
  unexpected->local = &send;
  if (Request* receive = match_or_keep(*queue, *unexpected, buffered)) {
    deliver(*unexpected, *receive);  // without the lock: it may be long
  } else if (buffered) {
    complete(send, MPI_SUCCESS);
  }
  return MPI_SUCCESS;
}

}  // namespace baton::message
