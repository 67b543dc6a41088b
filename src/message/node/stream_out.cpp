#include "message/node/stream_out.hpp"

#include <algorithm>
#include <cstring>

#include "base/settings.hpp"
#include "datatype/foreign.hpp"
#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/node/copy_time.hpp"
#include "message/node/lease.hpp"
#include "message/node/observe.hpp"
#include "message/node/ownership_transfer.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "message/node/staging_buffer.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "transport/choose.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

namespace {

// For so much of a stream, at most.
int chunks_for(std::int64_t bytes) {
  constexpr auto chunk = static_cast<std::int64_t>(lockfree::chunk_bytes);
  return static_cast<int>((std::min(bytes, settings.pipeline_buffer_bytes) + chunk - 1) / chunk);
}

// The number of bytes of a send that are told to its receiver at a time.
std::int64_t published_at_once(const Request& send) {
  const std::int64_t least = settings.pipeline_publish_bytes,
                     most = settings.pipeline_publish_long_bytes;
  constexpr int parts = 16;  // guess: of 64 KiB 4 KiB, of 256 KiB 16 KiB
  if (node_part(send).span.next_owner == NextOwner::receiver && least < most)
    return std::clamp(send.bytes / parts / least * least, least, most);
  return send.bytes > settings.early_bytes_max ? most : least;
}

// Packs a part of a send.
void take_out(const Request& send, std::int64_t position, char* to, std::int64_t bytes) {
  if (send.is_run)
    platform::copy_run(to, static_cast<const char*>(send.buffer) + position,
                       static_cast<std::size_t>(bytes));
  else
    datatype::pack(*send.datatype, send.buffer, position, to, bytes, send.is_host);
}

// Packs memory of a device up to `end` into the span: all copies are under way before the first one
// is waited for, since each alone would take several times as long.
void fill_from_device(const transport::Staging& staging, const Request& send, std::int64_t end) {
  {
    platform::ForeignBatch batch;
    transport::StagingCursor cursor(staging, send.position);
    for (std::int64_t position = send.position; position < end;) {
      const std::int64_t part = std::min(end - position, cursor.together());
      datatype::pack(*send.datatype, send.buffer, position, cursor.here(), part, send.is_host);
      cursor.advance(part);
      position += part;
    }
  }
  staging.publish_filled(end);
}

// Packs from the send's position up to `end` into its span, through the cache or around it,
// whichever is quicker. There is space.
void fill(NodePeer& peer, Request& send, std::int64_t end) {
  constexpr std::int64_t timed_bytes_min = 4096;  // guess
  const std::int64_t bytes = end - send.position;
  const std::int64_t place = send.position + node_part(send).span.shift;
  const bool may_choose = settings.non_temporal_stores && send.is_run && bytes >= timed_bytes_min &&
                          place % cache_line_bytes == 0 && is_touched(node_part(send).span, place);
  const Stores how = !may_choose                         ? Stores::through_cache
                     : settings.non_temporal_stores == 2 ? Stores::around_cache
                                                         : peer.stores.now();
  const std::int64_t start = may_choose ? platform::now_ticks() : 0;
  const transport::Staging staging = staging_of_send(node_part(send).span, peer);
  if (!send.is_run && !send.is_host && datatype::kind_of(*send.datatype, send.buffer))
    fill_from_device(staging, send, end);
  else if (how == Stores::around_cache)
    transport::fill_around_cache(staging, send.position, end,
                                 static_cast<const char*>(send.buffer));
  else
    transport::fill_through_cache(staging, send.position, end, published_at_once(send),
                                  settings.pipeline_fetch_bytes,
                                  [&](std::int64_t position, char* to, std::int64_t part) {
                                    take_out(send, position, to, part);
                                  });
  send.position = end;
  if (!may_choose) return;
  const std::int64_t ticks = ((platform::now_ticks() - start) << 20) / bytes;
  platform::Guard guard(peer.history_lock);
  peer.stores.took(how, ticks);
}

enum class Placed { yes, nothing_free, no_memory };

// A span for a stream that has none: the lease, or a staging buffer of its own.
Placed place_stream(NodePeer& peer, Request& send) {
  Lease& lease = peer.lease;
  const bool free = lease_is_free(lease) && !lease.ending;
  if (carries_streams(lease) && (free || lease.holder == &send)) {
    platform::store_shared(lease.holder, &send);
    place_in_lease(peer, send);
    return has_memory(peer, node_part(send).span, send.position, node_part(send).limit)
               ? Placed::yes
               : Placed::no_memory;
  }
  // Many streams at once get less each.
  int share = std::max(1, lockfree::free_chunks(peer.doorbell->chunks.free) / 4);
  node_part(send).span = {
      take_staging_buffer(peer, std::min(chunks_for(node_part(send).limit - send.position), share)),
      -send.position};
  node_part(send).emptied = 0;
  if (node_part(send).span.empty()) return Placed::nothing_free;
  if (has_memory(peer, node_part(send).span, send.position, node_part(send).limit))
    return Placed::yes;
  give_back_staging_buffer(peer.slot, node_part(send).span.buffer);
  return Placed::no_memory;
}

bool put_staging_buffer_line(NodePeer& peer, Request& send) {
  platform::Guard guard(peer.send_lock);
  if (peer.queued.first || !peer.link->has_space(1)) return false;
  switch (place_stream(peer, send)) {
    case Placed::nothing_free:
      return false;
    case Placed::no_memory:
      let_lease_go(send);
      node_part(send).span = {};
      send.error = MPI_ERR_NO_MEM;
      send.position = node_part(send).limit;
      return true;
    case Placed::yes:
      break;
  }
  StagingBufferLine line{node_part(send).span, node_part(send).stream};
  if (!put_line(peer, NodeLine::staging_buffer, 0, {0, 0}, &line, sizeof line)) {
    // This happens with a shared ring: there is no lease, so that the staging buffer is the
    // stream's own.
    give_back_staging_buffer(peer.slot, node_part(send).span.buffer);
    node_part(send).span = {};
    return false;
  }
  notify(peer);
  return true;
}

// Writes what there is space for; false when there is none.
bool advance(NodePeer& peer, Request& send) {
  if (node_part(send).span.empty()) {
    if (!put_staging_buffer_line(peer, send)) return false;
    if (send.error) return true;
  }
  std::int64_t buffer_end =
      node_part(send).emptied + node_part(send).span.buffer.bytes() - node_part(send).span.shift;
  if (send.position >= buffer_end) {
    node_part(send).emptied = emptied_by(peer, node_part(send).span.buffer);
    buffer_end =
        node_part(send).emptied + node_part(send).span.buffer.bytes() - node_part(send).span.shift;
  }
  std::int64_t space = std::min(node_part(send).limit, buffer_end) - send.position;
  if (space <= 0) return false;
  const std::int64_t start = platform::now_ticks();
  fill(peer, send, send.position + std::min(space, bytes_per_round));
  count_copy_time(send, start);
  lockfree::publish_fill_time(staging_of_send(node_part(send).span, peer).progress(),
                              static_cast<std::uint64_t>(node_part(send).copy_ticks));
  wake_rank(peer.slot);
  return true;
}

// The lease goes on behind a stream that has gone through it.
void end_in_lease(Request& send) {
  if (node_part(send).span.next_owner != NextOwner::sender) return;
  NodePeer& peer = node_peer(send.process);
  platform::Guard guard(peer.send_lock);
  move_lease(peer, send, send.position);
  let_lease_go(send);
}

}  // namespace

