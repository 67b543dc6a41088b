// Reduce_scatter, block form included: rank 0 reduces the whole vector and hands out its parts.
#include "collective/algorithms.hpp"

namespace baton::collective {

Task reduce_scatter_rooted(Run& run, const Context& context, Vector whole, const void* contribution,
                           const Blocks& in) {
  const int size = context.size, rank = context.rank;
  Blocks all = in, mine = in;
  mine.uniform = in.count(rank);
  mine.counts = nullptr;
  if (rank == 0) {
    all.buffer = run.scratch(whole.count, *whole.type);
    const std::int64_t* first = first_elements(run, in, size);
    if (!all.buffer || !first) co_return;
    all.displacements = first;
    all.wide_displacements = true;
  }
  co_await reduce_binomial(run, context, whole, contribution, all.buffer, 0);
  co_await scatter_linear(run, context, all, mine, 0);
}

}  // namespace baton::collective
