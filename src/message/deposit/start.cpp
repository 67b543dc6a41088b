#include "message/deposit/deposit_model.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/core/protocol.hpp"
#include "message/deposit/peer.hpp"

namespace baton::message {

namespace {

// Table 2 of the study.
constexpr std::int64_t kib = 1024;
static_assert(!DepositModel{1}.rules(false).lazy && DepositModel{1}.rules(false).tail);
static_assert(DepositModel{2}.copies_at_sender(64 * kib) && !DepositModel{2}.redirects(64 * kib));
static_assert(DepositModel{3}.copies_at_sender(64 * kib) && DepositModel{3}.redirects(1));
static_assert(!DepositModel{4}.copies_at_sender(1) && !DepositModel{4}.redirects(64 * kib));
static_assert(DepositModel{5}.copies_at_sender(8 * kib) && !DepositModel{5}.redirects(8 * kib));
static_assert(DepositModel{5}.copies_at_sender(16 * kib - 1) &&
              DepositModel{5}.redirects(8 * kib + 1));
static_assert(!DepositModel{5}.copies_at_sender(16 * kib) && DepositModel{5}.redirects(16 * kib));

DepositPeer** peers = nullptr;      // by process; null before we have met
DepositPeer* open_peers = nullptr;  // whose ring to us is in use; under the progress lock
bool poll_all(void*);
ProgressSource source{poll_all};

bool poll_all(void*) {
  bool any = false;
  for (DepositPeer* deposit = open_peers; deposit; deposit = deposit->next_open)
    any |= poll_deposit(*deposit->peer, *deposit);
  return any;
}

DepositControl& control_of(char* deposit) {
  return *reinterpret_cast<DepositControl*>(deposit);
}

Error no_memory_for(Process process) {
  return fail(MPI_ERR_NO_MEM, "no memory to contact rank %u by deposit model %d",
              world_rank(process), deposit_model().number);
}

// Under the contact lock.
DepositPeer* find_or_make(const Peer& peer) {
  DepositPeer*& place = peers[number_of(peer.process)];
  if (!place) place = new (std::nothrow) DepositPeer;
  return place;
}

}  // namespace

DepositModel deposit_model() {
  return {static_cast<int>(settings.deposit_model)};
}

DepositPeer* find_deposit_peer(Process process) {
  return peers[number_of(process)];
}

DepositPeer& deposit_peer(const Peer& peer) {
  return *peers[number_of(peer.process)];
}

namespace {

Error start() {
  const lockfree::DepositPlan& job = transport::job().rings.deposit;
  lockfree::DepositPlan own =
      lockfree::deposit_plan(settings.deposit_model, settings.deposit_ring_bytes);
  if (engine.ranks > 1 && (own.model != job.model || own.ring_bytes != job.ring_bytes))
    return fail(
        MPI_ERR_OTHER,
        "this rank's BATON_DEPOSIT_MODEL is %d with rings of %llu KiB, the job's is %d with "
        "%llu KiB; set it where mpiexec starts (or with -genv), the same for all programs",
        own.model, static_cast<unsigned long long>(own.ring_bytes >> 10), job.model,
        static_cast<unsigned long long>(job.ring_bytes >> 10));
  if (own.model == 0) return MPI_SUCCESS;
  peers = static_cast<DepositPeer**>(std::calloc(engine.ranks, sizeof(DepositPeer*)));
  if (!peers) return no_memory_for(engine.self);
  set_active(source, true);
  engine.posted_bytes_max = -1;
  return MPI_SUCCESS;
}

void stop() {
  for (std::uint32_t i = 0; peers && i < engine.ranks; ++i) {
    if (!peers[i]) continue;
    std::free(peers[i]->message);
    delete peers[i];
  }
  std::free(peers);
  peers = nullptr;
  open_peers = nullptr;
}

Error begin(Peer& peer) {
  DepositPeer* deposit = find_or_make(peer);
  if (!deposit) return no_memory_for(peer.process);
  if (deposit->out.attached()) return MPI_SUCCESS;
  // Claim last: memory first, then the announcement.
  std::uint64_t ring_bytes = transport::job().rings.deposit.ring_bytes;
  if (!deposit->message) deposit->message = static_cast<char*>(std::malloc(ring_bytes));
  if (!deposit->message) return no_memory_for(peer.process);
  if (Error error = transport::reserve_deposit_memory(peer.local_rank)) return error;
  {
    platform::Guard sending(peer.send_lock);
    char* control = transport::deposit_memory(peer.local_rank, engine.local_rank);
    deposit->out.attach(control + page_bytes, ring_bytes, &control_of(control).head,
                        deposit_model().rules(settings.deposit_delayed));
    deposit->their_advert = &control_of(control).advert;
  }
  notify_slow(peer.local_rank);  // the bit makes the ring known there
  return MPI_SUCCESS;
}

// Looks into the ring of a peer that rang. Under the progress lock.
bool look(Peer& peer) {
  DepositPeer* deposit;
  {
    platform::Guard guard(engine.contact_lock);
    deposit = find_or_make(peer);
  }
  if (!deposit) return false;  // no memory now: the bit comes again with the next message
  if (BATON_UNLIKELY(!deposit->in.attached())) {
    char* control = transport::deposit_memory(engine.local_rank, peer.local_rank);
    deposit->in.attach(control + page_bytes, transport::job().rings.deposit.ring_bytes,
                       &control_of(control).head, deposit_model().rules(settings.deposit_delayed));
    deposit->own_advert = &control_of(control).advert;
    deposit->peer = &peer;
    deposit->next_open = open_peers;
    open_peers = deposit;
  }
  return poll_deposit(peer, *deposit);
}

}  // namespace

const Protocol deposit_models{
    .start = start,
    .stop = stop,
    .begin = begin,
    .look = look,
    .put = put_deposit,
    .advertise = advertise_deposit,
    .close_advert = close_deposit_advert,
    .accept = accept_deposit,
    .carries_active = false,
};

}  // namespace baton::message
