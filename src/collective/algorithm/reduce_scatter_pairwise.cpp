// Reduce_scatter, block form included: in each step every rank sends one rank its part and receives
// its own part from another rank.
#include "collective/algorithm.hpp"

namespace baton::collective {

Task reduce_scatter_pairwise(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Vector whole = whole_of(call);
  const void* contribution = call.contribution();
  const Blocks& in = call.in;
  Datatype& type = *whole.type;
  const int size = context.size, rank = context.rank;
  const std::int64_t* first = first_elements(run, in, size);
  if (!first) co_return;
  const Vector own = whole.part(in.count(rank));
  // In place the result would overwrite parts that others are still to get.
  const bool apart = contribution == in.buffer;
  void* total = apart ? run.scratch(own.count, type) : in.buffer;
  void* incoming = run.scratch(own.count, type);
  if (!total || !incoming) co_return;
  run.copy(whole.at(contribution, first[rank]), own.count, type, total, own.count, type);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size, from = (rank - step + size) % size;
    run.receive(context, incoming, own.count, type, from);
    run.send(context, whole.at(contribution, first[to]), in.count(to), type, to);
    co_await run.all();
    own.reduce(run, incoming, total);
  }
  if (apart) run.copy(total, own.count, type, in.buffer, own.count, type);
}

}  // namespace baton::collective
