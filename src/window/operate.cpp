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

// `memory`: where the place is mapped, if find_mapped has found it.
[[gnu::noinline]] Error put_elsewhere(Window& window, const Data& from, const Place& to,
                                      char* memory) {
  Spot spot{nullptr, memory, 0};
  if (!memory) {
    if (Error error = find_spot(window, to, &spot)) return error;
    if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  }
  const std::int64_t bytes = from.bytes();
  if (BATON_UNLIKELY(bytes != to.bytes())) return lengths_differ(bytes, to.bytes());
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  count_operation(window, bytes, spot, WindowOperation::put);
  return reach_of(spot).put(window, spot, from, to);
}

[[gnu::noinline]] Error get_elsewhere(Window& window, const Data& to, const Place& from,
                                      char* memory) {
  Spot spot{nullptr, memory, 0};
  if (!memory) {
    if (Error error = find_spot(window, from, &spot)) return error;
    if (BATON_UNLIKELY(!spot.target)) return MPI_SUCCESS;
  }
  const std::int64_t bytes = to.bytes();
  if (BATON_UNLIKELY(bytes != from.bytes())) return lengths_differ(bytes, from.bytes());
  if (BATON_UNLIKELY(bytes == 0)) return MPI_SUCCESS;
  count_operation(window, bytes, spot, WindowOperation::get);
  return reach_of(spot).get(window, spot, to, from);
}

}  // namespace

Error put(Window& window, const Data& from, const Place& to) {
  char* const memory = find_mapped(window, to);
  if (BATON_UNLIKELY(!memory || !is_alike(from, to)))
    return put_elsewhere(window, from, to, memory);
  note_stores(window);
  platform::copy_run(memory, from.buffer, static_cast<std::size_t>(from.bytes()));
  return MPI_SUCCESS;
}

Error get(Window& window, const Data& to, const Place& from) {
  char* const memory = find_mapped(window, from);
  if (BATON_UNLIKELY(!memory || !is_alike(to, from)))
    return get_elsewhere(window, to, from, memory);
  // The compiler must reload memory that others have put to since.
  lockfree::Hardware::compiler_fence();
  platform::copy_run(to.buffer, memory, static_cast<std::size_t>(to.bytes()));
  return MPI_SUCCESS;
}

}  // namespace baton::window
