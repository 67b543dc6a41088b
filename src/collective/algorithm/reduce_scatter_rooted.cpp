// Reduce_scatter, block form included: rank 0 reduces the whole vector and hands out its parts.
#include "collective/algorithm/reduce_binomial.hpp"
#include "collective/algorithm/scatter_linear.hpp"

namespace baton::collective {

Task reduce_scatter_rooted(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
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
  co_await reduce_on_tree(run, context, whole, contribution, all.buffer, 0);
  co_await scatter_from_root(run, context, all, mine, 0);
}

}  // namespace baton::collective