bool is_filling(Request& send) {
  // ORDER node_part(request).filling: acquire here, release in fill_early; how far it came.
  return std::atomic_ref(node_part(send).filling).load(std::memory_order_acquire);
}

std::int64_t open_early(NodePeer& peer, Request& send, bool exported) {
  constexpr std::int64_t filled_bytes_max = 8192;  // guess: longer ones are copied while they come
  send.position = 0;
  node_part(send).span = {};
  node_part(send).for_staging = false;
  node_part(send).copy_ticks = 0;
  if (!peer.link->is_exclusive()) return 0;
  look_now_and_then(peer);
  std::int64_t pulled_bytes_min = exported ? 0 : node_of(peer).cma_bytes_min;
  bool may_pull = send.is_run && send.bytes >= pulled_bytes_min &&
                  (exported || transport::kernel_copies_from(peer.slot));
  transport::EarlyFacts facts{
      send.bytes,
      send.is_run,
      peer.link->envelopes_only(),
      may_pull,
      pulled_bytes_min,
      may_pull && (!settings.observe || should_offer(peer, send.bytes, exported)),
      settings.pipeline_early != 0};
  transport::Choice choice = transport::choose_early(facts);
  node_part(send).for_staging = choice.way == Way::pipelined;
  Lease& lease = peer.lease;
  if (send.bytes == 0) return 0;
  // Early bytes would be copied twice; host memory can be pulled.
  if (send.is_run && send.bytes > settings.early_bytes_max && expects_device(peer))
    node_part(send).for_staging = false;
  // A term also ends for who no longer uses it.
  if (!lease.buffer.empty()) end_term(peer);
  if (!node_part(send).for_staging) return 0;
  if (lease.buffer.empty()) {
    get_lease(peer);
    if (settings.ownership_transfer && !lease.buffer.empty()) get_transferable(peer);
  }
  if (place_in_transferred(peer, send)) {
    if (send.bytes > settings.eager_bytes_max) count_reason(peer, choice.reason, send.bytes);
    node_part(send).span.filled = send.bytes <= filled_bytes_max;
    return send.bytes;
  }
  if (lease.buffer.empty() || lease.ending || !lease_is_free(lease)) return 0;
  std::int64_t wanted = std::min({send.bytes, settings.early_bytes_max, lease.buffer.bytes()});
  wrap_early(lease, wanted);
  // The receiver takes out what is there whether it is matched or not.
  if (space_in(peer, wanted) < wanted) return wait_for_space;
  place_in_lease(peer, send);
  const bool keeps = wanted < send.bytes && carries_streams(lease);
  // The stream that follows in it does not ask again.
  if (!has_memory(peer, node_part(send).span, 0, keeps ? send.bytes : wanted)) {
    node_part(send).span = {};
    return 0;
  }
  move_lease(peer, send, wanted);
  if (keeps) platform::store_shared(lease.holder, &send);
  // Else the receiver will choose, and count.
  if (send.bytes > settings.eager_bytes_max) count_reason(peer, choice.reason, send.bytes);
  return wanted;
}

