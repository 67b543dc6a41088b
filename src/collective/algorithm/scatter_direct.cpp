// Scatter by direct copies: everyone copies its block from the root's buffer, few at a time. A rank
// that may not copy gets its block by a message.
#include "collective/algorithm.hpp"
#include "collective/room/direct_copy.hpp"

namespace baton::collective {

Task scatter_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Blocks& all = call.out;
  const Blocks& mine = call.in;
  const int root = call.root;
  DirectCopy copies(run, first, last);
  if (copies.rank() == root) {
    const void* blocks = packed(run, all.buffer, all.uniform * copies.ranks(), *all.type);
    co_await copies.told.may_write();
    copies.tell(blocks, nullptr, all.uniform * all.type->size, blocks);
    if (!mine.in_place())
      run.copy(all.place(root), all.uniform, *all.type, mine.buffer, mine.uniform, *mine.type);
    co_await copies.done.may_write();
    copies.say_done();
    co_await copies.done.all_arrived();
    for (int i = 0; i < copies.ranks() - 1; ++i)
      if (const int r = copies.other(i); !copies.has_copied(r))
        run.send(run.call.comm->collective, all.place(r), all.uniform, *all.type, r);
    copies.done.finish_exchange();
    co_await run.all();
    co_return;
  }
  const std::int64_t bytes = mine.uniform * mine.type->size;
  co_await copies.heard(root);
  copies.agree_with(root, bytes, true);
  if (copies.agreed()) {
    co_await copies.turn();
    copies.pull(root, copies.rank() * bytes, mine.buffer, mine.uniform, *mine.type);
  }
  co_await end_copies(run, copies, false);
  if (!copies.agreed()) co_await otherwise;
}

}  // namespace baton::collective
