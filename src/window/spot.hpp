// Where the place of an operation is (window/place.hpp), and whether the epoch lets it be accessed.
// Used by the operations, before anything else. Errors: MPI_ERR_RMA_SYNC outside an epoch,
// MPI_ERR_RMA_RANGE outside the target's memory; explained.
#pragma once

#include "base/one_sided.hpp"
#include "window/place.hpp"

namespace baton::window {

// Checks epoch and range. A null target: nothing is to be done. Counts it as an `operation`.
Error find_usual_spot(Window& window, const Place& place, Spot* spot);
BATON_COLD Error find_special_spot(Window& window, const Place& place, Spot* spot,
                                   WindowOperation operation);
inline Error find_spot(Window& window, const Place& place, Spot* spot,
                       WindowOperation operation = WindowOperation::put) {
  return BATON_LIKELY(!window.is_special) ? find_usual_spot(window, place, spot)
                                          : find_special_spot(window, place, spot, operation);
}

// Where a place is in most cases: contiguous, in mapped memory of a target that may be accessed.
// Null: it is another case, or wrong, and find_spot says which.
BATON_INLINE char* find_mapped(Window& window, const Place& place) {
  if (BATON_UNLIKELY(window.is_special || place.rank == MPI_PROC_NULL || !place.type->contiguous))
    return nullptr;
  const Target& target = window.targets[place.rank];
  if (BATON_UNLIKELY(target.way != Way::mapped || !(target.open || window.all_open)))
    return nullptr;
  std::int64_t offset, bytes;
  if (BATON_UNLIKELY(__builtin_mul_overflow(place.displacement, target.unit, &offset) ||
                     __builtin_mul_overflow(place.count, place.type->size, &bytes) || offset < 0 ||
                     offset > target.bytes - bytes))
    return nullptr;
  return target.memory + offset;
}
// By plain stores to mapped memory: a flush has to order them.
inline void note_stores(Window& window) {
  // relaxed: each thread that stores sets it itself.
  std::atomic_ref(window.dirty).store(true, std::memory_order_relaxed);
}
// Whether data of this rank is what the place holds, element by element.
inline bool is_alike(const Data& data, const Place& place) {
  return data.type == place.type && data.count == place.count;
}

}  // namespace baton::window
