// Streams: a sender fills chunks of the receiver's staging while the receiver copies behind it.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/protocol.hpp"
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
constexpr int chunks_per_round = 4;  // guess: fair to other peers

Request** receives = nullptr;  // by stream number; null: free
std::uint32_t receives_size = 0;
platform::Lock receives_lock;

// A chunk once reserved stays so.
bool chunk_has_memory(Peer& peer, int chunk) {
  std::uint64_t bit = std::uint64_t{1} << chunk;
  if (BATON_LIKELY(peer.reserved_chunks & bit)) return true;
  std::uint64_t offset =
      transport::arena.layout.staging + static_cast<std::uint64_t>(chunk) * lockfree::chunk_bytes;
  if (transport::reserve(peer.rank, offset, lockfree::chunk_bytes) != MPI_SUCCESS) return false;
  peer.reserved_chunks |= bit;
  return true;
}

constexpr int no_memory = -2;  // explained
static_assert(no_memory != lockfree::no_chunk);

// Takes a chunk of the peer's staging that surely has memory; no_chunk when there is none now.
int take_usable_chunk(Peer& peer) {
  int chunk = lockfree::take_chunk(peer.doorbell->chunks.free);
  if (chunk == lockfree::no_chunk) return chunk;
  if (chunk_has_memory(peer, chunk)) return chunk;
  lockfree::give_back_chunk(peer.doorbell->chunks.free, chunk);
  return no_memory;
}

void fill_chunk(Peer& peer, const Request& send, std::int64_t position, std::uint32_t chunk,
                std::int64_t bytes) {
  auto& filled = transport::arena.chunk_progress(peer.rank, chunk);
  char* target = transport::arena.chunk(peer.rank, chunk);
  std::int64_t fetched = 0;
  for (std::int64_t done = 0; done < bytes;) {
    std::int64_t piece = std::min(publish_bytes, bytes - done);
    std::int64_t end = std::min(bytes, done + piece + fetch_ahead_bytes);
    for (; fetched < end; fetched += cache_line_bytes)
      platform::prefetch_for_write(target + fetched);
    datatype::pack(*send.datatype, send.buffer, position + done, target + done, piece);
    done += piece;
    lockfree::publish_filled(filled, static_cast<std::uint64_t>(done));
  }
}

// How much of a send goes into the chunk after those it has filled.
std::int64_t next_chunk_bytes(const Request& send, std::int64_t limit) {
  return std::min(limit - send.position, static_cast<std::int64_t>(lockfree::chunk_bytes));
}

void put_chunk_line(Peer& peer, const Request& send, std::uint32_t chunk, std::int64_t bytes) {
  lockfree::open_chunk(transport::arena.chunk_progress(peer.rank, chunk));
  ChunkLine line{send.stream, chunk, static_cast<std::uint32_t>(bytes)};
  auto header = lockfree::make_header(static_cast<unsigned>(LineKind::chunk), 0, 0);
  peer.out.put(header, {0, 0}, &line, sizeof line);
}

// Sends one chunk; false when room or chunks are lacking now.
bool send_chunk(Peer& peer, Request& send) {
  int taken = lockfree::no_chunk;
  std::int64_t bytes = next_chunk_bytes(send, send.limit);
  {
    platform::Guard guard(peer.send_lock);
    if (peer.can_put(1)) taken = take_usable_chunk(peer);
    if (taken >= 0) put_chunk_line(peer, send, static_cast<std::uint32_t>(taken), bytes);
  }
  if (taken == lockfree::no_chunk) return false;
  if (taken == no_memory) {
    send.error = MPI_ERR_NO_MEM;
    send.position = send.limit;
    return true;
  }
  notify(*peer.doorbell, peer.rank);
  fill_chunk(peer, send, send.position, static_cast<std::uint32_t>(taken), bytes);
  send.position += bytes;
  return true;
}

