#include "message/core/engine.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "message/core/attend.hpp"
#include "message/core/progress_thread.hpp"
#include "message/core/protocol.hpp"
#include "message/core/wait.hpp"
#include "message/deposit/deposit_model.hpp"
#include "message/network/advert.hpp"
#include "message/network/network.hpp"
#include "platform/futex.hpp"
#include "platform/memory_file.hpp"
#include "transport/node_link.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

Engine engine;

namespace {

constexpr std::size_t table_bytes = processes_max * sizeof(Peer*);

// A bit that rang: the first time it makes the contact known.
bool look_at(Process process) {
  Peer* peer = known_peer(process);
  if (BATON_UNLIKELY(!peer || !peer->in.attached())) {
    // A line in the inbox will say that there is a lane, before we may look into it.
    if (engine.inbox) return false;
    peer = meet(process);
    // No memory now: the bit comes again with the next message.
    return peer && engine.protocol->look(*peer);
  }
  return poll_peer(*peer);
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
  bool any = engine.inbox && poll_inbox(*engine.inbox);
  if (engine.networked) any |= poll_network();
  if (platform::load_shared(engine.open_offers)) any |= poll_offers();
  if (platform::load_shared(engine.queued_count))
    for (std::uint32_t i = 0; i < engine.process_count; ++i)
      if (Peer* peer = known_peer(static_cast<Process>(i));
          peer && platform::load_shared(peer->queued.first))
        any |= drain_queue(*peer);
  if (platform::load_shared(engine.active_to_self.first)) any |= run_active_to_self();
  if (engine.stream_count) any |= advance_streams_in() | advance_streams_out();
  if (is_asked()) any |= attendance.attend();
  if (platform::load_shared(engine.active_sources)) any |= advance_sources();
  return any;
}

// Where ranks take turns on the CPUs, only the sum of their work counts, and one copy is less of it
// than two, also where it is the slower one for each (8 ranks on 2 cores of a Zen 4 virtual
// machine, 2026-11-22: alltoall of 64 KiB 294 instead of 615 us, of 16 KiB 116 instead of 88).
std::int64_t single_copy_bytes_min() {
  constexpr std::int64_t oversubscribed_bytes_min = 65536;
  const bool chosen = source_of(*find_setting("cma_bytes_min")) != SettingSource::fallback;
  return engine.oversubscribed && !chosen
             ? std::min(settings.cma_bytes_min, oversubscribed_bytes_min)
             : settings.cma_bytes_min;
}

transport::Link* make_link(Process process, transport::LineSender& out,
                           transport::LineReceiver& in) {
  return transport::local_rank_of(process) == not_on_this_node
             ? make_network_link(process)
             : transport::make_node_link(process, out, in);
}

void forget_peer(Peer* peer) {
  std::free(peer->advertised);
  forget_adverts(peer->adverts);
  if (has_history(*peer)) delete &peer->past();
  delete peer->link;
  delete peer;
}

}  // namespace

bool look_into_lane(Peer& peer) {
  open_lane(peer);
  return poll_peer(peer);
}

Error start_engine() {
  engine.local_rank = transport::own_rank();
  engine.self = transport::process_at(engine.local_rank);
  engine.ranks = transport::process_count();
  engine.local_ranks = transport::rank_count();
  engine.oversubscribed = engine.local_ranks > transport::job().cpus_usable;
  engine.cma_bytes_min = single_copy_bytes_min();
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
  engine.make_link = make_link;
  if (transport::job().rings_shared && !(engine.inbox = transport::make_shared_inbox()))
    return fail(MPI_ERR_NO_MEM, "no memory to receive messages");
  engine.protocol = settings.deposit_model ? &deposit_models : &eager_and_rendezvous;
  if (transport::spans_nodes())
    if (Error error = start_network()) return error;
  return engine.protocol->start();
}

void stop_engine() {
  engine.protocol->stop();
  stop_network();
  for (std::uint32_t i = 0; i < engine.process_count; ++i)
    if (engine.peers[i]) forget_peer(engine.peers[i]);
  platform::unmap_memory(engine.peers, table_bytes);
  platform::unmap_memory(engine.contacts, table_bytes);
  delete engine.inbox;
  delete[] engine.shared_history;
  forget_queues();
  for (OfferSlots::Page* page : engine.offers.pages) delete page;
  std::free(engine.incoming.receives);
  for (ProgressSource* source = engine.sources; source; source = source->next)
    source->known = source->active = false;
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
  if (BATON_UNLIKELY(platform::load_shared(engine.open_offers) |
                     platform::load_shared(engine.queued_count) | engine.stream_count |
                     (engine.inbox != nullptr) | engine.networked |
                     platform::load_shared(engine.active_sources) | is_asked()))
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
