#include "message/core/engine.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/attend.hpp"
#include "message/core/protocol.hpp"
#include "message/core/wait.hpp"
#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

Engine engine;

namespace {

constexpr std::size_t table_bytes = processes_max * sizeof(Peer*);

// A bit that rang: the first time it makes the contact known.
bool look_at(Process process) {
  Peer* peer = known_peer(process);
  if (BATON_LIKELY(peer && peer->in.attached())) return poll_peer(*peer);
  peer = meet(process);
  // No memory now: the bit comes again with the next message.
  return peer && peer->protocol->look(*peer);
}

Process sender_of(std::uint32_t word, int bit) {
  return transport::process_at(static_cast<LocalRank>(word * 64 + static_cast<std::uint32_t>(bit)));
}

BATON_COLD bool look_at_all(std::uint32_t word, std::uint64_t bits) {
  bool any = false;
  for (; bits; bits &= bits - 1) any |= look_at(sender_of(word, std::countr_zero(bits)));
  return any;
}

bool poll_doorbells() {
  transport::Doorbell& doorbell = transport::doorbell(engine.local_rank);
  bool any = false;
  for (std::uint32_t word = 0; word * 64 < engine.local_ranks; ++word) {
    std::uint64_t bits = lockfree::take_doorbells(doorbell, word);
    if (BATON_UNLIKELY(bits != 0)) any |= look_at_all(word, bits);
  }
  return any;
}

BATON_COLD bool advance_rest() {
  bool any = false;
  engine.sources.each([&any](ProgressSource& source) { any |= source.advance(); });
  if (platform::load_shared(engine.queued_count))
    for (std::uint32_t i = 0; i < engine.process_count; ++i)
      if (Peer* peer = known_peer(static_cast<Process>(i));
          peer && platform::load_shared(peer->queued.first))
        any |= drain_queue(*peer);
  if (is_asked()) any |= attendance.attend();
  return any;
}

PeerKind kind_by_place(Process process) {
  if (process == engine.self) return PeerKind::self;
  return transport::local_rank_of(process) == not_on_this_node ? PeerKind::network : PeerKind::node;
}

void forget_peer(Peer* peer) {
  if (has_history(*peer)) delete &peer->past();
  peer->protocol->forget_peer(peer);
}

}  // namespace

Protocol& protocol_of(Process process) {
  return *engine.protocols[static_cast<int>(engine.kind_of(process))];
}

bool all_have_left() {
  if (platform::load_shared(engine.queued_count)) return false;
  return std::all_of(std::begin(engine.protocols), std::end(engine.protocols),
                     [](const Protocol* protocol) { return !protocol || protocol->has_left(); });
}

Error start_engine() {
  engine.local_rank = transport::own_rank();
  engine.self = transport::process_at(engine.local_rank);
  engine.ranks = transport::process_count();
  engine.local_ranks = transport::rank_count();
  engine.oversubscribed = engine.local_ranks > transport::job().cpus_usable;
  lockfree::publish_channel(transport::status_row(engine.local_rank).channel, engine.outstanding);
  engine.senders_fence = transport::job().senders_fence != 0;
  engine.waits_by_progress = engine.senders_fence || transport::job().timing.bytes != 0;
  engine.process_count = engine.ranks;
  engine.peers = static_cast<Peer**>(platform::make_private_memory(table_bytes, page_bytes));
  engine.contacts = static_cast<Peer**>(platform::make_private_memory(table_bytes, page_bytes));
  if (!engine.peers || !engine.contacts)
    return fail(MPI_ERR_NO_MEM,
                "no %zu MiB of address space for the list of processes: %s; raise the limit "
                "(ulimit -v)",
                2 * table_bytes >> 20, std::strerror(errno));
  engine.shared_history = new (std::nothrow) History[peer_class_count];
  if (!engine.shared_history) return fail(MPI_ERR_NO_MEM, "no memory to receive messages");
  if (!engine.senders_fence) platform::membarrier_register();
  engine.kind_of = kind_by_place;
  return MPI_SUCCESS;
}

void stop_engine() {
  forget_queues();
  for (std::uint32_t i = 0; i < engine.process_count; ++i)
    if (engine.peers[i]) forget_peer(engine.peers[i]);
  platform::unmap_memory(engine.peers, table_bytes);
  platform::unmap_memory(engine.contacts, table_bytes);
  delete[] engine.shared_history;
  std::free(engine.lost.errors);
  engine.sources.forget();
  for (Protocol* protocol : engine.protocols) delete protocol;
  engine.~Engine();
  new (&engine) Engine;
}

void notify_slow(LocalRank rank) {
  transport::Doorbell& doorbell = transport::doorbell(rank);
  if (!lockfree::ring_doorbell(doorbell, number_of(engine.local_rank))) return;
  count(engine.counters.wakeups);
  transport::wake_sleeper(rank);
}

bool wake_slow(LocalRank rank) {
  transport::Doorbell& doorbell = transport::doorbell(rank);
  if (!lockfree::end_sleep(doorbell)) return false;
  count(engine.counters.wakeups);
  transport::wake_sleeper(rank);
  return true;
}

namespace {

bool progress_among_threads() {
  if (engine.progress_lock.is_held() || !engine.progress_lock.try_lock()) return false;
  leading.now = true;
  bool any = progress_alone();
  leading = {};
  engine.progress_lock.unlock();
  wake_waiters();
  make_copies();
  return any;
}

}  // namespace

bool progress() {
  bool any =
      BATON_LIKELY(!platform::threads_multiple) ? progress_alone() : progress_among_threads();
  // Who tests again and again would keep the CPU from the rank it waits for.
  if (BATON_UNLIKELY(!any && engine.oversubscribed)) platform::yield_cpu();
  return any;
}

bool progress_alone() {
  bool any = poll_doorbells();
  if (!engine.doorbells)
    for (std::uint32_t i = 0; i < engine.contact_count; ++i) any |= poll_peer(*engine.contacts[i]);
  if (BATON_UNLIKELY(engine.sources.any() | (platform::load_shared(engine.queued_count) != 0) |
                     is_asked()))
    any |= advance_rest();
  return any;
}

}  // namespace baton::message
