// Gather by direct copies: everyone copies its block to the root's buffer, few at a time. A rank
// sends its block in a message if it may not copy, or if the root's type does not take blocks as
// they are.
#include "collective/algorithm.hpp"
#include "collective/room/direct_copy.hpp"

namespace baton::collective {

Task gather_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int root = call.root;
  DirectCopy copies(run, first, last);
  if (copies.rank() == root) {
    co_await copies.told.may_write();
    copies.tell(nullptr, all.buffer, all.uniform * all.type->size, all.type->contiguous);
    if (!mine.in_place())
      run.copy(mine.buffer, mine.uniform, *mine.type, all.place(root), all.uniform, *all.type);
    co_await copies.done.may_write();
    copies.say_done();
    co_await copies.done.all_arrived();
    for (int i = 0; i < copies.ranks() - 1; ++i)
      if (const int r = copies.other(i); !copies.has_copied(r))
        run.receive(run.call.comm->collective, all.place(r), all.uniform, *all.type, r);
    copies.done.finish_exchange();
    co_await run.all();
    co_return;
  }
  const std::int64_t bytes = mine.uniform * mine.type->size;
  const void* block = packed(run, mine.buffer, mine.uniform, *mine.type);
  co_await copies.heard(root);
  copies.agree_with(root, bytes, block);
  if (copies.agreed()) {
    co_await copies.turn();
    copies.push(block, root, copies.rank() * bytes, bytes);
  }
  co_await end_copies(run, copies, false);
  if (!copies.agreed()) co_await otherwise;
}

}  // namespace baton::collective
