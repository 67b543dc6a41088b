#include "message/deposit/deposit_protocol.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
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

DepositPeer& cast(Peer& peer) {
  return static_cast<DepositPeer&>(peer);
}

DepositControl& control_of(char* deposit) {
  return *reinterpret_cast<DepositControl*>(deposit);
}

Error no_memory_for(Process process) {
  return fail(MPI_ERR_NO_MEM, "no memory to contact rank %u by deposit model %d",
              world_rank(process), deposit_model().number);
}

}  // namespace

DepositModel deposit_model() {
  return {static_cast<int>(settings.deposit_model)};
}

Error DepositProtocol::set_up() {
  if (transport::job().continues)
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "the deposit models know nothing of ranks that die; run without "
                "BATON_DEPOSIT_MODEL, or without --continue-on-failure");
  if (Error error = NodeProtocol::set_up()) return error;
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
  engine.tells_outstanding = false;
  engine.posted_bytes_max = -1;
  add(1);
  return MPI_SUCCESS;
}

Peer* DepositProtocol::make_peer(Process process) {
  auto* peer = new (std::nothrow) DepositPeer;
  return peer && complete_peer(peer, process) ? peer : nullptr;
}

void DepositProtocol::forget_peer(Peer* peer) {
  std::free(cast(*peer).message);
  delete cast(*peer).link;
  delete &cast(*peer);
}

Error DepositProtocol::begin(Peer& peer) {
  DepositPeer& deposit = cast(peer);
  // Claim last: memory first, then the announcement.
  std::uint64_t ring_bytes = transport::job().rings.deposit.ring_bytes;
  if (!deposit.message) deposit.message = static_cast<char*>(std::malloc(ring_bytes));
  if (!deposit.message) return no_memory_for(peer.process);
  if (Error error = transport::reserve_deposit_memory(peer.slot)) return error;
  {
    platform::Guard sending(peer.send_lock);
    char* control = transport::deposit_memory(peer.slot, peer.slot.own());
    deposit.ring_out.attach(control + page_bytes, ring_bytes, &control_of(control).head,
                            deposit_model().rules(settings.deposit_delayed));
    deposit.their_advert = &control_of(control).advert;
  }
  notify_slow(peer.slot);  // the bit makes the ring known there
  return MPI_SUCCESS;
}

// Under the progress lock.
bool DepositProtocol::look(Peer& peer) {
  DepositPeer& deposit = cast(peer);
  if (BATON_UNLIKELY(!deposit.ring_in.attached())) {
    char* control = transport::deposit_memory(peer.slot.own(), peer.slot);
    deposit.ring_in.attach(control + page_bytes, transport::job().rings.deposit.ring_bytes,
                           &control_of(control).head,
                           deposit_model().rules(settings.deposit_delayed));
    deposit.own_advert = &control_of(control).advert;
    deposit.next_open = open_peers_;
    open_peers_ = &deposit;
  }
  return poll_deposit(deposit);
}

bool DepositProtocol::put(Peer& peer, Request& request) {
  return put_deposit(cast(peer), request);
}

bool DepositProtocol::put_active(Peer&, transport::Envelope, const void*, std::size_t) {
  return false;
}

Error DepositProtocol::carries_active() const {
  return fail(MPI_ERR_UNSUPPORTED_OPERATION,
              "the deposit models carry no messages of this kind; run without "
              "BATON_DEPOSIT_MODEL");
}

bool DepositProtocol::arrive(ArrivedLine&) {
  BATON_INVARIANT(!"a line has come where a deposit model has none");
  __builtin_unreachable();
}

void DepositProtocol::accept(UnexpectedMessage& unexpected, Request& receive) {
  accept_deposit(unexpected, receive);
}

void DepositProtocol::advertise(const MatchQueue& queue, Request& receive, Peer& sender) {
  advertise_deposit(queue, receive, cast(sender));
}

bool DepositProtocol::close_advert(Request& receive) {
  return close_deposit_advert(receive);
}

bool DepositProtocol::advance() {
  bool any = NodeProtocol::advance();
  for (DepositPeer* deposit = open_peers_; deposit; deposit = deposit->next_open)
    any |= poll_deposit(*deposit);
  return any;
}

}  // namespace baton::message
