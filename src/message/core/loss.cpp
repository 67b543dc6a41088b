#include "message/core/loss.hpp"

#include <cstring>

#include "base/failure_class.hpp"
#include "base/settings.hpp"
#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/shortcuts.hpp"
#include "platform/clock.hpp"
#include "platform/memory_file.hpp"

namespace baton::message {

CommunicatorView communicator_view;
void (*end_after_lost_message)() = nullptr;

void expect_leaving(Leaving leaving) {
  each_protocol([leaving](Protocol& protocol) { protocol.expect_leaving(leaving); });
}

int loss_of_any(Process process) {
  const int* errors = engine.lost.errors;
  return errors ? platform::load_shared(errors[number_of(process)]) : 0;
}

Error explain_loss(Process process) {
  return protocol_of(process).explain_loss(process, loss_of(process));
}

// ---- A grace for what needs all ranks
//
// A rank may die when it has done its part of a collective, and others may hear of its death before
// they have done theirs. So a collective of a communicator that has lost a rank goes on for a while
// from the death, or from its beginning, on: what it has of the dead may be enough. If it is not,
// it fails, and with it all later ones at this rank. (Without the option to go on, nobody waits.)

namespace {

std::int64_t grace_ns() {
  constexpr std::int64_t ms = 10, oversubscribed_ms = 100, ns_per_ms = 1'000'000;  // guess
  if (!transport::job().continues) return 0;
  if (settings.failure_grace_ms >= 0) return settings.failure_grace_ms * ns_per_ms;
  return (engine.oversubscribed ? oversubscribed_ms : ms) * ns_per_ms;
}

void begin_grace() {
  if (const std::int64_t grace = grace_ns())
    platform::store_shared(engine.lost.grace_end_ns, platform::now_ns() + grace);
}

bool is_cut_off(const void* owner) {
  return owner && communicator_view.is_cut_off && communicator_view.is_cut_off(owner);
}

// Returns whether what needs all ranks of a communicator that has lost one goes on.
bool has_grace(const void* owner) {
  const std::int64_t end = platform::load_shared(engine.lost.grace_end_ns);
  return owner && end && !is_cut_off(owner) && platform::now_ns() < end;
}

}  // namespace

void cut_off(const void* owner) {
  if (owner && communicator_view.cut_off) communicator_view.cut_off(owner);
}

bool note_loss(Process process, int error) {
  if (process == engine.self || loss_of_any(process)) return false;
  if (!engine.lost.errors)
    engine.lost.errors =
        static_cast<int*>(platform::make_private_memory(LostPeers::table_bytes, page_bytes));
  if (!engine.lost.errors) return false;  // whoever waits for it asks again
  begin_grace();
  // relaxed, here and below: whoever sees it late looks again.
  std::atomic_ref(engine.lost.errors[number_of(process)]).store(error, std::memory_order_relaxed);
  std::atomic_ref(engine.lost.any).store(true, std::memory_order_relaxed);
  platform::add_shared(engine.lost.count, 1u);
  note_shortcuts();
  if (!is_of_own_job(process)) return true;  // its number means nothing to others
  std::atomic_ref(engine.lost.any_of_own_job).store(true, std::memory_order_relaxed);
  // relaxed: as for the word below.
  if (transport::spans_nodes())
    transport::process_entry(process).lost.store(1, std::memory_order_relaxed);
  // relaxed: whoever has to see it hears of us first, by what orders memory.
  std::atomic_ref(transport::job().lost_process)
      .store((static_cast<std::uint64_t>(error) << 32) | (number_of(process) + 1),
             std::memory_order_relaxed);
  return true;
}

void end_what_is_lost() {
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    const auto process = static_cast<Process>(i);
    if (Peer* peer = loss_of_any(process) ? known_peer(process) : nullptr)
      peer->protocol->end_lost(*peer);
  }
  fail_lost_sends();
  fail_lost_receives();
}

void note_revoked() {
  // relaxed: whoever sees it late looks again.
  std::atomic_ref(engine.lost.any).store(true, std::memory_order_relaxed);
  note_shortcuts();
}

