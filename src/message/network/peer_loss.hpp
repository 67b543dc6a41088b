// Peers on other nodes that are lost: how a rank that waits notices, what of it fails then, and how
// others are told. Used by the network's progress (network.cpp), by probes, and by world/, which
// knows when a process may leave. Only jobs of several nodes come here.
// Invariant: what is lost stays lost; under the progress lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "message/core/context.hpp"

namespace baton::message {

// Whether a process may end without having failed.
enum class Leaving : std::uint8_t { any_time, together, has_begun, is_over };

// What the layer that knows communicators says of `owner`, which is one.
struct CommunicatorView {
  // By a rank that can be addressed; this process where there is no such rank.
  Process (*process)(const void* owner, std::int32_t rank) = nullptr;
  bool (*has)(const void* owner, Process process) = nullptr;
};
extern CommunicatorView communicator_view;

// Ends the job after a message was lost that its send took for sent; explained. Set by who can.
extern void (*end_after_lost_message)();

// At start and end, with the network.
void start_peer_watch();
void stop_peer_watch();
void expect_leaving(Leaving leaving);
// Whether this process does not end before all have met: until then all that was sent leaves. Else
// it has to be told of each packet that it has left.
void expect_to_meet_at_the_end(bool expected);
// Whether peers may be gone from now on, since all of them have come to their end.
void expect_peers_to_leave(bool expected);

// A peer cannot be reached any more: explained, as the error of what was on its way there.
Error lost_peer(Process process, int network_error);
// The same for a packet whose send was taken for over.
void lost_packet(Process process, int network_error);

// In progress that has found nothing: looks, now and then, whether peers are still there.
void look_after_peers();

// Of what a rank of this node has found lost: the error of a context that has ranks there,
// explained; or MPI_SUCCESS. Who has heard from that rank since then sees it.
Error loss_found_here(const Context& context);

extern std::atomic<bool> any_peer_lost;
inline bool has_lost_peers() {
  // relaxed: whoever sees it late looks again.
  return BATON_UNLIKELY(any_peer_lost.load(std::memory_order_relaxed));
}
// Whether its host was ever heard of: what is lost was there.
bool was_reached(Process process);
// libfabric's error by which a process is lost; 0: it is not.
int loss_of_any(Process process);
inline int loss_of(Process process) {
  return has_lost_peers() ? loss_of_any(process) : 0;
}
// Why no message can come from a source any more, explained; MPI_SUCCESS: one can.
Error lost_source_of_any(const Context& context, std::int32_t source);
inline Error lost_source(const Context& context, std::int32_t source) {
  return has_lost_peers() ? lost_source_of_any(context, source) : MPI_SUCCESS;
}

}  // namespace baton::message
