#include "window/spot.hpp"

#include <algorithm>

#include "datatype/runs.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/reach.hpp"
#include "window/synchronize.hpp"

namespace baton::window {

namespace {

BATON_COLD Error out_of_range(const Window& window, const Place& place, std::int64_t first,
                              std::int64_t last) {
  const Target& target = window.targets[place.rank];
  if (window.is_dynamic())
    return fail(MPI_ERR_RMA_RANGE,
                "argument target_disp: bytes %#llx to %#llx are not attached to the window at rank "
                "%d; displacements there are addresses of MPI_Get_address at the target",
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(last),
                place.rank);
  return fail(MPI_ERR_RMA_RANGE,
              "argument target_disp: the operation reaches bytes %lld to %lld of the window of "
              "rank %d, which has %lld bytes (displacement unit %lld)",
              static_cast<long long>(first), static_cast<long long>(last), place.rank,
              static_cast<long long>(target.bytes), static_cast<long long>(target.unit));
}

// Saturating sum and product: no wrong displacement wraps around into the window.
std::int64_t plus(std::int64_t one, std::int64_t other) {
  std::int64_t sum;
  if (BATON_LIKELY(!__builtin_add_overflow(one, other, &sum))) return sum;
  return other > 0 ? INT64_MAX : INT64_MIN;
}
std::int64_t times(std::int64_t displacement, std::int64_t unit) {
  std::int64_t bytes;
  if (BATON_LIKELY(!__builtin_mul_overflow(displacement, unit, &bytes))) return bytes;
  return (displacement > 0) == (unit > 0) ? INT64_MAX : INT64_MIN;
}

// This is the range of bytes that data covers, relative to its address.
struct Extent {
  std::int64_t first;
  std::int64_t last;  // behind the last byte
};
Extent extent_of(const Place& place) {
  const Datatype& type = *place.type;
  if (BATON_LIKELY(type.contiguous)) return {0, place.bytes()};
  if (place.bytes() == 0) return {0, 0};
  const std::int64_t steps = (place.count - 1) * type.extent;
  return {type.true_lower_bound + std::min<std::int64_t>(0, steps),
          type.true_lower_bound + type.true_extent + std::max<std::int64_t>(0, steps)};
}

// Finds where data with gaps lies, run by run: the gaps need not be attached.
Lies find_runs(Window& window, const Place& place, bool* is_foreign) {
  Lies all = Lies::attached;
  datatype::for_each_run(*place.type, reinterpret_cast<char*>(place.displacement), place.count,
                         [&](char* run, std::int64_t bytes) {
                           lockfree::WindowRegion region;
                           const Lies lies =
                               find_region(window, window.targets[place.rank],
                                           reinterpret_cast<std::uint64_t>(run), bytes, &region);
                           if (lies != Lies::attached) all = lies;
                           if (lies != Lies::nowhere) *is_foreign |= region.is_foreign;
                           return lies != Lies::nowhere;
                         });
  return all;
}

// Returns memory of another rank that is mapped here and stays mapped, whatever its owner does; or
// null.
char* reach_for_sure(const Target& target, std::uint64_t first, std::uint64_t bytes) {
  const auto* address = reinterpret_cast<const char*>(first);
  char* memory = transport::exported_heap.reach(target.local_rank, address);
  return memory && transport::exported_heap.reach(target.local_rank, address + bytes - 1) ? memory
                                                                                          : nullptr;
}

// Only the target reaches this memory.
Error note_foreign(Window& window, Spot* spot) {
  spot->is_foreign = true;
  platform::store_shared(spot->target->has_foreign, true);
  platform::store_shared(window.sends, true);
  return MPI_SUCCESS;
}

BATON_COLD Error find_dynamic(Window& window, const Place& place, const Extent& extent,
                              Spot* spot) {
  Target& target = *spot->target;
  const auto address = static_cast<std::uint64_t>(place.displacement);
  const std::uint64_t first = address + static_cast<std::uint64_t>(extent.first);
  const std::int64_t bytes = extent.last - extent.first;
  spot->address = address;
  spot->memory = nullptr;
  if (target.reach->is_remote()) return MPI_SUCCESS;  // the target checks the range
  if (bytes == 0) return MPI_SUCCESS;
  lockfree::WindowRegion region;
  Lies lies = find_region(window, target, first, bytes, &region);
  const bool in_runs = lies == Lies::nowhere && !place.type->contiguous;
  bool is_foreign = lies != Lies::nowhere && region.is_foreign;
  if (in_runs) lies = find_runs(window, place, &is_foreign);
  const bool own = target.local_rank == transport::own_rank();
  if (lies == Lies::nowhere || (own && lies == Lies::detached && !is_usable(window, first, bytes)))
    return out_of_range(window, place, plus(place.displacement, extent.first),
                        plus(place.displacement, extent.last));
  if (is_foreign) return note_foreign(window, spot);
  if (in_runs) region = {first, static_cast<std::uint64_t>(bytes)};
  char* memory = reinterpret_cast<char*>(region.address);
  if (own) {
    // The memory is this rank's own.
  } else if (in_runs || lies == Lies::detached) {
    memory = reach_for_sure(target, region.address, region.bytes);
  } else {
    // The whole region is mapped, so that the next operation finds it mapped.
    memory = transport::map({target.local_rank, memory}, region.bytes);
  }
  if (memory) spot->memory = memory + (address - region.address);
  return MPI_SUCCESS;
}

// Finds the target, if it may be accessed; null: there is nothing to do.
inline Error begin_spot(Window& window, const Place& place, Spot* spot) {
  if (BATON_UNLIKELY(place.rank == MPI_PROC_NULL)) {
    spot->target = nullptr;
    return MPI_SUCCESS;
  }
  Target& target = window.targets[place.rank];
  if (Error error = check_access(window, target)) return error;
  reach(window, target);
  spot->target = &target;
  return MPI_SUCCESS;
}

// Finds the spot in windows whose memory does not change.
inline Error find_static(const Window& window, const Place& place, const Extent& extent,
                         Spot* spot) {
  const Target& target = *spot->target;
  const std::int64_t offset = times(place.displacement, target.unit);
  const std::int64_t first = plus(offset, extent.first), end = plus(offset, extent.last);
  if (BATON_UNLIKELY(first < 0 || end > target.bytes) && extent.last > extent.first)
    return out_of_range(window, place, first, end);
  spot->memory = target.memory ? target.memory + offset : nullptr;
  spot->address = target.address + static_cast<std::uint64_t>(offset);
  return MPI_SUCCESS;
}

}  // namespace

Error find_usual_spot(Window& window, const Place& place, Spot* spot) {
  if (Error error = begin_spot(window, place, spot)) return error;
  return BATON_LIKELY(spot->target) ? find_static(window, place, extent_of(place), spot)
                                    : MPI_SUCCESS;
}

Error find_special_spot(Window& window, const Place& place, Spot* spot) {
  Error error = begin_spot(window, place, spot);
  if (error || !spot->target) return error;
  const Extent extent = extent_of(place);
  return window.is_dynamic() ? find_dynamic(window, place, extent, spot)
                             : find_static(window, place, extent, spot);
}

}  // namespace baton::window
