#include "window/operate.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "datatype/pack.hpp"
#include "datatype/runs.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "transport/heap.hpp"
#include "transport/node.hpp"
#include "transport/single_copy.hpp"
#include "window/batch.hpp"
#include "window/count.hpp"
#include "window/remote.hpp"
#include "window/stream.hpp"
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

BATON_COLD Error lengths_differ(std::int64_t here, std::int64_t there) {
  return fail(MPI_ERR_TYPE,
              "the origin has %lld bytes of data, the target %lld; counts and datatypes must "
              "describe as much on both sides",
              static_cast<long long>(here), static_cast<long long>(there));
}

// The bytes that data covers, from its address on.
struct Extent {
  std::int64_t first;
  std::int64_t last;  // behind it
};
Extent extent_of(const Place& place) {
  const Datatype& type = *place.type;
  if (BATON_LIKELY(type.contiguous)) return {0, place.bytes()};
  if (place.bytes() == 0) return {0, 0};
  const std::int64_t steps = (place.count - 1) * type.extent;
  return {type.true_lower_bound + std::min<std::int64_t>(0, steps),
          type.true_lower_bound + type.true_extent + std::max<std::int64_t>(0, steps)};
}

// Where data with gaps lies, each piece by itself: not all that it spans has to be attached.
Lies find_pieces(Window& window, const Place& place) {
  Lies all = Lies::attached;
  datatype::for_each_run(*place.type, reinterpret_cast<char*>(place.displacement), place.count,
                         [&](char* piece, std::int64_t bytes) {
                           lockfree::WindowRegion region;
                           const Lies lies =
                               find_region(window, window.targets[place.rank],
                                           reinterpret_cast<std::uint64_t>(piece), bytes, &region);
                           if (lies != Lies::attached) all = lies;
                           return lies != Lies::nowhere;
                         });
  return all;
}

// Memory of another rank that is mapped here and stays so, whatever its owner does; or null.
char* reach_for_sure(const Target& target, std::uint64_t first, std::uint64_t bytes) {
  const auto* address = reinterpret_cast<const char*>(first);
  char* memory = transport::reach_exported(target.local_rank, address);
  return memory && transport::reach_exported(target.local_rank, address + bytes - 1) ? memory
                                                                                     : nullptr;
}

BATON_COLD Error find_dynamic(Window& window, const Place& place, const Extent& extent,
                              Spot* spot) {
  Target& target = *spot->target;
  const auto address = static_cast<std::uint64_t>(place.displacement);
  const std::uint64_t first = address + static_cast<std::uint64_t>(extent.first);
  const std::int64_t bytes = extent.last - extent.first;
  spot->address = address;
  spot->memory = nullptr;
  if (spot->is_remote()) return MPI_SUCCESS;  // the target looks itself
  if (bytes == 0) return MPI_SUCCESS;
  lockfree::WindowRegion region;
  Lies lies = find_region(window, target, first, bytes, &region);
  const bool in_pieces = lies == Lies::nowhere && !place.type->contiguous;
  if (in_pieces) lies = find_pieces(window, place);
  const bool own = target.local_rank == transport::own_rank();
  if (lies == Lies::nowhere || (own && lies == Lies::detached && !is_usable(window, first, bytes)))
    return out_of_range(window, place, place.displacement + extent.first,
                        place.displacement + extent.last);
  if (in_pieces) region = {first, static_cast<std::uint64_t>(bytes)};
  char* memory = reinterpret_cast<char*>(region.address);
  if (own) {
    // It is here.
  } else if (in_pieces || lies == Lies::detached) {
    memory = reach_for_sure(target, region.address, region.bytes);
  } else {
    // All of the region, so that the next operation finds it mapped.
    memory = transport::reach(target.local_rank, memory, region.bytes);
  }
  if (memory) spot->memory = memory + (address - region.address);
  return MPI_SUCCESS;
}

// The target, if it may be accessed; null: nothing is to be done.
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

