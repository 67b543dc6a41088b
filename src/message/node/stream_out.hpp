// Staging and streams, the sender's side: the beginning of a send that nobody has matched goes into
// the receiver's staging at once, and the rest through a staging buffer once it is asked for. Used
// by the rendezvous.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

inline constexpr std::int64_t bytes_per_round = 262144;  // guess: fair to other peers

// Takes a span of staging for the beginning of a send that nobody has matched, and says how much of
// it may go at once: 0 when it should wait for its match, or wait_for_space. Under the send lock.
inline constexpr std::int64_t wait_for_space = -1;
std::int64_t open_early(NodePeer& peer, Request& send, bool exported);
// Undoes it: no line has named the span.
void close_early(NodePeer& peer, Request& send);
// Writes it. The line that names the staging buffer is out.
void fill_early(NodePeer& peer, Request& send, std::int64_t bytes);
// Returns whether another thread still does.
bool is_filling(Request& send);
// A send's receiver has asked for the rest; under the progress lock, as what follows.
void start_stream_out(Request& send);
// Goes on with all of them; whether anything happened.
bool advance_streams_out(NodeMessages& node);
// Takes those to a receiver that is lost out.
void drop_streams_out(NodePeer& receiver);

}  // namespace baton::message
