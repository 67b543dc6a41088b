// Alltoall, v and w forms included: some exchanges with other ranks at a time, each rank beginning
// with its neighbour, so that not all go to the same.
#include "collective/algorithms.hpp"

namespace baton::collective {

Task alltoall_pairwise(Run& run, const Context& context, const Blocks& out, const Blocks& in) {
  constexpr int at_once = 8;  // guess
  const int size = context.size, rank = context.rank;
  run.copy(out.place(rank), out.count(rank), out.type_of(rank), in.place(rank), in.count(rank),
           in.type_of(rank));
  for (int step = 1; step < size; ++step) {
    int to = (rank + step) % size, from = (rank - step + size) % size;
    run.receive(context, in.place(from), in.count(from), in.type_of(from), from);
    run.send(context, out.place(to), out.count(to), out.type_of(to), to);
    if (step % at_once == 0) co_await run.all();
  }
  co_await run.all();
}

}  // namespace baton::collective
