// One copy from the sender's buffer to the receiver's. The receiver pulls; of longer messages both
// sides take pieces, the sender as soon as it looks: if it computes or has lost its CPU, it takes
// none. Used by the rendezvous and what the sender pushes.
#pragma once

#include "message/node/node_messages.hpp"

namespace baton::message {

// Copies the offered buffer at once where that is the way; false when it is not, or was refused.
bool pull(const UnexpectedMessage& unexpected, Request& receive);
// Pulls what is left of a stream in that its sender has not begun; false when it has, or the kernel
// refuses. Not among threads: it is one long copy.
bool take_back_stream(Request& receive);
// Copies what its sender copies, too; false when our kernel refused. Whether the sender took part.
bool copy_together(transport::RendezvousEntry& entry, NodePeer& sender, const char* source,
                   Request& receive, bool* pushed);
// The size of its pieces; 0: too short for that.
std::uint32_t piece_bytes(std::int64_t bytes);
// The sender's side of it: copies pieces while there are any, or so many; how many.
std::uint64_t push_pieces(transport::RendezvousEntry& entry, Request& send, std::uint64_t most);

}  // namespace baton::message
