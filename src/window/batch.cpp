#include "window/batch.hpp"

#include <cstring>

#include "window/kernel_copy.hpp"
#include "window/one_sided.hpp"
#include "window/refusal.hpp"

namespace baton::window {

namespace {

constexpr Delegation& delegation = one_sided.delegation;
constexpr Batch& batch = one_sided.batch;

// Calls `move` with runs of ranges that follow each other in memory without overlap, as many
// together as do, and with their data. (The kernel reads all ranges of a call before it writes any
// back.)
template <class Move>
Error for_each_ascending(Work& work, Move move) {
  platform::ProcessRuns runs;
  char* data = work.data;
  std::uint64_t end = 0;
  Error error = MPI_SUCCESS;
  for (std::uint32_t i = 0; i < work.ranges && !error; ++i) {
    const WorkRange range = work.range(i);
    if (!runs.is_empty() && (range.address < end || !runs.has_space())) {
      error = move(runs, data);
      data += runs.bytes();
      runs.clear();
    }
    runs.add(reinterpret_cast<const void*>(range.address), range.bytes);
    end = range.address + range.bytes;
  }
  return error ? error : move(runs, data);
}

Error accumulate_by_kernel(Window& window, Work& work) {
  const Spot spot = batch.spot(work);
  const Elements& elements = batch.elements;
  ElementHold hold(window, *batch.target, work.data_bytes / elements.bytes, false);
  if (hold.error()) return hold.error();
  hold.keep_locked();
  return for_each_ascending(work, [&](const platform::ProcessRuns& runs, const char* in) {
    alignas(16) char copy[Work::data_bytes_max];
    if (Error error = copy_spot(Direction::get, window, spot, runs, copy)) return error;
    change_plainly(elements.change, elements.bytes, in, copy, nullptr,
                   static_cast<std::int64_t>(runs.bytes()) / elements.bytes);
    return copy_spot(Direction::put, window, spot, runs, copy);
  });
}

Error move_by_kernel(Window& window, Work& work) {
  const Spot spot = batch.spot(work);
  if (batch.kind == WorkKind::accumulate) return accumulate_by_kernel(window, work);
  const Direction direction = batch.kind == WorkKind::put ? Direction::put : Direction::get;
  if (work.ranges == 1)
    return copy_spot(direction, window, spot, work.first.address, work.data,
                     static_cast<std::int64_t>(work.first.bytes));
  platform::ProcessRuns runs;
  for (std::uint32_t i = 0; i < work.ranges; ++i)
    runs.add(reinterpret_cast<const void*>(work.range(i).address), work.range(i).bytes);
  return copy_spot(direction, window, spot, runs, work.data);
}

// Returns the slot with space for one more operation, or null where there is no slot.
Work* space_for(Window& window, const Spot& spot, WorkKind kind, const Elements* elements,
                const Operation* operation, std::int64_t bytes, Error* error) {
  Work* work = delegation.own_work();
  if (!work) return nullptr;
  const bool fits = batch.window == &window && batch.target == spot.target && batch.kind == kind &&
                    batch.operation == operation &&
                    (!elements || batch.elements.type == elements->type) &&
                    work->has_space(static_cast<std::uint64_t>(bytes));
  if (BATON_LIKELY(fits)) return work;
  *error = empty_slot();
  batch.window = &window;
  batch.target = spot.target;
  batch.kind = kind;
  batch.operation = operation;
  if (elements) batch.elements = *elements;
  describe_work(*work, window, kind, elements ? elements->type : nullptr, operation);
  // relaxed: a thread only looks for operations that it began itself.
  std::atomic_ref(window.gathered).store(true, std::memory_order_relaxed);
  return work;
}

// Hands an operation with a result to the target at once; `fill` writes its data.
template <class Fill>
bool do_now(Window& window, const Spot& spot, WorkKind kind, const Datatype* type,
            const Operation* operation, std::int64_t bytes, void* result, Error* error, Fill fill) {
  platform::Guard guard(delegation.slot_lock);
  Work* work = delegation.own_work();
  if (!work || (*error = empty_slot())) return work != nullptr;
  describe_work(*work, window, kind, type, operation);
  char* data = work->add(spot.address, static_cast<std::uint64_t>(bytes));
  fill(data);
  if (!delegation.delegate(*spot.target, *work)) return false;
  if (work->error)
    *error = refused(window.rank_of(*spot.target), work->error);
  else
    std::memcpy(result, data, static_cast<std::size_t>(bytes));
  return true;
}

}  // namespace

bool batch_run(Window& window, const Spot& spot, WorkKind kind, const Data& data,
               const Elements* elements, const Operation* operation, Error* error) {
  platform::Guard guard(delegation.slot_lock);
  const std::int64_t bytes = data.bytes();
  Work* work = space_for(window, spot, kind, elements, operation, bytes, error);
  if (!work) return false;
  if (kind == WorkKind::get) batch.into[work->ranges] = static_cast<char*>(data.buffer);
  char* place = work->add(spot.address, static_cast<std::uint64_t>(bytes));
  if (kind != WorkKind::get) std::memcpy(place, data.buffer, static_cast<std::size_t>(bytes));
  return true;
}

bool delegate_get_accumulate(Window& window, const Spot& spot, const Accumulate& what,
                             Error* error) {
  const std::int64_t bytes = what.result->bytes();
  return do_now(window, spot, WorkKind::get_accumulate, what.elements.type, &what.operation, bytes,
                what.result->buffer, error, [&](char* data) {
                  if (what.from)
                    std::memcpy(data, what.from->buffer, static_cast<std::size_t>(bytes));
                });
}

bool delegate_compare_and_swap(Window& window, const Spot& spot, const Datatype& type,
                               const void* from, const void* expected, void* result, Error* error) {
  const auto bytes = static_cast<std::size_t>(type.size);
  return do_now(window, spot, WorkKind::compare_and_swap, &type, nullptr, type.size, result, error,
                [&](char* data) {
                  std::memcpy(data, from, bytes);
                  std::memcpy(data + bytes, expected, bytes);
                });
}

Error finish_gathered(Window& window) {
  platform::Guard guard(delegation.slot_lock);
  return batch.window == &window ? empty_slot() : MPI_SUCCESS;
}

Error empty_slot() {
  if (!batch.window) return MPI_SUCCESS;
  Window& window = *batch.window;
  Work& work = *delegation.own_work();
  Error error = MPI_SUCCESS;
  if (!delegation.delegate(*batch.target, work)) {
    const OwnWay own_way(delegation);
    error = move_by_kernel(window, work);
  } else if (work.error) {
    error = refused(window.rank_of(*batch.target), work.error);
  }
  const char* data = work.data;
  if (batch.kind == WorkKind::get && !error)
    for (std::uint32_t i = 0; i < work.ranges; ++i) {
      std::memcpy(batch.into[i], data, work.range(i).bytes);
      data += work.range(i).bytes;
    }
  work.ranges = work.data_bytes = 0;
  batch.window = nullptr;
  // ORDER window.batch: release here, acquire in finish_batch; what was got is in its place.
  std::atomic_ref(window.gathered).store(false, std::memory_order_release);
  return error;
}

}  // namespace baton::window