void close_early(NodePeer& peer, Request& send) {
  if (node_part(send).span.next_owner == NextOwner::receiver) {
    peer.transferred.mine[peer.transferred.count++] = {
        node_part(send).span.buffer, node_part(send).span.shift, node_part(send).span.at_sender};
    set_at_once_bytes_max(peer);
    node_part(send).span = {};
    return;
  }
  peer.lease.position = node_part(send).span.shift;
  node_part(send).span = {};
  let_lease_go(send);
}

void fill_early(NodePeer& peer, Request& send, std::int64_t bytes) {
  bool timed =
      send.is_run && (send.bytes >= node_of(peer).cma_bytes_min || node_part(send).exported);
  std::int64_t start = timed ? platform::now_ticks() : 0;
  auto& progress = staging_of_send(node_part(send).span, peer).progress();
  fill(peer, send, bytes);
  if (timed) {
    count_copy_time(send, start);
    lockfree::publish_fill_time(progress, static_cast<std::uint64_t>(node_part(send).copy_ticks));
    peer.bidirectional.sent();
  }
  // ORDER node_part(request).filling: release here, acquire in is_filling; it may be gone
  // afterwards.
  std::atomic_ref(node_part(send).filling).store(false, std::memory_order_release);
}

void start_stream_out(Request& send) {
  send.stage = Stage::streaming;
  node_of(send).streams_out.push(&send);
  node_of(send).count_streams(1u);
}

void drop_streams_out(NodePeer& receiver) {
  NodeMessages& node = node_of(receiver);
  Request* before = nullptr;
  for (Request* send = node.streams_out.first; send;) {
    Request* next = send->next;
    if (send->process == receiver.process) {
      node.streams_out.take_after(before);
      node.count_streams(~0u);
    } else {
      before = send;
    }
    send = next;
  }
  receiver.streaming = nullptr;
}

bool advance_streams_out(NodeMessages& node) {
  bool any = false;
  Request* before = nullptr;
  for (Request* send = node.streams_out.first; send;) {
    Request* next = send->next;
    NodePeer& peer = node_peer(send->process);
    // One at a time to each peer, so that few lines of staging and one place of each buffer are in
    // use. All have been asked for: whoever waits here waits for a receiver that takes.
    if (!peer.streaming) peer.streaming = send;
    if (peer.streaming != send) {
      before = send;
      send = next;
      continue;
    }
    const bool filling = is_filling(*send);
    if (!filling && node_part(*send).new_buffer) {
      node_part(*send).span = {};
      node_part(*send).new_buffer = false;
    }
    if (!filling && advance(peer, *send)) {
      set_outstanding(*send, node_part(*send).limit - send->position);
      any = true;
    }
    if (!filling && send->position == node_part(*send).limit) {
      node.streams_out.take_after(before);
      node.count_streams(~0u);
      end_in_lease(*send);
      peer.streaming = nullptr;
      end_streamed_entry(*send);
      set_outstanding(*send, 0);
      complete(*send, send->error);
    } else {
      before = send;
    }
    send = next;
  }
  return any;
}

}  // namespace baton::message
