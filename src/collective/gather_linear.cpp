// Gather, v form included: each rank to the root directly.
#include "collective/algorithms.hpp"

namespace baton::collective {

Task gather_linear(Run& run, const Context& context, const Blocks& mine, const Blocks& all,
                   int root) {
  if (context.rank != root) {
    run.send(context, mine.buffer, mine.count(0), *mine.type, root);
  } else {
    for (int r = 0; r < context.size; ++r)
      if (r != root) run.receive(context, all.place(r), all.count(r), *all.type, r);
    if (!mine.in_place())
      run.copy(mine.buffer, mine.count(0), *mine.type, all.place(root), all.count(root), *all.type);
  }
  co_await run.all();
}

}  // namespace baton::collective