// Of windows whose memory does not change.
inline Error find_static(const Window& window, const Place& place, const Extent& extent,
                         Spot* spot) {
  const Target& target = *spot->target;
  std::int64_t offset, end;
  const bool wraps = __builtin_mul_overflow(place.displacement, target.unit, &offset) ||
                     __builtin_add_overflow(offset, extent.last, &end);
  if (BATON_UNLIKELY(wraps || offset + extent.first < 0 || end > target.bytes) &&
      extent.last > extent.first)
    return out_of_range(window, place, offset + extent.first, offset + extent.last);
  spot->memory = target.memory ? target.memory + offset : nullptr;
  spot->address = target.address + static_cast<std::uint64_t>(offset);
  return MPI_SUCCESS;
}

// For as long as mpiexec may need to notice that a rank has died. It then ends the job and says who
// it was, which an error of ours would hide.
void wait_for_the_end() {
  constexpr std::int64_t enough_ns = 10'000'000'000, nap_ns = 10'000'000;  // guess
  const std::int64_t end = platform::now_ns() + enough_ns;
  const timespec nap{0, nap_ns};
  while (platform::now_ns() < end) ::nanosleep(&nap, nullptr);
}

// Right after a copy that the kernel has refused; errno says why.
BATON_COLD Error kernel_refuses(const Window& window, const Spot& spot) {
  const int cause = errno, rank = window.rank_of(*spot.target);
  if (cause == EFAULT)
    return fail(MPI_ERR_RMA_RANGE,
                "at rank %d of the window some of the memory that the operation reaches is not "
                "mapped, though it is, or was, part of the window; keep it until nobody uses it",
                rank);
  if (cause == ESRCH) {
    wait_for_the_end();
    return fail(MPI_ERR_PROC_ABORTED, "rank %d of the window, whose memory is reached, has ended",
                rank);
  }
  return fail(
      MPI_ERR_UNSUPPORTED_OPERATION,
      "the kernel does not let this rank reach memory of rank %d of the window (it is not "
      "of MPI_Win_allocate or MPI_Alloc_mem, and cross-memory attach is not permitted); use "
      "MPI_Win_allocate, or permit it",
      rank);
}

LocalRank owner_of(const Window& window, const Target& target) {
  return window.targets[target.owner].local_rank;
}

}  // namespace

Error find_usual_spot(Window& window, const Place& place, Spot* spot) {
  if (Error error = begin_spot(window, place, spot)) return error;
  return BATON_LIKELY(spot->target) ? find_static(window, place, extent_of(place), spot)
                                    : MPI_SUCCESS;
}

Error find_special_spot(Window& window, const Place& place, Spot* spot, WindowOperation operation) {
  Error error = begin_spot(window, place, spot);
  if (error || !spot->target) return error;
  const Extent extent = extent_of(place);
  error = window.is_dynamic() ? find_dynamic(window, place, extent, spot)
                              : find_static(window, place, extent, spot);
  if (!error) count_operation(window, place.bytes(), *spot, operation);
  return error;
}

Error read_spot(Window& window, const Spot& spot, std::uint64_t address, void* to,
                std::int64_t bytes) {
  const LocalRank owner = owner_of(window, *spot.target);
  if (transport::read_by_kernel(owner, reinterpret_cast<const void*>(address), to, bytes))
    return MPI_SUCCESS;
  return kernel_refuses(window, spot);
}

Error write_spot(Window& window, const Spot& spot, std::uint64_t address, const void* from,
                 std::int64_t bytes) {
  const LocalRank owner = owner_of(window, *spot.target);
  if (transport::write_by_kernel(owner, from, reinterpret_cast<void*>(address), bytes))
    return MPI_SUCCESS;
  return kernel_refuses(window, spot);
}

Error read_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs, void* to) {
  if (transport::read_runs_from(owner_of(window, *spot.target), runs, to)) return MPI_SUCCESS;
  return kernel_refuses(window, spot);
}

Error write_spot(Window& window, const Spot& spot, const platform::ProcessRuns& runs,
                 const void* from) {
  if (transport::write_runs_to(owner_of(window, *spot.target), from, runs)) return MPI_SUCCESS;
  return kernel_refuses(window, spot);
}

