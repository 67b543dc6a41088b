// Memory that only the kernel can copy. Short operations are gathered in the batch, where the
// target may carry them out; long runs may go by streams; all else the kernel moves at once.
#include <cstring>

#include "datatype/runs.hpp"
#include "window/batch.hpp"
#include "window/kernel_copy.hpp"
#include "window/one_sided.hpp"
#include "window/packed.hpp"
#include "window/pair.hpp"
#include "window/stream.hpp"

namespace baton::window {

namespace {

// Moves data through the kernel: one run at once, short runs together.
Error move_runs(Direction direction, Window& window, const Spot& spot, const Data& data,
                const Place& place) {
  constexpr std::int64_t together_bytes_max = 4096;  // guess
  Packed packed(&data, direction == Direction::put);
  if (!packed.has_memory()) return no_memory_for(data.bytes());
  char* here = packed.bytes();
  platform::ProcessRuns runs;
  auto move_together = [&] {
    if (runs.is_empty()) return Error{MPI_SUCCESS};
    const Error error = copy_spot(direction, window, spot, runs, here);
    here += runs.bytes();
    runs.clear();
    return error;
  };
  Error error = MPI_SUCCESS;
  datatype::for_each_run(*place.type, reinterpret_cast<void*>(spot.address), place.count,
                         [&](char* there, std::int64_t bytes) {
                           const bool is_short = bytes <= together_bytes_max;
                           if (!is_short || !runs.has_space()) error = move_together();
                           if (error) return false;
                           if (is_short) {
                             runs.add(there, static_cast<std::size_t>(bytes));
                             return true;
                           }
                           error = copy_spot(direction, window, spot,
                                             reinterpret_cast<std::uint64_t>(there), here, bytes);
                           here += bytes;
                           return error == MPI_SUCCESS;
                         });
  if (!error) error = move_together();
  if (direction == Direction::get && !error) packed.unpack();
  return error;
}

Error move(Direction direction, Window& window, const Spot& spot, const Data& data,
           const Place& place) {
  const WorkKind kind = direction == Direction::put ? WorkKind::put : WorkKind::get;
  Error error = MPI_SUCCESS;
  if (is_short_run(data) && is_short_run(place) &&
      batch_run(window, spot, kind, data, nullptr, nullptr, &error))
    return error;
  if (data.is_run() && place.is_run())
    return move_long_run(direction, window, spot, static_cast<char*>(data.buffer), data.bytes());
  return move_runs(direction, window, spot, data, place);
}

class KernelReach final : public Reach {
 public:
  constexpr KernelReach() : Reach(ReachWay::kernel) {}

  Error put(Window& window, const Spot& spot, const Data& from, const Place& to) const override {
    return move(Direction::put, window, spot, from, to);
  }

  Error get(Window& window, const Spot& spot, const Data& to, const Place& from) const override {
    return move(Direction::get, window, spot, to, from);
  }

  Error change(Window& window, const Spot& spot, const Accumulate& what) const override {
    const bool is_run = what.elements.type && what.is_array();
    const bool is_short = is_run && is_short_run(what.at);
    Error error = MPI_SUCCESS;
    if (is_short && (what.result ? delegate_get_accumulate(window, spot, what, &error)
                                 : batch_run(window, spot, WorkKind::accumulate, *what.from,
                                             &what.elements, &what.operation, &error)))
      return error;
    // The operations of one origin are done in the order of its calls, so what the batch holds goes
    // first.
    if ((error = finish_batch(window))) return error;
    if (is_run && !is_short && !what.result) return accumulate_long_run(window, spot, what);
    if (!is_short) return change_by_kernel(window, spot, what);
    const OwnWay own_way(one_sided.delegation);
    return change_by_kernel(window, spot, what);
  }

  Error swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
             const void* expected, void* result) const override {
    Error error = MPI_SUCCESS;
    if (delegate_compare_and_swap(window, spot, type, from, expected, result, &error)) return error;
    const OwnWay own_way(one_sided.delegation);
    const auto bytes = static_cast<std::size_t>(type.size);
    ElementHold hold(window, *spot.target, 1, false);
    if (hold.error()) return hold.error();
    hold.keep_locked();
    char there[element_bytes_max];
    if ((error = copy_spot(Direction::get, window, spot, spot.address, there, type.size)))
      return error;
    if (std::memcmp(there, expected, bytes) == 0)
      error =
          copy_spot(Direction::put, window, spot, spot.address, const_cast<void*>(from), type.size);
    std::memcpy(result, there, bytes);
    return error;
  }

  Error flush(Window& window, Target&) const override { return finish_batch(window); }
};

constinit const KernelReach by_kernel;

}  // namespace

constinit const Reach& kernel_reach = by_kernel;

}  // namespace baton::window
