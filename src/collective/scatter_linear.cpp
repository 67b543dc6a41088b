// Scatter, v form included: the root to each rank directly.
#include "collective/algorithms.hpp"

namespace baton::collective {

Task scatter_linear(Run& run, const Context& context, const Blocks& all, const Blocks& mine,
                    int root) {
  if (context.rank != root) {
    run.receive(context, mine.buffer, mine.count(0), *mine.type, root);
  } else {
    for (int r = 0; r < context.size; ++r)
      if (r != root) run.send(context, all.place(r), all.count(r), *all.type, r);
    if (!mine.in_place())
      run.copy(all.place(root), all.count(root), *all.type, mine.buffer, mine.count(0), *mine.type);
  }
  co_await run.all();
}

}  // namespace baton::collective