void note_none_revoked() {
  if (platform::load_shared(engine.lost.count) != 0) return;
  // relaxed: as above.
  std::atomic_ref(engine.lost.any).store(false, std::memory_order_relaxed);
  note_shortcuts();
}

void Protocol::fail_request(Request& request, Error error) {
  complete(request, error);
}

Error Protocol::explain_loss(Process process, int error) const {
  return fail(error_process_failed, "rank %u is gone (%s)", world_rank(process),
              std::strerror(error));
}

namespace {

bool is_revoked(const void* owner) {
  return owner && communicator_view.is_revoked && communicator_view.is_revoked(owner);
}
Error explain_revoked() {
  return fail(error_revoked,
              "the communicator, window or file is revoked (MPIX_Comm_revoke and the like); "
              "MPIX_Comm_shrink makes a communicator of the ranks that are left");
}

bool is_acknowledged(const void* owner, Process process) {
  return communicator_view.has_acknowledged && communicator_view.has_acknowledged(owner, process);
}

// Returns whether messages of a context are of the program, so that they need their partner only.
bool is_of_program(std::uint32_t context) {
  const auto plane = static_cast<Plane>(context % plane_count);
  return plane == Plane::point_to_point || plane == Plane::partitioned;
}

// Returns whether a receive can never end for want of a lost process: of the one it names (source),
// else of any of the communicator; one that has left normally, or whose loss was acknowledged,
// counts where all are needed.
bool lacks_one(const void* owner, std::int32_t source, bool needs_all, Process& found) {
  if (owner && source >= 0) {
    found = communicator_view.process(owner, source);
    return loss_of_any(found) != 0;
  }
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    found = static_cast<Process>(i);
    const int loss = loss_of_any(found);
    if (!loss || !(needs_all || loss != left_normally)) continue;
    if (!(owner ? communicator_view.has(owner, found) : is_of_own_job(found))) continue;
    if (needs_all || !owner || !is_acknowledged(owner, found)) return true;
  }
  return false;
}

bool lacks_one(const Request& receive, Process& found) {
  const bool program = is_of_program(receive.context);
  const std::int32_t source = program ? receive.source : MPI_ANY_SOURCE;
  return lacks_one(receive.owner, source, !program, found);
}

// Returns whether a receive goes on when the program has acknowledged what its wait tells.
bool is_only_interrupted(const Request& receive) {
  return receive.heap && receive.source == MPI_ANY_SOURCE && is_of_program(receive.context) &&
         !is_revoked(receive.owner);
}

// Takes posted receives that nobody will answer out of a queue.
void take_lost(MatchQueue& queue, List<Request>& list, List<Request>& lost) {
  for (Request* receive = list.first; receive;) {
    Request* next = receive->next;
    if (failure_of_any(*receive)) {
      if (is_only_interrupted(*receive))
        interrupt(*receive);
      else if (may_take_back(*receive) && close_advert(*receive) && take_back(queue, *receive))
        lost.push(receive);
    }
    receive = next;
  }
}

// Why a send that waits fails, whose receiver lives; MPI_SUCCESS: it does not.
Error failure_of_send(const Request& send) {
  if (is_revoked(send.owner)) return explain_revoked();
  const bool needs_all = send.owner && !is_of_program(send.context);
  return needs_all ? broken_of_any(send.owner) : Error{MPI_SUCCESS};
}

// Takes sends that wait for space at a peer, and that nobody will receive, out of its queue.
void take_lost(Peer& peer, List<Request>& lost) {
  platform::Guard guard(peer.send_lock);
  Request* before = nullptr;
  for (Request* send = peer.queued.first; send;) {
    Request* next = send->next;
    if (send->kind == RequestKind::send && send->position == 0 && failure_of_send(*send)) {
      peer.queued.take_after(before);
      platform::add_shared(engine.queued_count, ~0u);
      lost.push(send);
    } else {
      before = send;
    }
    send = next;
  }
}

}  // namespace

