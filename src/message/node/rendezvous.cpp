#include "message/node/rendezvous.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/device_receive.hpp"
#include "message/node/lease.hpp"
#include "message/node/ownership_transfer.hpp"
#include "message/node/receiver_initiated.hpp"
#include "message/node/rendezvous_entries.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "message/node/staging_buffer.hpp"
#include "message/node/stream_in.hpp"
#include "message/node/stream_out.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

namespace {

// Puts the envelope of an offered message, then the early bytes. Without a slot they are all. False
// when there is no space, which one line of a ring of our own has, since the caller looked.
bool put_early(NodePeer& peer, Request& send, std::int64_t early_bytes, int slot) {
  RtsLine line{reinterpret_cast<std::uint64_t>(send.buffer),
               send.bytes,
               slot,
               static_cast<std::uint32_t>(early_bytes),
               holds_lease(peer, send),
               node_part(send).for_staging,
               send.is_run,
               node_part(send).exported,
               false,
               node_part(send).span};
  if (line.span.filled) fill_unannounced(peer, send);
  if (!put_line(peer, NodeLine::rts, send.source, {send.context, send.tag}, &line, sizeof line))
    return false;
  if (early_bytes == 0) return true;
  notify(peer);
  if (!line.span.filled) fill_early(peer, send, early_bytes);
  if (slot == no_slot) complete(send, MPI_SUCCESS);
  return true;
}

// Puts the envelope of an offered message, and the beginning of the message into staging where that
// will be its way anyhow; false when slots or space are lacking. Without memory the send fails.
bool put_rts(NodePeer& peer, Request& send) {
  if (!peer.link->has_space(1)) return false;
  Target target = find_target(peer, send);
  node_part(send).exported =
      target.exported || transport::reach_by(peer.slot, send.buffer) == transport::Reach::mapped;
  std::int64_t early_bytes = open_early(peer, send, node_part(send).exported);
  if (early_bytes <= 0 && target.number && redirect(peer, send, target)) return true;
  if (early_bytes == wait_for_space) {
    // Where the receiver does not look, what comes behind must not wait for it.
    constexpr std::uint8_t waits_max = 100;  // guess: some ten microseconds
    bool pullable = send.is_run && send.bytes >= node_of(peer).cma_bytes_min &&
                    transport::reach_by(peer.slot, send.buffer) != transport::Reach::by_both_sides;
    // A receiver that sends itself looks too seldom: it had better pull. And what its receiver must
    // ask for in any case had better be known to it.
    bool waits = send.bytes <= settings.early_bytes_max &&
                 (!pullable || !peer.bidirectional.both.load(std::memory_order_relaxed));
    if (waits && ++node_part(send).waits < waits_max) return false;
    early_bytes = 0;
  }
  // A message that has left completely needs no slot to hear of its end, unless it must hear of its
  // match.
  bool all_early = early_bytes > 0 && early_bytes == send.bytes && !send.synchronous;
  // A claim may come, and another thread find it, while we still write.
  node_part(send).filling = early_bytes > 0 && !node_part(send).span.filled;
  int slot = all_early ? no_slot : open_slot(send);
  if (slot < 0 && !all_early) {
    if (early_bytes > 0) close_early(peer, send);
    if (slot == no_memory) complete(send, MPI_ERR_NO_MEM);
    return slot == no_memory;
  }
  if (put_early(peer, send, early_bytes, slot)) return true;
  abandon_slot(node_of(peer), static_cast<std::uint32_t>(slot));
  return false;
}

// Puts the envelope of a message that its receiver may copy from our device memory, which is
// published there.
bool put_device_rts(NodePeer& peer, Request& send, std::uint64_t published) {
  if (!peer.link->has_space(1)) return false;
  NodeRequest& part = node_part(send);
  send.position = 0;
  part.span = {};
  part.exported = part.filling = false;
  part.for_staging = true;
  part.copy_ticks = 0;
  const int slot = open_slot(send);
  if (slot == no_memory) complete(send, MPI_ERR_NO_MEM);
  if (slot < 0) return slot == no_memory;
  auto* data = static_cast<const char*>(send.buffer) + send.datatype->true_lower_bound;
  RtsLine line{};
  line.address = reinterpret_cast<std::uint64_t>(data);
  line.bytes = send.bytes;
  line.slot = slot;
  line.for_staging = true;
  line.device = true;
  line.span = device_span(published);
  part.by_device = true;  // once put, it may be gone
  if (put_line(peer, NodeLine::rts, send.source, {send.context, send.tag}, &line, sizeof line))
    return true;
  part.by_device = false;
  abandon_slot(node_of(peer), static_cast<std::uint32_t>(slot));
  return false;
}

// Puts a send that fits into the ring; false when there is no space.
bool put_payload(NodePeer& peer, Request& send) {
  auto bytes = static_cast<std::size_t>(send.bytes);
  if (!peer.link->has_space(lockfree::lines_for(bytes))) return false;
  char bounce[transport::bytes_in_lines_max];
  auto* data = static_cast<const char*>(send.buffer);
  if (!send.is_run) {
    datatype::pack(*send.datatype, send.buffer, 0, bounce, send.bytes, send.is_host);
    data = bounce;
  }
  if (!put_line(peer, LineKind::payload, send.source, {send.context, send.tag}, data, bytes))
    return false;
  bool packed = bytes <= lockfree::first_line_payload_bytes;
  count_message(peer, packed ? Way::inline_eager : Way::eager, send.bytes);
  complete(send, MPI_SUCCESS);
  return true;
}

// Puts a send that is meant for the ring, which is full of such: one line of it and all the data in
// staging, where there is more space. False when that is full, too, or not for us.
bool put_beside_ring(NodePeer& peer, Request& send) {
  constexpr std::int64_t bytes_min = 1024;  // guess: shorter ones fit into the ring many at a time
  if (send.bytes < bytes_min || !peer.link->has_space(1)) return false;
  node_part(send).exported =
      transport::reach_by(peer.slot, send.buffer) == transport::Reach::mapped;
  std::int64_t early_bytes = open_early(peer, send, node_part(send).exported);
  if (early_bytes == send.bytes) return put_early(peer, send, early_bytes, no_slot);
  if (early_bytes > 0) close_early(peer, send);
  return false;
}

CtsLine cts_of(const Request& receive) {
  const NodeRequest& part = node_part(receive);
  CtsLine line{part.limit, part.slot, part.stream, !part.span.empty(), 0, 0, 0};
  if (BATON_LIKELY(!part.by_device)) return line;
  line.device_export = device_export_of(part.span);
  line.position = part.device_position;
  line.address = reinterpret_cast<std::uint64_t>(receive.buffer) +
                 static_cast<std::uint64_t>(receive.datatype->true_lower_bound + line.position);
  return line;
}

}  // namespace

