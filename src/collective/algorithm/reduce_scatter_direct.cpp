// Reduce_scatter by direct copies: everyone combines its part of all vectors, which it reads in
// place. If the call is in place, a rank keeps the result aside until nobody reads its vector any
// more.
#include "collective/algorithm.hpp"
#include "collective/room/combine_direct.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

Task reduce_scatter_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
  DirectCopy copies(run, first, last);
  const bool as_is = whole.type->contiguous, in_place = contribution == in.buffer;
  const std::int64_t size = whole.type->size, count = in.count(copies.rank());
  const TileMemory memory = as_is ? take_tile_memory(run, *whole.type) : TileMemory{};
  void* kept = in_place ? run.take(static_cast<std::size_t>(count * size) + 1) : in.buffer;
  co_await meet_for_copies(run, copies, contribution, nullptr, whole.count * size,
                           memory.total && (kept || !in_place));
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  std::int64_t begin = 0;
  for (int r = 0; r < copies.rank(); ++r) begin += in.count(r);
  combine_direct(copies, memory, whole, begin, begin + count,
                 [&](std::int64_t at, const char* data, std::int64_t bytes) {
                   platform::copy_run(static_cast<char*>(kept) + (at - begin) * size, data,
                                      static_cast<std::size_t>(bytes));
                 });
  co_await end_copies(run, copies);
  if (in_place) platform::copy_run(in.buffer, kept, static_cast<std::size_t>(count * size));
}

}  // namespace baton::collective
