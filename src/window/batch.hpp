// This is the batch of short operations on memory that only the kernel can copy. Operations of one
// kind at one target are gathered until a synchronization needs them done, or until a few kilobytes
// are together. Then the target does them if it is in MPI (delegate.hpp); else the kernel moves
// them in one call, or in two for accumulates. This is called by the operations, after they have
// found the spot, and by the synchronization.
// Invariant: operations of one origin are done in the order of its calls; the batch is empty when
// an epoch, a flush or a request form ends.
#pragma once

#include "window/reach.hpp"
#include "window/work.hpp"

namespace baton::window {

// Longer operations bypass the batch. Guess: a copy of this many bytes costs as much as a system
// call.
inline constexpr std::int64_t batch_bytes_max = 4096;

// Returns whether data is one run of bytes that is short enough for a batch.
template <class Side>
bool is_short_run(const Side& side) {
  return side.is_run() && side.bytes() <= batch_bytes_max;
}

// Puts an operation on one run, a put, get or accumulate, into the batch. Returns false if the
// batch cannot take it; the batch is then empty.
[[nodiscard]] bool batch_run(Window& window, const Spot& spot, WorkKind kind, const Data& data,
                             const Elements* elements, const Operation* operation, Error* error);

// Asks the target for an operation with a result, at once. Returns false if the target has not done
// it and never will.
[[nodiscard]] bool delegate_get_accumulate(Window& window, const Spot& spot, const Accumulate& what,
                                           Error* error);
[[nodiscard]] bool delegate_compare_and_swap(Window& window, const Spot& spot, const Datatype& type,
                                             const void* from, const void* expected, void* result,
                                             Error* error);

// Does the gathered operations, whichever window they belong to, and so frees the slot. The caller
// holds the lock of the slot.
[[nodiscard]] Error empty_slot();
// Does the gathered operations if they are for targets of this window.
BATON_COLD Error finish_gathered(Window& window);
inline Error finish_batch(Window& window) {
  // ORDER window.batch: acquire here, release in empty_slot; another thread has done it all.
  return BATON_UNLIKELY(std::atomic_ref(window.gathered).load(std::memory_order_acquire))
             ? finish_gathered(window)
             : MPI_SUCCESS;
}

}  // namespace baton::window
