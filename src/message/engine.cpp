#include "message/engine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/deposit_model.hpp"
#include "message/progress_thread.hpp"
#include "message/protocol.hpp"
#include "message/wait.hpp"
#include "platform/futex.hpp"

namespace baton::message {

Engine engine;

namespace {

// More contacts than this are found by doorbells, fewer by looking at each ring.
constexpr std::uint32_t polled_contacts_max = 16;  // guess
constexpr int messages_per_poll = 32;              // guess: fair between rings, cheap in a burst

Peer* make_peer(std::uint32_t rank) {
  Peer* peer = new (std::nothrow) Peer;
  if (!peer) return nullptr;
  peer->rank = rank;
  peer->doorbell = &transport::arena.doorbell(rank);
  peer->place = lockfree::peer_class(transport::arena.row(engine.rank).launcher.place,
                                     transport::arena.row(rank).launcher.place);
  // ORDER engine.peers: release here, acquire in known_peer.
  std::atomic_ref(engine.peers[rank]).store(peer, std::memory_order_release);
  return peer;
}

// The peer as it is, or a new one; null when memory is short. Under the contact lock.
Peer* find_or_make_peer(std::uint32_t rank) {
  Peer* peer = engine.peers[rank];
  return peer ? peer : make_peer(rank);
}

// From now on peers ring when they have published, and we look only where it rang.
void trust_doorbells() {
  engine.doorbells = true;
  lockfree::announce(transport::arena.doorbell(engine.rank), lockfree::wake_doorbell);
  if (engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
  for (std::uint32_t i = 0; i < engine.contact_count; ++i) poll_peer(*engine.contacts[i]);
}

// A bit that rang: the first time it makes the contact known.
bool look_at(std::uint32_t rank) {
  Peer* peer = known_peer(rank);
  if (BATON_UNLIKELY(!peer || !peer->in.attached())) {
    {
      platform::Guard guard(engine.contact_lock);
      peer = find_or_make_peer(rank);
    }
    if (!peer) return false;  // no memory now: the bit comes again with the next message
    if (BATON_UNLIKELY(settings.deposit_model)) return look_at_deposit(*peer);
    peer->in.attach(transport::arena.ring(engine.rank, rank),
                    transport::arena.consumer(engine.rank, rank));
    engine.contacts[engine.contact_count++] = peer;
    if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
  }
  return poll_peer(*peer);
}

BATON_COLD bool look_at_all(std::uint32_t word, std::uint64_t bits) {
  bool any = false;
  for (; bits; bits &= bits - 1)
    any |= look_at(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
  return any;
}

bool poll_doorbells() {
  transport::Doorbell& doorbell = transport::arena.doorbell(engine.rank);
  bool any = false;
  for (std::uint32_t word = 0; word * 64 < engine.ranks; ++word) {
    std::uint64_t bits = lockfree::take_doorbells(doorbell, word);
    if (BATON_UNLIKELY(bits != 0)) any |= look_at_all(word, bits);
  }
  return any;
}

ProgressSource* next_source(ProgressSource* source) {
  platform::Guard guard(engine.source_lock);
  source = source ? source->next : engine.sources;
  while (source && !source->active) source = source->next;
  return source;
}

bool advance_sources() {
  bool any = false;
  for (ProgressSource* source = nullptr; (source = next_source(source));)
    any |= source->advance(source->state);
  return any;
}

BATON_COLD bool advance_rest() {
  bool any = false;
  if (platform::load_shared(engine.open_offers)) any |= poll_offers();
  if (platform::load_shared(engine.queued_count))
    for (std::uint32_t i = 0; i < engine.ranks; ++i)
      if (Peer* peer = known_peer(i)) any |= drain_queue(*peer);
  if (engine.stream_count) any |= advance_streams_in() | advance_streams_out();
  if (platform::load_shared(engine.active_sources)) any |= advance_sources();
  return any;
}

// Where ranks take turns on the CPUs, only the sum of their work counts, and one copy is less of it
// than two, also where it is the slower one for each (8 ranks on 2 cores of a Zen 4 virtual
// machine, 2026-11-22: alltoall of 64 KiB 294 instead of 615 us, of 16 KiB 116 instead of 88).
void prefer_single_copy() {
  constexpr std::int64_t crowded_bytes_min = 65536;
  if (source_of(*find_setting("cma_bytes_min")) == SettingSource::fallback)
    settings.cma_bytes_min = std::min(settings.cma_bytes_min, crowded_bytes_min);
}

}  // namespace

Error start_engine() {
  new (&engine) Engine;
  engine.rank = transport::arena.rank;
  engine.ranks = transport::arena.ranks;
  engine.crowded = engine.ranks > transport::arena.job->cpus_usable;
  if (engine.crowded) prefer_single_copy();
  lockfree::publish_channel(transport::arena.row(engine.rank).channel, engine.outstanding);
  engine.senders_fence = transport::arena.job->senders_fence != 0;
  engine.peers = static_cast<Peer**>(std::calloc(engine.ranks, sizeof(Peer*)));
  engine.contacts = static_cast<Peer**>(std::calloc(engine.ranks, sizeof(Peer*)));
  if (!engine.peers || !engine.contacts)
    return fail(MPI_ERR_NO_MEM, "no memory for the list of %u peers", engine.ranks);
  if (!engine.senders_fence) platform::membarrier_register();
  return start_deposit_model();
}

void stop_engine() {
  stop_deposit_model();
  for (std::uint32_t i = 0; i < engine.ranks; ++i) {
    if (engine.peers[i]) std::free(engine.peers[i]->advertised);
    delete engine.peers[i];
  }
  std::free(engine.peers);
  std::free(engine.contacts);
  for (ProgressSource* source = engine.sources; source; source = source->next)
    source->known = source->active = false;
  Counters counters = engine.counters;
  new (&engine) Engine;
  engine.counters = counters;
}

Peer* contact(std::uint32_t rank) {
  platform::Guard guard(engine.contact_lock);
  Peer* peer = engine.peers[rank];
  if (peer && peer->out.attached()) return peer;
  if (BATON_UNLIKELY(settings.deposit_model)) return contact_deposit(find_or_make_peer(rank), rank);
  // Claim last: memory for the ring first, then the peer, then the announcement.
  std::uint64_t ring = transport::arena.layout.rings + engine.rank * lockfree::ring_bytes;
  if (transport::reserve(rank, ring, lockfree::ring_bytes) != MPI_SUCCESS) return nullptr;
  peer = find_or_make_peer(rank);
  if (!peer) {
    (void)fail(MPI_ERR_NO_MEM, "no memory to contact rank %u", rank);
    return nullptr;
  }
  {
    platform::Guard sending(peer->send_lock);
    peer->out.attach(transport::arena.ring(rank, engine.rank),
                     transport::arena.consumer(rank, engine.rank));
  }
  notify_slow(rank);  // the bit makes the ring known there
  return peer;
}

void notify_slow(std::uint32_t rank) {
  transport::Doorbell& doorbell = transport::arena.doorbell(rank);
  if (!lockfree::ring_doorbell(doorbell, engine.rank)) return;
  count(engine.counters.wakeups);
  platform::futex_wake(doorbell.wake.word);
}

void wake_slow(std::uint32_t rank) {
  transport::Doorbell& doorbell = transport::arena.doorbell(rank);
  if (!lockfree::end_sleep(doorbell)) return;
  count(engine.counters.wakeups);
  platform::futex_wake(doorbell.wake.word);
}

bool poll_peer(Peer& peer) {
  int taken = 0;
  int taken_max = messages_per_poll;
  for (; taken < taken_max; ++taken) {
    lockfree::Header header = peer.in.peek();
    if (header.lap() == 0) break;
    switch (static_cast<LineKind>(header.kind())) {
      case LineKind::payload:
        arrive_payload(peer, header);
        break;
      case LineKind::offer:
        arrive_offer(peer, header);
        // Copying it took long: what we wait for may be there, and the next one's receive may be
        // posted before it is taken for unexpected and copied twice.
        taken_max = taken + 1;
        break;
      case LineKind::claim:
        arrive_claim(peer);
        break;
      case LineKind::window:
        arrive_window(peer);
        break;
      case LineKind::redirected:
        arrive_redirected(peer, header);
        break;
      case LineKind::none:
        BATON_INVARIANT(!"a line of no kind in a ring");
    }
  }
  // Trusting doorbells, what is left here must be found again.
  if (BATON_UNLIKELY(taken == taken_max && engine.doorbells))
    lockfree::ring_doorbell(transport::arena.doorbell(engine.rank), peer.rank);
  return taken > 0;
}

namespace {

bool progress_among_threads() {
  if (engine.progress_lock.is_held() || !engine.progress_lock.try_lock()) return false;
  leading.now = true;
  bool any = progress_alone();
  leading = {};
  engine.progress_lock.unlock();
  wake_waiters();
  return any;
}

}  // namespace

bool progress() {
  bool any =
      BATON_LIKELY(!platform::threads_multiple) ? progress_alone() : progress_among_threads();
  // Who tests again and again would keep the CPU from the rank it waits for.
  if (BATON_UNLIKELY(!any && engine.crowded)) platform::yield_cpu();
  return any;
}

bool progress_alone() {
  bool any = poll_doorbells();
  if (!engine.doorbells)
    for (std::uint32_t i = 0; i < engine.contact_count; ++i) any |= poll_peer(*engine.contacts[i]);
  if (BATON_UNLIKELY(platform::load_shared(engine.open_offers) |
                     platform::load_shared(engine.queued_count) | engine.stream_count |
                     platform::load_shared(engine.active_sources)))
    any |= advance_rest();
  return any;
}

void set_active(ProgressSource& source, bool active) {
  platform::Guard guard(engine.source_lock);
  if (!source.known) {
    source.known = true;
    source.next = engine.sources;
    engine.sources = &source;
  }
  platform::add_shared(engine.active_sources, (active ? 1u : 0u) - (source.active ? 1u : 0u));
  source.active = active;
  if (BATON_UNLIKELY(active && platform::threads_multiple)) {
    wake_waiters();
    rouse_progress_thread();
  }
}

}  // namespace baton::message
