// Scatter by direct copies: everyone copies its block from the root's, few at a time.
#include "collective/direct.hpp"
#include "collective/direct_copy.hpp"

namespace baton::collective {

Task scatter_direct(Run& run, Meeting first, Meeting last, const Blocks& all, const Blocks& mine,
                    int root, Task otherwise) {
  DirectCopy copies(run, first, last);
  const bool is_root = copies.rank() == root;
  const void* blocks =
      is_root ? packed(run, all.buffer, all.uniform * copies.ranks(), *all.type) : nullptr;
  const std::int64_t bytes =
      is_root ? all.uniform * all.type->size : mine.uniform * mine.type->size;
  co_await meet_for_copies(run, copies, blocks, nullptr, bytes, !is_root || blocks);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  if (!is_root) {
    co_await copies.turn(root);
    copies.pull(root, copies.rank() * bytes, mine.buffer, mine.uniform, *mine.type);
  } else if (!mine.in_place()) {
    run.copy(all.place(root), all.uniform, *all.type, mine.buffer, mine.uniform, *mine.type);
  }
  co_await end_copies(run, copies, is_root);
}

}  // namespace baton::collective
