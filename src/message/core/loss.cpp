#include "message/core/loss.hpp"

#include <cstring>

#include "message/core/deliver.hpp"
#include "message/core/engine.hpp"
#include "message/core/meeting.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
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

bool note_loss(Process process, int error) {
  if (process == engine.self || loss_of_any(process)) return false;
  if (!engine.lost.errors)
    engine.lost.errors =
        static_cast<int*>(platform::make_private_memory(LostPeers::table_bytes, page_bytes));
  if (!engine.lost.errors) return false;  // whoever waits for it asks again
  // relaxed, here and below: whoever sees it late looks again.
  std::atomic_ref(engine.lost.errors[number_of(process)]).store(error, std::memory_order_relaxed);
  std::atomic_ref(engine.lost.any).store(true, std::memory_order_relaxed);
  if (!is_of_own_job(process)) return true;  // its number means nothing to others
  std::atomic_ref(engine.lost.any_of_own_job).store(true, std::memory_order_relaxed);
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
  fail_lost_receives();
}

void Protocol::fail_request(Request& request, Error error) {
  complete(request, error);
}

Error Protocol::explain_loss(Process process, int error) const {
  return fail(MPI_ERR_OTHER, "rank %u is gone (%s)", world_rank(process), std::strerror(error));
}

namespace {

// Returns whether a receive can never end for want of a lost process: of the one it names (source),
// else of any of the communicator; one that has left normally counts where all are needed.
bool lacks_one(const void* owner, std::int32_t source, bool needs_all, Process& found) {
  if (owner && source >= 0) {
    found = communicator_view.process(owner, source);
    return loss_of_any(found) != 0;
  }
  for (std::uint32_t i = 0; i < engine.process_count; ++i) {
    found = static_cast<Process>(i);
    const int loss = loss_of_any(found);
    if (loss && (needs_all || loss != left_normally) &&
        (owner ? communicator_view.has(owner, found) : is_of_own_job(found)))
      return true;
  }
  return false;
}

bool lacks_one(const Request& receive, Process& found) {
  const auto plane = static_cast<Plane>(receive.context % plane_count);
  const bool is_of_program = plane == Plane::point_to_point || plane == Plane::partitioned;
  const std::int32_t source = is_of_program ? receive.source : MPI_ANY_SOURCE;
  return lacks_one(receive.owner, source, !is_of_program, found);
}

// Takes posted receives that nobody will answer out of a queue.
void take_lost(MatchQueue& queue, List<Request>& list, List<Request>& lost) {
  Process process;
  for (Request* receive = list.first; receive;) {
    Request* next = receive->next;
    if (lacks_one(*receive, process) && close_advert(*receive) && take_back(queue, *receive))
      lost.push(receive);
    receive = next;
  }
}

}  // namespace

bool fail_lost_receives() {
  List<Request> lost;
  each_queue([&lost](MatchQueue& queue) {
    for (List<Request>& list : queue.posted) take_lost(queue, list, lost);
    take_lost(queue, queue.posted_any, lost);
  });
  for (Request* receive = lost.first; receive;) {
    Request* next = receive->next;
    Process process;
    receive->bytes = 0;
    complete(*receive, lacks_one(*receive, process) ? explain_loss(process) : Error{MPI_ERR_OTHER});
    receive = next;
  }
  return lost.first != nullptr;
}

Error lost_source_of_any(const Context& context, std::int32_t source) {
  Process process;
  return lacks_one(context.owner, source, false, process) ? explain_loss(process) : MPI_SUCCESS;
}

Error loss_found_here(const Context& context) {
  // relaxed: see note_loss.
  const std::uint64_t told =
      std::atomic_ref(transport::job().lost_process).load(std::memory_order_relaxed);
  if (BATON_LIKELY(told == 0)) return MPI_SUCCESS;
  const auto lost = static_cast<Process>((told & 0xffffffff) - 1);
  for (std::int32_t rank = 0; rank < context.size; ++rank)
    if (is_of_own_job(context.process(rank)) &&
        place_of(context.process(rank)).node == place_of(lost).node)
      return protocol_of(lost).explain_loss(lost, static_cast<int>(told >> 32));
  return MPI_SUCCESS;
}

}  // namespace baton::message
