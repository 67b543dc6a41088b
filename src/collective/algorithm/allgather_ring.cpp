// Allgather, v form included: around a ring, every rank passes on the block that it got last.
#include "collective/algorithm.hpp"

namespace baton::collective {

Task allgather_ring(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int size = context.size, rank = context.rank;
  const int left = (rank - 1 + size) % size, right = (rank + 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
    run.receive(context, all.place(in), all.count(in), *all.type, left);
    if (step == 0 && !mine.in_place())
      run.send(context, mine.buffer, mine.count(0), *mine.type, right);
    else
      run.send(context, all.place(out), all.count(out), *all.type, right);
    co_await run.all();
  }
  // The own block is copied only now: a copy just written would leave this rank's cache more slowly
  // than its source.
  if (!mine.in_place())
    run.copy(mine.buffer, mine.count(0), *mine.type, all.place(rank), all.count(rank), *all.type);
}

}  // namespace baton::collective