bool put_request(NodePeer& peer, Request& request) {
  get_lane_if_due(peer);
  bool put;
  if (request.kind == RequestKind::receive) {
    // Before anyone can answer: another thread then changes the request.
    request.stage = Stage::streaming;
    const bool begins = !node_part(request).span.empty() || node_part(request).source_address;
    const CtsLine line = cts_of(request);
    put = put_line(peer, NodeLine::cts, 0, {0, 0}, &line, sizeof line);
    // Only now: until it is put the receive may be in the queue.
    if (put && begins) start_stream_in(request);
  } else if (std::uint64_t published =
                 BATON_UNLIKELY(!request.is_run) ? offer_device_memory(peer, request) : 0) {
    put = put_device_rts(peer, request, published);
  } else {
    transport::Choice choice = transport::choose_send(
        request.bytes, request.synchronous, peer.link->envelopes_only(), settings.eager_bytes_max);
    std::int64_t bytes = request.bytes;  // once put, it may be gone
    put = choice.way == Way::offered
              ? put_rts(peer, request)
              : put_transferred(peer, request) || put_payload(peer, request) ||
                    put_beside_ring(peer, request);
    if (put && bytes <= settings.eager_bytes_max) count_reason(peer, choice.reason, bytes);
  }
  if (put) notify(peer);
  return put;
}

namespace {

// Matches an offered message, or keeps it. What is to be delivered with its receive; null: nothing.
UnexpectedMessage* match_rts(ArrivedLine& message) {
  const lockfree::Envelope envelope = message.envelope();
  const auto line = message.read<RtsLine>();
  if (line.span.next_owner == NextOwner::sender) catch_up(message.peer());
  MatchQueue& queue = queue_of(envelope.context);
  platform::Guard guard(queue.lock);
  Request* receive = take_posted(queue, message.source(), envelope.tag);
  std::int64_t kept_bytes = receive ? 0 : line.early_bytes;
  UnexpectedMessage& unexpected =
      make_unexpected(message.peer(), message.account(), message.source(), envelope, kept_bytes);
  unexpected.bytes = line.bytes;
  unexpected.offered = true;
  unexpected.claimed = line.slot == no_slot;  // then nothing of it can be taken back
  NodeUnexpected& rts = unexpected.part.begin<NodeUnexpected>();
  rts.sender_contiguous = line.contiguous != 0;
  rts.slot = line.slot;
  rts.address = line.address;
  rts.span = line.span;
  rts.exported = line.exported != 0;
  rts.keeps_buffer = line.keeps_buffer != 0;
  rts.for_staging = line.for_staging != 0;
  rts.device = line.device != 0;
  rts.early_bytes = line.early_bytes;
  if (receive) {
    // A withdrawn message leaves the receive as it was, advert included: nobody can claim that
    // before the line is taken.
    bool matched = claim(unexpected);
    if (!matched) post_again(queue, *receive);
    BATON_INVARIANT(!matched || close_advert(*receive));
    message.drop();
    if (!matched) return nullptr;
    unexpected.receive = receive;
    return &unexpected;
  }
  message.drop();
  count(engine.counters.unexpected);
  if (!line.span.empty()) {
    // Chunks are for all senders: what nobody waits for must not keep one.
    const bool all = take_early(unexpected, unexpected.payload());
    give_back(line.span, static_cast<NodePeer&>(message.peer()));
    rts.span = {};
    if (!all) {  // Its sender has died in the midst: there is no such message.
      drop_unexpected(unexpected);
      return nullptr;
    }
    account_unexpected(unexpected, rts.early_bytes);
  }
  keep(queue, unexpected);
  return nullptr;
}

// Returns whether others should make progress while this is copied. What lies in staging is copied
// at once: its sender goes on there.
bool is_long_copy(const UnexpectedMessage& unexpected) {
  constexpr std::int64_t bytes_min = 65536;  // guess
  return platform::threads_multiple && unexpected.bytes >= bytes_min &&
         node_part(unexpected).early_bytes == 0;
}

}  // namespace

void arrive_rts(ArrivedLine& message) {
  UnexpectedMessage* unexpected = match_rts(message);
  if (!unexpected) return;
  if (BATON_UNLIKELY(is_long_copy(*unexpected))) return deliver_later(*unexpected);
  deliver(*unexpected, *unexpected->receive);
}

}  // namespace baton::message
