// Short operations on memory that only the kernel can copy. Those of one kind at one target are
// gathered until a synchronization wants them, or a few kilobytes are together. The target does
// them if it is in MPI (delegate.hpp), else the kernel moves them in one call, or for accumulates
// two. Called by the operations, which have found the spot, and by the synchronization.
// Invariant: operations of one origin are done in the order of its calls; none is left when an
// epoch, a flush or a request form ends.
#pragma once

#include "window/change.hpp"
#include "window/delegate.hpp"
#include "window/place.hpp"

namespace baton::window {

// Longer ones go by themselves at once. Guess: copies of so much cost what a system call does.
inline constexpr std::int64_t batch_bytes_max = 4096;

// Whether data is one run of bytes that a batch may hold.
inline bool is_short_run(const Data& data) {
  return data.type->contiguous && data.bytes() <= batch_bytes_max;
}
inline bool is_short_run(const Place& place) {
  return place.type->contiguous && place.bytes() <= batch_bytes_max;
}

// Takes in an operation, or false: it cannot, and nothing is left in the batch.
[[nodiscard]] bool batch_put(Window& window, const Spot& spot, const Data& from, Error* error);
[[nodiscard]] bool batch_get(Window& window, const Spot& spot, const Data& to, Error* error);
[[nodiscard]] bool batch_accumulate(Window& window, const Spot& spot, const Elements& elements,
                                    const Data& from, const Operation& operation, Error* error);

// An operation with a result, at once; false: the target has not done it, nor will.
[[nodiscard]] bool delegate_get_accumulate(Window& window, const Spot& spot,
                                           const Elements& elements, const Data* from,
                                           const Data& result, const Operation& operation,
                                           Error* error);
[[nodiscard]] bool delegate_compare_and_swap(Window& window, const Spot& spot, const Datatype& type,
                                             const void* from, const void* expected, void* result,
                                             Error* error);

// Does what is gathered, for targets of whatever window: the slot is free. Under `delegation_lock`.
[[nodiscard]] Error empty_slot();
// Does what is gathered for targets of this window.
BATON_COLD Error finish_gathered(Window& window);
inline Error finish_batch(Window& window) {
  // ORDER window.batch: acquire here, release in finish_under_lock; another thread has done it all.
  return BATON_UNLIKELY(std::atomic_ref(window.gathered).load(std::memory_order_acquire))
             ? finish_gathered(window)
             : MPI_SUCCESS;
}

}  // namespace baton::window
