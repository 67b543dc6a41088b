// Peers on other nodes that are lost: how a rank that waits notices, what of it fails then, and how
// others are told. Used by the network's progress (network.cpp), by probes, and by world/, which
// knows when a process may leave. Only jobs of several nodes come here.
// Invariant: what is lost stays lost; under the progress lock.
#pragma once

#include "base/cache_line.hpp"
#include "message/context.hpp"

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

// At start and end, with the network.
void start_peer_watch();
void stop_peer_watch();
void expect_leaving(Leaving leaving);

// In progress that has found nothing: looks, now and then, whether peers are still there.
void look_after_peers();

extern bool any_peer_lost;
// Whether its host was ever heard of: what is lost was there.
bool was_reached(Process process);
// libfabric's error by which a process is lost; 0: it is not.
int loss_of_any(Process process);
inline int loss_of(Process process) {
  return BATON_LIKELY(!any_peer_lost) ? 0 : loss_of_any(process);
}
// Why no message can come from a source any more, explained; MPI_SUCCESS: one can.
Error lost_source_of_any(const Context& context, std::int32_t source);
inline Error lost_source(const Context& context, std::int32_t source) {
  return BATON_LIKELY(!any_peer_lost) ? MPI_SUCCESS : lost_source_of_any(context, source);
}

}  // namespace baton::message
