// Allgather by direct copies: everyone copies all others' blocks.
#include "collective/algorithm.hpp"
#include "collective/room/direct_copy.hpp"

namespace baton::collective {

Task allgather_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  DirectCopy copies(run, first, last);
  const int rank = copies.rank();
  const void* block = mine.in_place() ? packed(run, all.place(rank), all.uniform, *all.type)
                                      : packed(run, mine.buffer, mine.uniform, *mine.type);
  co_await meet_for_copies(run, copies, block, nullptr, all.bytes(0), block);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  for (int i = 0; i < copies.ranks() - 1; ++i) {
    const int from = copies.other(i);
    copies.pull(from, 0, all.place(from), all.uniform, *all.type);
  }
  if (!mine.in_place())
    run.copy(mine.buffer, mine.uniform, *mine.type, all.place(rank), all.uniform, *all.type);
  co_await end_copies(run, copies);
}

}  // namespace baton::collective
