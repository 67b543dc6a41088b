#include "message/node/ownership_transfer.hpp"

#include <algorithm>
#include <cstring>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/deliver.hpp"
#include "message/core/loss.hpp"
#include "message/core/notify.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/lease.hpp"
#include "message/node/staging_buffer.hpp"
#include "platform/copy.hpp"

namespace baton::message {

namespace {

constexpr std::int64_t transferred_bytes_min = 1024;  // guess

bool has_few_others(const NodePeer& peer) {
  return peer.slot.count() <= TransferredBuffers::few_others_max + 1;
}

// Returns where a message lies in a transferred buffer, in one piece if it is no longer than a
// chunk: each message begins a whole buffer behind the one before.
char* beginning_of(const transport::Staging& staging) {
  return transport::chunk(staging.owner, staging.buffer.first());
}

// Fetches as many lines of a message as a core waits for at a time, as ours: we write there next.
void fetch_beginning(const char* payload, std::int64_t bytes) {
  constexpr std::int64_t bytes_max = 1024;  // guess
  const std::int64_t end = std::min(bytes, bytes_max);
  for (std::int64_t i = 0; i < end; i += cache_line_bytes)
    platform::prefetch_for_write(payload + i);
}

}  // namespace

void set_at_once_bytes_max(NodePeer& peer) {
  if (BATON_UNLIKELY(loss_of(peer.process) != 0)) {
    peer.at_once_bytes_max = -1;  // its messages fail in the queue
    return;
  }
  const bool may_get =
      settings.ownership_transfer && has_few_others(peer) && !peer.transferred.asked_for;
  const bool transfers = may_get || peer.transferred.count > 0;
  peer.at_once_bytes_max = transfers ? std::min(settings.eager_bytes_max, transferred_bytes_min - 1)
                                     : settings.eager_bytes_max;
}

void get_transferable(NodePeer& peer) {
  constexpr int kept_free = lockfree::chunks_per_rank / 4;  // guess
  if (peer.transferred.asked_for || !has_few_others(peer)) return;
  peer.transferred.asked_for = true;
  if (lockfree::free_chunks(peer.doorbell->chunks.free) <
      kept_free + TransferredBuffers::chunks_each)
    return;
  const lockfree::StagingBuffer buffer = take_staging_buffer(peer, TransferredBuffers::chunks_each);
  if (buffer.empty()) return;
  if (has_memory(peer, {buffer}, 0, buffer.bytes()))
    peer.transferred.mine[peer.transferred.count++] = {buffer, 0, false};
  else
    give_back_staging_buffer(peer.slot, buffer);
}

bool place_in_transferred(NodePeer& peer, Request& send) {
  TransferredBuffers& transferred = peer.transferred;
  if (transferred.count == 0 || send.bytes > transferred.mine[transferred.count - 1].chunks.bytes())
    return false;
  const TransferredBuffers::Buffer& buffer = transferred.mine[--transferred.count];
  node_part(send).span = {buffer.chunks, buffer.position, NextOwner::receiver, buffer.here};
  set_at_once_bytes_max(peer);
  return true;
}

void keep_transferred(NodePeer& peer, const lockfree::StagingSpan& span) {
  platform::Guard guard(peer.send_lock);
  BATON_INVARIANT(peer.transferred.count < 2);
  // Behind what has been filled: the other side does not take the old message for the new one.
  const std::int64_t next = span.shift + span.buffer.bytes();
  peer.transferred.mine[peer.transferred.count++] = {span.buffer, next, !span.at_sender};
  set_at_once_bytes_max(peer);
}

void fill_unannounced(NodePeer& peer, const Request& send) {
  const lockfree::StagingSpan& span = node_part(send).span;
  datatype::pack(*send.datatype, send.buffer, 0, beginning_of(staging_of_send(span, peer)),
                 send.bytes, send.is_host);
}

bool put_transferred(NodePeer& peer, Request& send) {
  if (send.bytes < transferred_bytes_min || !settings.ownership_transfer ||
      !peer.link->is_exclusive() || !peer.link->has_space(1))
    return false;
  look_now_and_then(peer);
  if (BATON_UNLIKELY(!peer.transferred.asked_for)) {
    get_transferable(peer);
    set_at_once_bytes_max(peer);
  }
  if (!place_in_transferred(peer, send)) return false;
  fill_unannounced(peer, send);
  const TransferredLine line{send.bytes, node_part(send).span};
  BATON_INVARIANT(put_line(peer, NodeLine::transferred, send.source, {send.context, send.tag},
                           &line, sizeof line));
  count_sent(peer, Way::eager, static_cast<std::size_t>(send.bytes));
  tell_way(peer, Way::eager, send.bytes);
  complete(send, MPI_SUCCESS);
  return true;
}

bool arrive_transferred(ArrivedLine& message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.take<TransferredLine>();
  NodePeer& peer = static_cast<NodePeer&>(message.peer());
  const char* payload = beginning_of(staging_of_receive(line.span, peer));
  if (peer.timings.distance.is_due()) peer.timings.distance.time(payload);
  fetch_beginning(payload, line.bytes);
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  if (Request* receive = take_posted(queue, message.source(), envelope.tag)) {
    BATON_INVARIANT(close_advert(*receive));
    const Error error = settle_envelope(*receive, message.source(), envelope.tag, line.bytes);
    datatype::unpack(*receive->datatype, receive->buffer, 0, payload, receive->bytes,
                     receive->is_host);
    keep_transferred(peer, line.span);
    complete(*receive, error);
    return queue.posted_count == 0;
  }
  UnexpectedMessage& unexpected =
      make_unexpected(peer, message.account(), message.source(), envelope, line.bytes);
  unexpected.bytes = line.bytes;
  count(engine.counters.unexpected);
  platform::copy_run(unexpected.payload(), payload, static_cast<std::size_t>(line.bytes));
  keep_transferred(peer, line.span);
  account_unexpected(unexpected, line.bytes);
  keep(queue, unexpected);
  return false;
}

}  // namespace baton::message
