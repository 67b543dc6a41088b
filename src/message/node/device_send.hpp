// Messages to device memory of another process of the node, which the sender copies there: the
// receiver publishes its allocation and asks for the data as for a stream (stream_in.hpp), and the
// sender says when all of it is there. A sender that cannot copy streams through host memory.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// --- the receiver
// Returns where the allocation of a receive is published whose sender had better copy all behind
// `position` to it; 0: it is received otherwise.
std::uint64_t publish_device_memory(NodePeer& sender, const Request& receive,
                                    std::int64_t position);
// All of a stream was copied.
void arrive_device_sent(NodePeer& sender, const DeviceSentLine& line);

// --- the sender, under the progress lock
// The receiver of a send has published its device memory.
void start_device_send(NodePeer& receiver, Request& send, const CtsLine& line);
// Goes on with those that are under way; whether anything happened.
bool advance_device_sends(NodeMessages& node);
// Takes those to a receiver that is lost out.
void drop_device_sends(NodePeer& receiver);

}  // namespace baton::message
