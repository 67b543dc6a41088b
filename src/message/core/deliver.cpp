#include "message/core/deliver.hpp"

#include <algorithm>

#include "datatype/pack.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"

namespace baton::message {

Error settle_envelope(Request& receive, std::int32_t source, std::int32_t tag, std::int64_t bytes) {
  receive.source = source;
  receive.tag = tag;
  std::int64_t capacity = receive.bytes;
  receive.bytes = std::min(capacity, bytes);
  if (BATON_LIKELY(bytes <= capacity)) return MPI_SUCCESS;
  return fail(
      MPI_ERR_TRUNCATE,
      "a message of %lld bytes from rank %d with tag %d met a receive buffer of %lld bytes; "
      "receive with a larger count, or probe first",
      static_cast<long long>(bytes), source, tag, static_cast<long long>(capacity));
}

void deliver_later(UnexpectedMessage& unexpected) {
  platform::Guard guard(engine.copies_lock);
  engine.copies.push(&unexpected);
  platform::add_shared(engine.copy_count, 1u);
}

void make_copies() {
  while (platform::load_shared(engine.copy_count)) {
    UnexpectedMessage* unexpected;
    {
      platform::Guard guard(engine.copies_lock);
      unexpected = engine.copies.first;
      if (!unexpected) return;
      engine.copies.take_after(nullptr);
      platform::add_shared(engine.copy_count, ~0u);
    }
    BATON_INVARIANT(deliver(*unexpected, *unexpected->receive));
  }
}

void match_or_keep(UnexpectedMessage& unexpected, std::int64_t kept_bytes) {
  MatchQueue& queue = queue_of(unexpected.context);
  Request* receive;
  {
    platform::Guard guard(queue.lock);
    receive = take_posted(queue, unexpected.source, unexpected.tag);
    if (!receive) {
      count(engine.counters.unexpected);
      account_unexpected(unexpected, kept_bytes);
      return keep(queue, unexpected);
    }
  }
  deliver(unexpected, *receive);
}

bool deliver(UnexpectedMessage& unexpected, Request& receive) {
  // Claim before the receive changes: a withdrawn message must leave no trace.
  if (!claim(unexpected)) return false;
  Error error = settle_envelope(receive, unexpected.source, unexpected.tag, unexpected.bytes);
  receive.error = error;
  receive.process = unexpected.process;
  if (unexpected.offered) {
    peer_of(unexpected.process).protocol->accept(unexpected, receive);
  } else {
    datatype::unpack(*receive.datatype, receive.buffer, 0, unexpected.payload(), receive.bytes,
                     receive.is_host);
    complete(receive, error);
  }
  drop_unexpected(unexpected);
  return true;
}

bool close_advert(Request& receive) {
  return !receive.advert || peer_of(receive.process).protocol->close_advert(receive);
}

bool may_take_back(Request& receive) {
  return !receive.advert || peer_of(receive.process).protocol->may_take_back(receive);
}

}  // namespace baton::message
