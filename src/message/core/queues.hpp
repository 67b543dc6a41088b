// The match queues of context ids.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// The queue of a context id, made when first asked for: a message may come before its communicator
// is complete on this side. Null when memory is short.
MatchQueue* queue_for(std::uint32_t context);
// Drops the queue of a context that no communicator uses any more.
void drop_queue(std::uint32_t context);
// Drops all of them.
void forget_queues();
// Drops what nobody has received of processes that are about to be forgotten.
void drop_unexpected_of(std::uint32_t first, std::uint32_t count);

// The queue of a context; ends the job without memory.
MatchQueue& queue_of(std::uint32_t context);

}  // namespace baton::message
