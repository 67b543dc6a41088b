#include "message/node/lease.hpp"

#include <algorithm>
#include <bit>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "platform/copy.hpp"

namespace baton::message {

namespace {

// Gives memory to chunks that have none; once reserved they stay so.
BATON_COLD bool reserve_chunks(NodePeer& peer, std::uint64_t chunks) {
  for (; chunks; chunks &= chunks - 1) {
    const auto chunk = static_cast<std::uint32_t>(std::countr_zero(chunks));
    if (transport::reserve_chunk(peer.slot, chunk) != MPI_SUCCESS) return false;
    peer.reserved_chunks |= std::uint64_t{1} << chunk;
  }
  return true;
}

std::uint64_t holder_number(transport::Slot slot) {
  return slot.index + 1;
}

constexpr int lease_messages = 32;  // guess: a term
// Whoever wanted it comes first, and who has had fewer: so many messages for each before; guesses.
constexpr int lease_pause = 64, pauses_max = 8;

}  // namespace

bool has_memory(NodePeer& peer, const lockfree::StagingSpan& span, std::int64_t position,
                std::int64_t end) {
  std::uint64_t lacking = span.buffer.chunks & ~peer.reserved_chunks;
  if (BATON_LIKELY(lacking == 0)) return true;
  constexpr std::int64_t chunk = lockfree::chunk_bytes;
  std::int64_t first = (position + span.shift) / chunk;
  std::int64_t last = (end + span.shift - 1) / chunk;
  if (last - first >= span.buffer.count()) return reserve_chunks(peer, lacking);
  std::int64_t number = 0;
  std::uint64_t used = 0;
  for (std::uint64_t bits = span.buffer.chunks; bits; bits &= bits - 1, ++number)
    for (std::int64_t turn = first; turn <= last; ++turn)
      if (turn % span.buffer.count() == number) used |= bits & (~bits + 1);
  return reserve_chunks(peer, used & lacking);
}

lockfree::StagingBuffer take_staging_buffer(NodePeer& peer, int wanted) {
  lockfree::StagingBuffer buffer = lockfree::take_chunks(peer.doorbell->chunks.free, wanted);
  if (buffer.empty()) return buffer;
  transport::Progress& progress = transport::staging_progress(peer.slot, buffer);
  lockfree::open_staging_buffer(progress);
  lockfree::note_holder(progress, holder_number(peer.slot.own()), buffer);
  return buffer;
}

void give_back_staging_buffer(transport::Slot owner, lockfree::StagingBuffer buffer) {
  lockfree::forget_holder(transport::staging_progress(owner, buffer));
  lockfree::give_back_chunks(transport::doorbell(owner).chunks.free, buffer);
}

void take_back_staging(NodePeer& gone) {
  gone.transferred.count = 0;
  gone.transferred.asked_for = true;
  const transport::Slot own = gone.slot.own();
  for (std::uint32_t chunk = 0; chunk < lockfree::chunks_per_rank; ++chunk) {
    const lockfree::StagingBuffer held =
        lockfree::held_by(own.progress(chunk), holder_number(gone.slot));
    if (!held.empty()) give_back_staging_buffer(own, held);
  }
}

std::int64_t emptied_by(const NodePeer& peer, lockfree::StagingBuffer buffer) {
  return static_cast<std::int64_t>(
      lockfree::emptied_bytes(transport::staging_progress(peer.slot, buffer)));
}

bool lease_is_free(Lease& lease) {
  // ORDER lease.holder: acquire here, release in let_lease_go; its last position.
  return std::atomic_ref(lease.holder).load(std::memory_order_acquire) == nullptr;
}

void get_lease(NodePeer& peer) {
  // In a job of few ranks each gets one, with space for most that are transferred; in a larger one
  // half of the chunks are left for those without.
  constexpr int all = lockfree::chunks_per_rank, least = 2;  // guess
  const auto others = static_cast<int>(peer.slot.count() - 1);
  const int kept_free = others <= TransferredBuffers::few_others_max ? all / 8 : all / 2;
  const int wanted = std::clamp((all - all / 4) / others - TransferredBuffers::chunks_each / 2,
                                least, lockfree::StagingBuffer::chunks_max);
  auto& chunks = peer.doorbell->chunks;
  if (peer.lease.messages > 0 && --peer.lease.messages > 0) return;
  // relaxed, here and below: a wish.
  const bool plenty = lockfree::free_chunks(chunks.free) >= kept_free + wanted;
  if (chunks.wanted.load(std::memory_order_relaxed) == plenty)
    chunks.wanted.store(!plenty, std::memory_order_relaxed);
  if (!plenty) return;
  const std::int16_t had = peer.lease.had;
  peer.lease = {};
  peer.lease.buffer = take_staging_buffer(peer, wanted);
  peer.lease.had = had;
  count(engine.counters.leases);
}

void end_term(NodePeer& peer) {
  Lease& lease = peer.lease;
  if (++lease.messages < lease_messages) return;
  auto& chunks = peer.doorbell->chunks;
  lease.ending |= chunks.wanted.load(std::memory_order_relaxed) != 0;
  if (!lease.ending) {
    lease.messages = 0;
  } else if (lease_is_free(lease) && emptied_by(peer, lease.buffer) >= lease.end) {
    give_back_staging_buffer(peer.slot, lease.buffer);
    const int had = std::min(lease.had + 1, pauses_max);
    lease = {};
    lease.messages = had * lease_pause;
    lease.had = static_cast<std::int16_t>(had);
  }
}

std::int64_t space_in(NodePeer& peer, std::int64_t wanted) {
  Lease& lease = peer.lease;
  std::int64_t buffer = lease.buffer.bytes();
  if (lease.position + wanted > lease.emptied + buffer)
    lease.emptied = emptied_by(peer, lease.buffer);
  return lease.emptied + buffer - lease.position;
}

void wrap_early(Lease& lease, std::int64_t wanted) {
  std::int64_t span = settings.pipeline_span_bytes;
  if (wanted == settings.early_bytes_max) span = std::min(span, settings.pipeline_buffer_bytes);
  // Twice early_bytes_max at least: what is left out at its end is never emptied, and there must be
  // space for the next without it.
  span = std::max(span, 2 * settings.early_bytes_max);
  std::int64_t buffer = lease.buffer.bytes();
  if (lease.position % buffer + wanted <= span) return;
  lease.position = (lease.position + buffer - 1) / buffer * buffer;
}

void place_in_lease(NodePeer& peer, Request& send) {
  node_part(send).span = {peer.lease.buffer, peer.lease.position - send.position,
                          NextOwner::sender};
  node_part(send).emptied = peer.lease.emptied;
}

void move_lease(NodePeer& peer, const Request& send, std::int64_t end) {
  peer.lease.end = end + node_part(send).span.shift;
  peer.lease.position = static_cast<std::int64_t>(
      round_up(static_cast<std::uint64_t>(end + node_part(send).span.shift), cache_line_bytes));
}

bool carries_streams(const Lease& lease) {
  return !lease.buffer.empty() && lease.buffer.bytes() <= settings.pipeline_buffer_bytes;
}

bool holds_lease(NodePeer& peer, const Request& send) {
  // relaxed: only the holder itself finds itself here.
  return std::atomic_ref(peer.lease.holder).load(std::memory_order_relaxed) == &send;
}

void let_lease_go(Request& send) {
  if (send.process == engine.self) return;
  NodePeer& peer = node_peer(send.process);
  if (!holds_lease(peer, send)) return;
  // ORDER lease.holder: release here, acquire in lease_is_free.
  std::atomic_ref(peer.lease.holder).store(nullptr, std::memory_order_release);
}

}  // namespace baton::message