// Calls `take(source, bytes)` for what the sender has filled, piece by piece, until `bytes` of the
// chunk have come; then gives it back.
template <class Take>
void follow_chunk(std::uint32_t chunk, std::int64_t bytes, Take take) {
  auto& filled = transport::arena.chunk_progress(engine.rank, chunk);
  const char* source = transport::arena.chunk(engine.rank, chunk);
  for (std::int64_t done = 0; done < bytes;) {
    auto there = static_cast<std::int64_t>(lockfree::filled_bytes(filled));
    if (there == done) {
      pause_for_peer();
      continue;
    }
    take(source + done, there - done);
    done = there;
  }
  lockfree::give_back_chunk(transport::arena.doorbell(engine.rank).chunks.free,
                            static_cast<int>(chunk));
}

Request& receive_of(std::uint32_t stream) {
  platform::Guard guard(receives_lock);
  return *receives[stream];
}

void close_stream(std::uint32_t stream) {
  platform::Guard guard(receives_lock);
  receives[stream] = nullptr;
}

}  // namespace

std::uint32_t open_stream(Request& receive) {
  platform::Guard guard(receives_lock);
  for (std::uint32_t i = 0; i < receives_size; ++i)
    if (!receives[i]) {
      receives[i] = &receive;
      return i;
    }
  std::uint32_t size = std::max(16u, receives_size * 2);
  auto** grown = static_cast<Request**>(std::realloc(receives, size * sizeof(Request*)));
  BATON_INVARIANT(grown != nullptr);
  receives = grown;
  std::fill(receives + receives_size, receives + size, nullptr);
  std::uint32_t stream = receives_size;
  receives_size = size;
  receives[stream] = &receive;
  return stream;
}

void arrive_chunk(Peer& peer) {
  ChunkLine line;
  peer.in.take(&line, sizeof line);
  Request& receive = receive_of(line.stream);
  follow_chunk(line.chunk, line.bytes, [&](const char* source, std::int64_t bytes) {
    datatype::unpack(*receive.datatype, receive.buffer, receive.position, source, bytes);
    receive.position += bytes;
  });
  if (receive.position < receive.limit) return;
  close_stream(line.stream);
  complete(receive, receive.error);
}

int take_early_chunk(Peer& peer, const Request& send) {
  // An early chunk is many unexpected bytes: the receiver's wish for envelopes must not be missed
  // for long.
  constexpr int chunks_per_look = 16;
  if (++peer.early_chunks % chunks_per_look == 0) peer.out.look();
  transport::EarlyFacts facts{send.bytes,
                              send.datatype->contiguous,
                              peer.out.envelopes_only(),
                              transport::can_read_from(peer.rank),
                              settings.cma_bytes_min,
                              settings.early_chunk != 0};
  if (transport::choose_early(facts).way != Way::staged) return lockfree::no_chunk;
  if (!lockfree::chunks_are_plenty(peer.doorbell->chunks.free)) return lockfree::no_chunk;
  int chunk = take_usable_chunk(peer);
  if (chunk < 0) return lockfree::no_chunk;
  lockfree::open_chunk(
      transport::arena.chunk_progress(peer.rank, static_cast<std::uint32_t>(chunk)));
  return chunk;
}

void fill_early_chunk(Peer& peer, const Request& send, int chunk, std::int64_t bytes) {
  fill_chunk(peer, send, 0, static_cast<std::uint32_t>(chunk), bytes);
}

void take_early_bytes(int chunk, std::int64_t bytes, Request& receive, std::int64_t wanted) {
  follow_chunk(
      static_cast<std::uint32_t>(chunk), bytes, [&](const char* source, std::int64_t there) {
        std::int64_t here = std::min(there, wanted - receive.position);
        datatype::unpack(*receive.datatype, receive.buffer, receive.position, source, here);
        receive.position += here;
      });
}

void take_early_bytes(int chunk, std::int64_t bytes, char* target) {
  follow_chunk(static_cast<std::uint32_t>(chunk), bytes,
               [&](const char* source, std::int64_t there) {
                 std::memcpy(target, source, static_cast<std::size_t>(there));
                 target += there;
               });
}

bool advance_streams() {
  bool any = false;
  Request* before = nullptr;
  for (Request* send = engine.streams.first; send;) {
    Peer& peer = *engine.peers[send->peer_rank];
    for (int i = 0; i < chunks_per_round && send->position < send->limit; ++i) {
      if (!send_chunk(peer, *send)) break;
      any = true;
    }
    Request* next = send->next;
    if (send->position >= send->limit) {
      engine.streams.take_after(before);
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
