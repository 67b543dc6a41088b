// Meeting processes of another job on the same node: both sides take their slots in an arena that
// they share, and exchange messages through it from then on. The chapter on dynamic processes
// calls it; who makes the arena, and hands it to both, is the launcher's affair.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace baton::message {

// Takes slot `index` of the arena of meeting in the memory file `descriptor`, which is ours from
// here on. Its maker has written the place, the rank and the job of each slot's process. The
// processes of other jobs are known from then on: message::process_of finds them by their
// ProcessId. Called after start_messages, while no other thread is in the library: one that waits
// would keep the progress lock. Errors, explained: MPI_ERR_NO_MEM;
// MPI_ERR_OTHER: the file is no arena, the slot is taken, or this process has met one of them
// before.
[[nodiscard]] Error meet(int descriptor, std::uint32_t index);

// Frees what is kept of meetings when the engine stops.
void forget_meetings();

}  // namespace baton::message
