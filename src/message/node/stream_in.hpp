// Staging and streams, the receiver's side: takes out what a sender fills in. Used by the
// rendezvous, under the progress lock.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// --- early bytes. Copies them behind their sender: to the receive, which may want fewer, or to
// memory. False when the sender has died in the midst. The span is the caller's to give back.
bool take_early(const UnexpectedMessage& unexpected, Request& receive);
bool take_early(const UnexpectedMessage& unexpected, char* target);
// They are not wanted.
void skip_early(const UnexpectedMessage& unexpected);
// Returns whether they are all there.
bool is_filled(const UnexpectedMessage& unexpected);
// Gives back the staging buffer of a message that is over, unless it is leased, or ours now.
void give_back(const lockfree::StagingSpan& span, NodePeer& sender);

// --- streams
// Numbers the stream that the receive will be; it goes on by itself from when its staging buffer is
// known.
std::uint32_t open_stream(Request& receive);
// Asks the sender of a claimed message for what its early bytes do not hold.
void ask_for_stream(Process sender, std::int32_t slot, Request& receive);
void start_stream_in(Request& receive);
void arrive_staging_buffer(NodePeer& peer, const StagingBufferLine& line);
// Goes on with all of them; whether anything came.
bool advance_streams_in(NodeMessages& node);
// Ends the streams of a sender that is lost with this error; the second, one of which nothing more
// comes.
void fail_streams_in(const Peer& sender, Error error);
void end_stream_in(Request& receive, Error error);
// Returns the receive that a stream fills.
Request& receive_of(NodeMessages& node, std::uint32_t stream);
// A peer has gone on in its lease: the stream that went through it before lies there complete.
// Takes it out, so that what we say we have emptied is true of all before.
void catch_up(const Peer& peer);
// The cost of a staged message, in ticks: the receiver's time, or its sender's if that was
// longer, which shows when many are under way; both if each of the two had its own to send
// meanwhile.
transport::MoveCost cost_of_staged(const Request& receive, bool both_busy);

}  // namespace baton::message
