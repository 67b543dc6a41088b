// Start and end of this process's messages: the engine, and the protocol that each kind of peer
// has. The only file of this folder that knows them all. Called by world/.
#pragma once

#include "base/error.hpp"

namespace baton::message {

// The node's memory is attached. Explained.
[[nodiscard]] Error start_messages();
// Before the node's memory is detached. The library itself lets messages end with the process: a
// program may still call it after MPI_Finalize.
void stop_messages();

}  // namespace baton::message
