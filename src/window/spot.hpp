// Finds where the place of an operation is (window/place.hpp), and whether the epoch lets it be
// accessed. The operations do this before anything else. Errors: MPI_ERR_RMA_SYNC outside an epoch,
// MPI_ERR_RMA_RANGE outside the target's memory; explained.
#pragma once

#include "window/place.hpp"

namespace baton::window {

// Checks epoch and range. A spot with a null target means that there is nothing to do.
Error find_usual_spot(Window& window, const Place& place, Spot* spot);
BATON_COLD Error find_special_spot(Window& window, const Place& place, Spot* spot);
inline Error find_spot(Window& window, const Place& place, Spot* spot) {
  return BATON_LIKELY(!window.is_special) ? find_usual_spot(window, place, spot)
                                          : find_special_spot(window, place, spot);
}

// Returns the address of a place in the most frequent case: contiguous, in mapped memory of a
// target that may be accessed. Null: it is another case, or wrong; find_spot tells which.
BATON_INLINE char* find_mapped(Window& window, const Place& place) {
  if (BATON_UNLIKELY(window.is_special || place.rank == MPI_PROC_NULL || !place.type->contiguous))
    return nullptr;
  const Target& target = window.targets[place.rank];
  if (BATON_UNLIKELY(!is_mapped(target) || !is_open(window, target))) return nullptr;
  std::int64_t offset, bytes;
  if (BATON_UNLIKELY(__builtin_mul_overflow(place.displacement, target.unit, &offset) ||
                     __builtin_mul_overflow(place.count, place.type->size, &bytes) || offset < 0 ||
                     offset > target.bytes - bytes))
    return nullptr;
  return target.memory + offset;
}
// Returns whether data of this rank has the same elements as the place, so that they can be copied
// as bytes.
inline bool is_alike(const Data& data, const Place& place) {
  return data.type == place.type && data.count == place.count;
}

}  // namespace baton::window
