// Peers on other nodes that are lost: how a rank that waits notices, and how others are told. What
// fails then says core/loss.hpp. Used by the network's protocol, under the progress lock.
#pragma once

#include "base/error.hpp"
#include "base/identity.hpp"
#include "message/core/loss.hpp"

namespace baton::message {

// At start of a job on one node, which others may tell of losses: hears of them, and of goodbyes.
void hear_of_losses();
// At start and end, with the network. The start hears of these, too.
void start_peer_watch();
void stop_peer_watch();
// Nobody is watched any more: all may leave.
void end_peer_watch();

// In progress that has found nothing: looks, now and then, whether peers are still there.
void look_after_peers();

// Tells all processes of other nodes that one of this node has died.
void tell_other_nodes(Process process);
// Takes note that a process of another node has died, as all others are told by their launcher.
void note_death(Process process);

// Returns whether its host was ever heard of: what is lost was there.
bool was_reached(Process process);
// A peer cannot be reached any more: explained, as the error of what was on its way there.
Error lost_peer(Process process, int network_error);
// A packet has not left whose send was taken for over.
void lost_packet(Process process, int network_error);

}  // namespace baton::message
