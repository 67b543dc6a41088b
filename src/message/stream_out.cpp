// Streams, the sender's side: it fills a window of the receiver's staging in turns, as far as the
// receiver has emptied it.
#include <algorithm>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/protocol.hpp"
#include "message/window.hpp"
#include "platform/copy.hpp"
#include "transport/choose.hpp"
#include "transport/single_copy.hpp"

namespace baton::message {

namespace {

// How much is filled before it is published: enough to be worth a line, little enough that the
// receiver starts early (2026-11-21, docs/decisions/staging.md).
constexpr std::int64_t publish_bytes = 1024;
// So far ahead of the writing the lines are fetched.
constexpr std::int64_t fetch_ahead_bytes = 2048;
constexpr std::int64_t bytes_per_round = 65536;  // guess: fair to other peers

// Chunks once reserved stay so.
bool has_memory(Peer& peer, lockfree::Window window) {
  for (std::uint64_t bits = window.chunks & ~peer.reserved_chunks; bits; bits &= bits - 1) {
    auto chunk = static_cast<std::uint64_t>(std::countr_zero(bits));
    std::uint64_t offset = transport::arena.layout.staging + chunk * lockfree::chunk_bytes;
    if (transport::reserve(peer.rank, offset, lockfree::chunk_bytes) != MPI_SUCCESS) return false;
    peer.reserved_chunks |= std::uint64_t{1} << chunk;
  }
  return true;
}

int chunks_for(std::int64_t bytes) {
  auto chunk = static_cast<std::int64_t>(lockfree::chunk_bytes);
  return static_cast<int>(
      std::min((bytes + chunk - 1) / chunk, std::int64_t{lockfree::Window::chunks_max}));
}

enum class Taken { window, nothing_free, no_memory };

// Takes a window that surely has memory, for `bytes` more of a send.
Taken take_window(Peer& peer, Request& send, std::int64_t bytes) {
  auto& free = peer.doorbell->chunks.free;
  // Many streams at once get less each.
  int share = std::max(1, lockfree::free_chunks(free) / 4);
  send.window = lockfree::take_chunks(free, std::min(chunks_for(bytes), share));
  if (send.window.empty()) return Taken::nothing_free;
  send.emptied = send.position;
  if (has_memory(peer, send.window)) {
    lockfree::open_window(transport::arena.progress(peer.rank, send.window.first()),
                          static_cast<std::uint64_t>(send.position));
    return Taken::window;
  }
  lockfree::give_back_chunks(free, send.window);
  send.window = {};
  return Taken::no_memory;
}

// Packs from the send's position up to `end` into the window. There is room.
void fill(Peer& peer, Request& send, std::int64_t end) {
  auto& progress = transport::arena.progress(peer.rank, send.window.first());
  WindowPlace place(peer.rank, send.window, send.position);
  WindowPlace fetch = place;
  std::int64_t fetched = send.position;
  while (send.position < end) {
    std::int64_t piece = std::min(publish_bytes, end - send.position);
    std::int64_t ahead = std::min(end, send.position + piece + fetch_ahead_bytes);
    for (; fetched < ahead; fetched += cache_line_bytes, fetch.advance(cache_line_bytes))
      platform::prefetch_for_write(fetch.here());
    datatype::pack(*send.datatype, send.buffer, send.position, place.here(), piece);
    place.advance(piece);
    send.position += piece;
    lockfree::publish_filled(progress, static_cast<std::uint64_t>(send.position));
  }
}

bool put_window_line(Peer& peer, Request& send) {
  platform::Guard guard(peer.send_lock);
  if (!peer.can_put(1)) return false;
  switch (take_window(peer, send, send.limit - send.position)) {
    case Taken::nothing_free:
      return false;
    case Taken::no_memory:
      send.error = MPI_ERR_NO_MEM;
      send.position = send.limit;
      return true;
    case Taken::window:
      break;
  }
  WindowLine line{send.window, send.stream};
  auto header = lockfree::make_header(static_cast<unsigned>(LineKind::window), 0, 0);
  peer.out.put(header, {0, 0}, &line, sizeof line);
  notify(*peer.doorbell, peer.rank);
  return true;
}

// Whether another thread still writes the early bytes.
bool is_filling(Request& send) {
  // ORDER request.filling: acquire here, release in fill_early; how far it came.
  return std::atomic_ref(send.filling).load(std::memory_order_acquire);
}

// Writes what there is room for; false when there is none.
bool advance(Peer& peer, Request& send) {
  if (send.window.empty()) {
    if (!put_window_line(peer, send)) return false;
    if (send.error) return true;
  }
  std::int64_t window = send.window.bytes();
  if (send.position == send.emptied + window) {
    auto& progress = transport::arena.progress(peer.rank, send.window.first());
    send.emptied = static_cast<std::int64_t>(lockfree::emptied_bytes(progress));
  }
  std::int64_t room = std::min(send.limit, send.emptied + window) - send.position;
  if (room == 0) return false;
  fill(peer, send, send.position + std::min(room, bytes_per_round));
  wake_rank(peer.rank);
  return true;
}

}  // namespace

std::int64_t open_early(Peer& peer, Request& send) {
  // Early bytes are many unexpected ones: the receiver's wish for envelopes must not be missed for
  // long.
  constexpr int sends_per_look = 4;
  constexpr std::int64_t early_bytes_max = 65536;  // guess: an unmatched message keeps no more
  send.position = 0;
  send.window = {};
  if (++peer.early_sends % sends_per_look == 0) peer.out.look();
  transport::EarlyFacts facts{send.bytes,
                              send.datatype->contiguous,
                              peer.out.envelopes_only(),
                              transport::can_read_from(peer.rank),
                              settings.cma_bytes_min,
                              settings.early_chunk != 0};
  transport::Choice choice = transport::choose_early(facts);
  if (choice.way != Way::staged) return 0;
  if (lockfree::free_chunks(peer.doorbell->chunks.free) <= lockfree::chunks_per_rank / 2) return 0;
  if (take_window(peer, send, send.bytes) != Taken::window) return 0;
  // Else the receiver will choose, and count.
  if (send.bytes > settings.eager_bytes_max) count_reason(peer, choice.reason, send.bytes);
  return std::min({send.bytes, early_bytes_max, send.window.bytes()});
}

void fill_early(Peer& peer, Request& send, std::int64_t bytes) {
  fill(peer, send, bytes);
  // ORDER request.filling: release here, acquire in is_filling; it may be gone afterwards.
  std::atomic_ref(send.filling).store(false, std::memory_order_release);
}

void start_stream_out(Request& send) {
  send.stage = Stage::streaming;
  engine.streams_out.push(&send);
  ++engine.stream_count;
}

bool advance_streams_out() {
  bool any = false;
  Request* before = nullptr;
  for (Request* send = engine.streams_out.first; send;) {
    Request* next = send->next;
    bool filling = is_filling(*send);
    if (!filling) any |= advance(*engine.peers[send->peer_rank], *send);
    if (!filling && send->position == send->limit) {
      engine.streams_out.take_after(before);
      --engine.stream_count;
      complete(*send, send->error);
    } else {
      before = send;
    }
    send = next;
  }
  return any;
}

}  // namespace baton::message
