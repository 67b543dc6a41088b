#include "window/operate.hpp"

#include "datatype/pack.hpp"
#include "datatype/runs.hpp"
#include "platform/copy.hpp"
#include "window/batch.hpp"
#include "window/kernel_copy.hpp"
#include "window/packed.hpp"
#include "window/remote.hpp"
#include "window/spot.hpp"
#include "window/stream.hpp"

namespace baton::window {

namespace {

BATON_COLD Error lengths_differ(std::int64_t here, std::int64_t there) {
  return fail(MPI_ERR_TYPE,
              "the origin has %lld bytes of data, the target %lld; counts and datatypes must "
              "describe as much on both sides",
              static_cast<long long>(here), static_cast<long long>(there));
}

Error no_memory(std::int64_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes of data with gaps",
              static_cast<long long>(bytes));
}

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

// This is apart from put and get, so that their usual cases do not pay for it.
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
  // The compiler must reload memory that others have put to since.
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
