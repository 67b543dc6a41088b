// Allreduce by direct copies: everyone combines a part of all vectors, which it reads in place, and
// writes the result into all ranks' buffers.
#include "collective/algorithm.hpp"
#include "collective/room/combine_direct.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

Task allreduce_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  DirectCopy copies(run, first, last);
  const int rank = copies.rank(), ranks = copies.ranks();
  const bool as_is = vector.type->contiguous;
  const TileMemory memory = as_is ? take_tile_memory(run, *vector.type) : TileMemory{};
  co_await meet_for_copies(run, copies, contribution, result, vector.count * vector.type->size,
                           memory.total);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  const std::int64_t size = vector.type->size;
  auto put = [&](std::int64_t at, const char* data, std::int64_t bytes) {
    platform::copy_run(static_cast<char*>(result) + at * size, data,
                       static_cast<std::size_t>(bytes));
    for (int i = 0; i < ranks - 1; ++i) copies.push(data, copies.other(i), at * size, bytes);
  };
  combine_direct(copies, memory, vector, vector.count * rank / ranks,
                 vector.count * (rank + 1) / ranks, put);
  co_await end_copies(run, copies);
}

}  // namespace baton::collective