Error failure_of_any(const Request& receive) {
  Process process;
  if (is_revoked(receive.owner)) return explain_revoked();
  if (receive.owner && !is_of_program(receive.context)) return broken_of_any(receive.owner);
  return lacks_one(receive, process) ? explain_loss(process) : Error{MPI_SUCCESS};
}

bool fail_lost_sends() {
  List<Request> lost;
  for (std::uint32_t i = 0; i < engine.process_count; ++i)
    if (Peer* peer = known_peer(static_cast<Process>(i));
        peer && platform::load_shared(peer->queued.first))
      take_lost(*peer, lost);
  each_protocol_in_progress([&lost](Protocol& protocol) {
    protocol.take_back_sends([](const Request& send) { return failure_of_send(send) != 0; }, lost);
  });
  for (Request* send = lost.first; send;) {
    Request* next = send->next;
    complete(*send, failure_of_send(*send));
    send = next;
  }
  return lost.first != nullptr;
}

bool fail_lost_receives() {
  List<Request> lost;
  each_queue([&lost](MatchQueue& queue) {
    for (List<Request>& list : queue.posted) take_lost(queue, list, lost);
    take_lost(queue, queue.posted_any, lost);
  });
  for (Request* receive = lost.first; receive;) {
    Request* next = receive->next;
    receive->bytes = 0;
    const Error error = failure_of_any(*receive);
    complete(*receive, error ? error : Error{MPI_ERR_OTHER});
    receive = next;
  }
  return lost.first != nullptr;
}

void resume_pending(const void* owner) {
  each_queue([owner](MatchQueue& queue) {
    for (Request* receive = queue.posted_any.first; receive; receive = receive->next)
      if (receive->owner == owner) resume(*receive);
  });
}

namespace {

// Returns whether any rank of a communicator is lost.
bool lacks_any(const void* owner, Process& found) {
  return owner && lacks_one(owner, MPI_ANY_SOURCE, true, found);
}

}  // namespace

Error broken_of_any(const void* owner) {
  Process process;
  if (is_revoked(owner)) return explain_revoked();
  if (!lacks_any(owner, process) || has_grace(owner)) return MPI_SUCCESS;
  cut_off(owner);
  return explain_loss(process);
}

bool is_impaired(const void* owner) {
  Process process;
  return has_lost_peers() && (is_revoked(owner) || lacks_any(owner, process));
}

Error revoked_of_any(const void* owner) {
  return is_revoked(owner) ? explain_revoked() : Error{MPI_SUCCESS};
}

Error refused_of_any(const Context& context) {
  if (is_revoked(context.owner)) return explain_revoked();
  Process process;
  if (is_of_program(context.send_id) || !lacks_any(context.owner, process)) return MPI_SUCCESS;
  if (!is_cut_off(context.owner)) begin_grace();
  return broken_of_any(context.owner);
}

Error lost_source_of_any(const Context& context, std::int32_t source) {
  Process process;
  if (is_revoked(context.owner)) return explain_revoked();
  return lacks_one(context.owner, source, false, process) ? explain_loss(process) : MPI_SUCCESS;
}

Error loss_found_here(const Context& context) {
  // relaxed: see note_loss.
  const std::uint64_t told =
      std::atomic_ref(transport::job().lost_process).load(std::memory_order_relaxed);
  if (BATON_LIKELY(told == 0)) return MPI_SUCCESS;
  const auto last = static_cast<Process>((told & 0xffffffff) - 1);
  for (std::int32_t rank = 0; rank < context.size; ++rank) {
    const Process process = context.process(rank);
    if (!is_of_own_job(process)) continue;
    // relaxed: see note_loss.
    const bool is_lost =
        transport::spans_nodes()
            ? transport::process_entry(process).lost.load(std::memory_order_relaxed) != 0
            : process == last;
    if (is_lost) return protocol_of(process).explain_loss(process, static_cast<int>(told >> 32));
  }
  return MPI_SUCCESS;
}

}  // namespace baton::message
