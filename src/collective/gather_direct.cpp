// Gather by direct copies: everyone puts its block to the root, few at a time; the root copies
// those itself that its type does not take as they are.
#include "collective/direct.hpp"
#include "collective/direct_copy.hpp"

namespace baton::collective {

Task gather_direct(Run& run, Meeting first, Meeting last, const Blocks& mine, const Blocks& all,
                   int root, Task otherwise) {
  DirectCopy copies(run, first, last);
  const bool is_root = copies.rank() == root;
  const void* block = is_root ? nullptr : packed(run, mine.buffer, mine.uniform, *mine.type);
  const bool takes_as_is = is_root && all.type->contiguous;
  const std::int64_t bytes =
      is_root ? all.uniform * all.type->size : mine.uniform * mine.type->size;
  co_await meet_for_copies(run, copies, block, takes_as_is ? all.buffer : nullptr, bytes,
                           is_root || block);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  const bool pushes = !is_root && copies.is_wanted_by(root);
  if (pushes) {
    co_await copies.turn(root);
    copies.push(block, root, copies.rank() * bytes, bytes);
  }
  if (is_root && !mine.in_place())
    run.copy(mine.buffer, mine.uniform, *mine.type, all.place(root), all.uniform, *all.type);
  for (int i = 0; is_root && !takes_as_is && i < copies.ranks() - 1; ++i) {
    const int from = copies.other(i);
    copies.pull(from, 0, all.place(from), all.uniform, *all.type);
  }
  co_await end_copies(run, copies, !pushes);
}

}  // namespace baton::collective
