// Peers that are lost: their host, their process or the way there is gone. What of this rank fails
// then, and who is told. Losses are found by protocols, which alone know why; what is here holds
// for all. Used by protocols, by probes and waits, and by world/, which knows when a process may
// leave. By default nobody finds a loss within a node: there the launcher ends the job. Invariant:
// what is lost stays lost.
#pragma once

#include <cerrno>
#include <cstdint>

#include "message/core/context.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

// Tells all protocols whether other processes of the job may end from now on.
void expect_leaving(Leaving leaving);

// Questions that the layer above answers about `owner`, a communicator. It is set before messages
// start.
struct CommunicatorView {
  // By a rank that can be addressed; this process where there is no such rank.
  Process (*process)(const void* owner, std::int32_t rank) = nullptr;
  bool (*has)(const void* owner, Process process) = nullptr;
  bool (*is_revoked)(const void* owner) = nullptr;
  // Returns whether the program knows of a loss, so that receives from any source wait for others.
  bool (*has_acknowledged)(const void* owner, Process process) = nullptr;
  // Returns whether a call that needs all ranks has failed by a loss; and takes note of that.
  bool (*is_cut_off)(const void* owner) = nullptr;
  void (*cut_off)(const void* owner) = nullptr;
};
extern CommunicatorView communicator_view;
// Ends the job after a message was lost that its send took for sent; explained. Set by who can.
extern void (*end_after_lost_message)();

// The error of a process of another job that has left its meeting with this one, as it may: whoever
// receives from any source waits for the others.
inline constexpr int left_normally = ESHUTDOWN;

// Returns whether any process is lost, or any communicator revoked.
inline bool has_lost_peers() {
  return BATON_UNLIKELY(platform::load_shared(engine.lost.any));
}
inline bool has_lost_peers_of_own_job() {
  return BATON_UNLIKELY(platform::load_shared(engine.lost.any_of_own_job));
}
// The error by which a process is lost, as its protocol counts errors; 0: it is not.
int loss_of_any(Process process);
inline int loss_of(Process process) {
  return has_lost_peers() ? loss_of_any(process) : 0;
}
// Explains the loss of a process, as the error of the requests that fail by it.
Error explain_loss(Process process);
// Why no message can come from a source any more, explained; MPI_SUCCESS: one can.
Error lost_source_of_any(const Context& context, std::int32_t source);
inline Error lost_source(const Context& context, std::int32_t source) {
  return has_lost_peers() ? lost_source_of_any(context, source) : MPI_SUCCESS;
}
// Takes note that a communicator is revoked, about which the view is asked. Not under a lock.
void note_revoked();
// Takes note that none is revoked any more.
void note_none_revoked();
// Returns why a call that needs all ranks of a communicator cannot go on: it is revoked, or a rank
// is lost, and what that one has done for the call is not enough; explained. All such calls fail
// from then on. MPI_SUCCESS: it may go on, for now.
Error broken_of_any(const void* owner);
inline Error broken(const void* owner) {
  return has_lost_peers() ? broken_of_any(owner) : MPI_SUCCESS;
}
// Returns whether a communicator is revoked, or has lost a rank.
bool is_impaired(const void* owner);
// Takes note that a call that needs all ranks of a communicator has failed by a loss.
void cut_off(const void* owner);
// Returns why nothing new can be begun with an object of a communicator's ranks: it is revoked.
Error revoked_of_any(const void* owner);
inline Error revoked(const void* owner) {
  return has_lost_peers() ? revoked_of_any(owner) : MPI_SUCCESS;
}
// Returns why a message on this context can neither be sent nor received, nor a call begun that
// needs all ranks: it is revoked, or, where all ranks are needed, such a call has failed by a loss.
Error refused_of_any(const Context& context);
inline Error refused(const Context& context) {
  return has_lost_peers() ? refused_of_any(context) : MPI_SUCCESS;
}
// Returns why a posted receive can never end, explained; MPI_SUCCESS: it may.
Error failure_of_any(const Request& receive);
inline Error failure_of(const Request& receive) {
  return has_lost_peers() ? failure_of_any(receive) : MPI_SUCCESS;
}
// Lets receives from any source on a communicator wait again, whose failures were acknowledged.
void resume_pending(const void* owner);

// Returns, if a rank of this node has found processes lost, the error of a context that has one of
// them, explained; or MPI_SUCCESS. Who has heard from that rank since then sees it.
Error loss_found_here(const Context& context);

// --- for protocols, under the progress lock.
// Takes note of a loss, by an error of the protocol's own; false: it is no news, or this process.
bool note_loss(Process process, int error);
// Ends what is under way with lost peers, and receives that nobody will answer. Called behind
// `note_loss`.
void end_what_is_lost();
// Ends sends that nobody will receive, and receives that nobody will answer, since some may have
// been begun later; returns whether there were any.
bool fail_lost_sends();
bool fail_lost_receives();
// Calls act(queue) for each queue with posted receives, under its lock.
template <class Act>
void each_queue(Act&& act) {
  platform::Guard guard(engine.queues.lock);
  for (MatchQueues::Leaf* leaf : engine.queues.leaves)
    for (std::uint32_t i = 0; leaf && i < MatchQueues::leaf_contexts; ++i)
      if (MatchQueue* queue = leaf->queues[i]) {
        platform::Guard matching(queue->lock);
        if (queue->posted_count) act(*queue);
      }
}

}  // namespace baton::message
