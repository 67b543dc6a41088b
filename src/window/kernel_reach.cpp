// Memory that only the kernel can copy. Short operations are gathered in the batch, where the
// target may carry them out; long runs may go by streams; all else the kernel moves at once.
#include <cstring>

#include "datatype/runs.hpp"
#include "window/batch.hpp"
#include "window/kernel_change.hpp"
#include "window/kernel_copy.hpp"
#include "window/packed.hpp"
#include "window/pair.hpp"
#include "window/stream.hpp"

namespace baton::window {

namespace {

enum class Direction { put, get };

// Moves data through the kernel: one run at once, short runs together.
template <Direction direction>
class KernelMove {
 public:
  KernelMove(Window& window, const Spot& spot, char* packed)
      : window_(window), spot_(spot), packed_(packed) {}

  Error add(char* there, std::int64_t bytes) {
    if (bytes <= together_bytes_max) {
      if (!runs_.has_room())
        if (Error error = move_runs()) return error;
      runs_.add(there, static_cast<std::size_t>(bytes));
      return MPI_SUCCESS;
    }
    if (Error error = move_runs()) return error;
    const auto address = reinterpret_cast<std::uint64_t>(there);
    Error error = direction == Direction::put ? write_spot(window_, spot_, address, packed_, bytes)
                                              : read_spot(window_, spot_, address, packed_, bytes);
    packed_ += bytes;
    return error;
  }
  Error move_runs() {
    if (runs_.is_empty()) return MPI_SUCCESS;
    Error error = direction == Direction::put ? write_spot(window_, spot_, runs_, packed_)
                                              : read_spot(window_, spot_, runs_, packed_);
    packed_ += runs_.bytes();
    runs_.clear();
    return error;
  }

 private:
  static constexpr std::int64_t together_bytes_max = 4096;  // guess
  Window& window_;
  const Spot& spot_;
  char* packed_;
  platform::ProcessRuns runs_;
};

template <Direction direction>
Error move(Window& window, const Spot& spot, const Data& data, const Place& place) {
  if (is_short_run(data) && is_short_run(place)) {
    Error error = MPI_SUCCESS;
    if (direction == Direction::put ? batch_put(window, spot, data, &error)
                                    : batch_get(window, spot, data, &error))
      return error;
  }
  if (data.type->contiguous && place.type->contiguous)
    return direction == Direction::put
               ? put_long_run(window, spot, static_cast<char*>(data.buffer), data.bytes())
               : get_long_run(window, spot, static_cast<char*>(data.buffer), data.bytes());
  Packed packed(&data, direction == Direction::put);
  if (!packed.has_memory()) return no_memory_for(data.bytes());
  KernelMove<direction> move(window, spot, packed.bytes());
  Error error = MPI_SUCCESS;
  datatype::for_each_run(*place.type, reinterpret_cast<void*>(spot.address), place.count,
                         [&](char* there, std::int64_t bytes) {
                           error = move.add(there, bytes);
                           return error == MPI_SUCCESS;
                         });
  if (!error) error = move.move_runs();
  if (direction == Direction::get && !error) packed.unpack();
  return error;
}

class KernelReach final : public Reach {
 public:
  constexpr KernelReach() : Reach(ReachWay::kernel) {}

  Error put(Window& window, const Spot& spot, const Data& from, const Place& to) const override {
    return move<Direction::put>(window, spot, from, to);
  }

  Error get(Window& window, const Spot& spot, const Data& to, const Place& from) const override {
    return move<Direction::get>(window, spot, to, from);
  }

  Error change(Window& window, const Spot& spot, const Accumulate& what) const override {
    const bool is_run = what.elements.type && what.is_array();
    const bool is_short = is_run && is_short_run(what.at);
    Error error = MPI_SUCCESS;
    if (is_short && (what.result ? delegate_get_accumulate(window, spot, what, &error)
                                 : batch_accumulate(window, spot, what, &error)))
      return error;
    // The operations of one origin are done in the order of its calls, so what the batch holds goes
    // first.
    if ((error = finish_batch(window))) return error;
    if (is_run && !is_short && !what.result) return accumulate_long_run(window, spot, what);
    if (!is_short) return change_by_kernel(window, spot, what);
    const OwnWay own_way;
    return change_by_kernel(window, spot, what);
  }

  Error swap(Window& window, const Spot& spot, const Datatype& type, const void* from,
             const void* expected, void* result) const override {
    Error error = MPI_SUCCESS;
    if (delegate_compare_and_swap(window, spot, type, from, expected, result, &error)) return error;
    const OwnWay own_way;
    const auto bytes = static_cast<std::size_t>(type.size);
    ElementHold hold(window, *spot.target, 1, false);
    hold.keep_locked();
    char there[element_bytes_max];
    if ((error = read_spot(window, spot, spot.address, there, type.size))) return error;
    if (std::memcmp(there, expected, bytes) == 0)
      error = write_spot(window, spot, spot.address, from, type.size);
    std::memcpy(result, there, bytes);
    return error;
  }

  Error flush(Window& window, Target&) const override { return finish_batch(window); }
};

constinit const KernelReach by_kernel;

}  // namespace

constinit const Reach& kernel_reach = by_kernel;

}  // namespace baton::window
