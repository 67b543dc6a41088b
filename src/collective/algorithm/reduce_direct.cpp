// Reduce by direct copies: everyone combines a part of all vectors, which it reads in place, and
// writes the result into the root's buffer.
#include "collective/algorithm.hpp"
#include "collective/room/combine_direct.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

Task reduce_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const int root = call.root;
  DirectCopy copies(run, first, last);
  const int rank = copies.rank(), ranks = copies.ranks();
  const bool as_is = vector.type->contiguous;
  const TileMemory memory = as_is ? take_tile_memory(run, *vector.type) : TileMemory{};
  co_await meet_for_copies(run, copies, contribution, rank == root ? result : nullptr,
                           vector.count * vector.type->size, memory.total);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  const std::int64_t size = vector.type->size;
  auto put = [&](std::int64_t at, const char* data, std::int64_t bytes) {
    if (rank == root)
      platform::copy_run(static_cast<char*>(result) + at * size, data,
                         static_cast<std::size_t>(bytes));
    else
      copies.push(data, root, at * size, bytes);
  };
  combine_direct(copies, memory, vector, vector.count * rank / ranks,
                 vector.count * (rank + 1) / ranks, put);
  co_await end_copies(run, copies);
}

}  // namespace baton::collective
