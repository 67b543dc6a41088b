// Alltoall by direct copies: everyone copies its blocks from all others'.
#include "collective/algorithm.hpp"
#include "collective/room/direct_copy.hpp"

namespace baton::collective {

Task alltoall_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Blocks& out = call.out;
  const Blocks& in = call.in;
  DirectCopy copies(run, first, last);
  const int rank = copies.rank();
  const void* blocks = packed(run, out.buffer, out.uniform * copies.ranks(), *out.type);
  co_await meet_for_copies(run, copies, blocks, nullptr, in.bytes(0), blocks);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  for (int i = 0; i < copies.ranks() - 1; ++i) {
    const int from = copies.other(i);
    copies.pull(from, rank * in.bytes(0), in.place(from), in.uniform, *in.type);
  }
  run.copy(out.place(rank), out.uniform, *out.type, in.place(rank), in.uniform, *in.type);
  co_await end_copies(run, copies);
}

}  // namespace baton::collective
