#include "window/operate.hpp"

#include "platform/copy.hpp"
#include "window/count.hpp"
#include "window/reach.hpp"
#include "window/spot.hpp"

namespace baton::window {

namespace {

BATON_COLD Error lengths_differ(std::int64_t here, std::int64_t there) {
  return fail(MPI_ERR_TYPE,
              "the origin has %lld bytes of data, the target %lld; counts and datatypes must "
              "describe as much on both sides",
              static_cast<long long>(here), static_cast<long long>(there));
}

// Moves data that is not one run in mapped memory. `memory`: where the place is mapped, if
// find_mapped has found it.
[[gnu::noinline]] Error move_elsewhere(Window& window, const Data& data, const Place& place,
                                       char* memory, WindowOperation operation) {
  Spot spot{nullptr, memory, 0};
  if (!memory) {
    if (Error error = find_spot(window, place, &spot)) return error;
    if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  }
  const std::int64_t bytes = data.bytes();
  if (BATON_UNLIKELY(bytes != place.bytes())) return lengths_differ(bytes, place.bytes());
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  count_operation(window, bytes, spot, operation);
  const Reach& reach = reach_of(spot);
  return operation == WindowOperation::put ? reach.put(window, spot, data, place)
                                           : reach.get(window, spot, data, place);
}

}  // namespace

Error put(Window& window, const Data& from, const Place& to) {
  char* const memory = find_mapped(window, to);
  if (BATON_UNLIKELY(!memory || !is_alike(from, to)))
    return move_elsewhere(window, from, to, memory, WindowOperation::put);
  note_stores(window);
  platform::copy_run(memory, from.buffer, static_cast<std::size_t>(from.bytes()));
  return MPI_SUCCESS;
}

Error get(Window& window, const Data& to, const Place& from) {
  char* const memory = find_mapped(window, from);
  if (BATON_UNLIKELY(!memory || !is_alike(to, from)))
    return move_elsewhere(window, to, from, memory, WindowOperation::get);
  // The compiler must reload memory that others have put to since.
  lockfree::Hardware::compiler_fence();
  platform::copy_run(to.buffer, memory, static_cast<std::size_t>(to.bytes()));
  return MPI_SUCCESS;
}

}  // namespace baton::window
