// Reduce along a binomial tree: everyone's partial result climbs it. Each partial result holds the
// ranks from its own on, so rank order is kept where the tree's root is rank 0.
#include <utility>

#include "collective/algorithm/reduce_binomial.hpp"
#include "collective/serving.hpp"

namespace baton::collective {

namespace {

// Combines the children's results into `own` as they come, not in the children's order. This is for
// operations that commute, where the program asked for it (order=status), since the last bits of
// floating-point results then vary from call to call. `from_top` is how far we are from the tree's
// top.
Task combine_by_arrival(Run& run, const Context& context, Vector vector, void* own, int from_top,
                        int top) {
  struct Child {
    const message::Request* request;
    void* data;
  };
  Child children[32];
  int count = 0;
  for (int mask = 1; mask < context.size && !(from_top & mask); mask <<= 1) {
    if (from_top + mask >= context.size) continue;
    children[count] = {nullptr, run.scratch(vector.count, *vector.type)};
    if (!children[count++].data) co_return;
  }
  for (int child = 0; child < count; ++child) {
    const int rank = (from_top + (1 << child) + top) % context.size;
    children[child].request =
        run.receive(context, children[child].data, vector.count, *vector.type, rank);
    if (!children[child].request) count = child;  // the run has the error
  }
  while (count > 0) {
    int arrived = 0;
    co_await run.until_progress([&] {
      for (arrived = 0; arrived < count; ++arrived)
        if (message::is_complete(*children[arrived].request)) return true;
      return false;
    });
    vector.reduce(run, children[arrived].data, own);
    children[arrived] = children[--count];
  }
  co_await run.all();
}

}  // namespace

Task reduce_binomial(Run& run) {
  const Call& call = run.call;
  return reduce_on_tree(run, call.comm->collective, vector_of(call), call.contribution(),
                        call.in.buffer, call.root);
}

Task reduce_on_tree(Run& run, const Context& context, Vector vector, const void* contribution,
                    void* result, int root) {
  const int size = context.size, rank = context.rank;
  const int top = vector.operation->commutative ? root : 0;
  const int from_top = (rank - top + size) % size;
  const bool is_leaf = (from_top & 1) || from_top + 1 >= size;
  const bool by_arrival =
      vector.operation->commutative && serving_order(run, Kind::reduce) == Order::status;
  const void* total = contribution;
  if (!is_leaf || (rank == root && size == 1)) {
    // Partial results of others are never written to the user's buffer, except at the root.
    void* own = rank == root && rank == top ? result : run.scratch(vector.count, *vector.type);
    void* incoming = by_arrival ? own : run.scratch(vector.count, *vector.type);
    if (!own || !incoming) co_return;
    if (own != contribution)
      run.copy(contribution, vector.count, *vector.type, own, vector.count, *vector.type);
    if (by_arrival) co_await combine_by_arrival(run, context, vector, own, from_top, top);
    for (int mask = 1; !by_arrival && mask < size && !(from_top & mask); mask <<= 1) {
      if (from_top + mask >= size) continue;
      run.receive(context, incoming, vector.count, *vector.type, (from_top + mask + top) % size);
      co_await run.all();
      // The child's ranks come after ours.
      if (vector.operation->commutative) {
        vector.reduce(run, incoming, own);
      } else {
        vector.reduce(run, own, incoming);
        std::swap(own, incoming);
      }
    }
    total = own;
  }
  if (from_top > 0) {
    int parent = from_top & (from_top - 1);
    run.send(context, total, vector.count, *vector.type, (parent + top) % size);
  }
  if (rank == top && rank != root) run.send(context, total, vector.count, *vector.type, root);
  if (rank == root && rank != top) run.receive(context, result, vector.count, *vector.type, top);
  co_await run.all();
  if (rank == root && rank == top && total != result)
    run.copy(total, vector.count, *vector.type, result, vector.count, *vector.type);
}

}  // namespace baton::collective