Packed::Packed(const Data& data, bool filled) : data_(data) {
  if (data.type->contiguous) {
    bytes_ = static_cast<char*>(data.buffer);
    return;
  }
  const std::int64_t bytes = data.bytes();
  bytes_ = bytes <= static_cast<std::int64_t>(sizeof short_)
               ? short_
               : static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes)));
  if (bytes_ && filled) datatype::pack(*data.type, data.buffer, 0, bytes_, bytes);
}

void Packed::unpack() {
  if (!data_.type->contiguous)
    datatype::unpack(*data_.type, data_.buffer, 0, bytes_, data_.bytes());
}

Packed::~Packed() {
  if (!data_.type->contiguous && bytes_ != short_) std::free(bytes_);
}

namespace {

Error no_memory(std::int64_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes of data with gaps",
              static_cast<long long>(bytes));
}

enum class Direction { put, get };

// By the kernel: one run at once, short ones together.
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
BATON_COLD Error move_through_kernel(Window& window, const Data& data, const Place& place,
                                     const Spot& spot) {
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
  Packed packed(data, direction == Direction::put);
  if (!packed.has_memory()) return no_memory(data.bytes());
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

// Apart from put and get, so that their usual cases pay for nothing here.
[[gnu::noinline]] Error put_elsewhere(Window& window, const Data& from, const Place& to) {
  Spot spot;
  if (Error error = find_spot(window, to, &spot)) return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  const std::int64_t bytes = from.bytes();
  if (BATON_UNLIKELY(bytes != to.bytes())) return lengths_differ(bytes, to.bytes());
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  if (BATON_UNLIKELY(!spot.memory))
    return spot.is_remote() ? put_remotely(window, spot, from, to)
                            : move_through_kernel<Direction::put>(window, from, to, spot);
  note_stores(window);
  if (BATON_LIKELY(from.type->contiguous && to.type->contiguous))
    platform::copy_run(spot.memory, from.buffer, static_cast<std::size_t>(bytes));
  else
    datatype::copy(*from.type, from.buffer, *to.type, spot.memory, bytes);
  return MPI_SUCCESS;
}

[[gnu::noinline]] Error get_elsewhere(Window& window, const Data& to, const Place& from) {
  Spot spot;
  if (Error error = find_spot(window, from, &spot, WindowOperation::get)) return error;
  if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  const std::int64_t bytes = to.bytes();
  if (BATON_UNLIKELY(bytes != from.bytes())) return lengths_differ(bytes, from.bytes());
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  if (BATON_UNLIKELY(!spot.memory))
    return spot.is_remote() ? get_remotely(window, spot, to, from)
                            : move_through_kernel<Direction::get>(window, to, from, spot);
  // What others have put since is not to be taken from the compiler's memory.
  lockfree::Hardware::compiler_fence();
  if (BATON_LIKELY(from.type->contiguous && to.type->contiguous))
    platform::copy_run(to.buffer, spot.memory, static_cast<std::size_t>(bytes));
  else
    datatype::copy(*from.type, spot.memory, *to.type, to.buffer, bytes);
  return MPI_SUCCESS;
}

}  // namespace

Error put(Window& window, const Data& from, const Place& to) {
  char* const memory = find_mapped(window, to);
  if (BATON_UNLIKELY(!memory || !is_alike(from, to))) return put_elsewhere(window, from, to);
  note_stores(window);
  platform::copy_run(memory, from.buffer, static_cast<std::size_t>(from.bytes()));
  return MPI_SUCCESS;
}

Error get(Window& window, const Data& to, const Place& from) {
  char* const memory = find_mapped(window, from);
  if (BATON_UNLIKELY(!memory || !is_alike(to, from))) return get_elsewhere(window, to, from);
  lockfree::Hardware::compiler_fence();  // as above
  platform::copy_run(to.buffer, memory, static_cast<std::size_t>(to.bytes()));
  return MPI_SUCCESS;
}

}  // namespace baton::window
