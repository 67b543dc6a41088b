// The neighborhood collectives send a message along every edge, all at once.
#include "collective/algorithm.hpp"
#include "collective/neighborhood.hpp"

namespace baton::collective {

Task neighbor_allgather_exchange(Run& run) {
  const Blocks& out = run.call.out;
  const Blocks& in = run.call.in;
  Communicator& comm = *run.call.comm;
  const Neighborhood neighborhood(comm);
  const bool same = run.call.kind == Kind::neighbor_allgather;
  for (int i = 0; i < neighborhood.in_count(); ++i) {
    const int place = neighborhood.receive_order(i), rank = neighborhood.in(place);
    if (rank != MPI_PROC_NULL)
      run.receive(comm.collective, in.place(place), in.count(place), in.type_of(place), rank);
  }
  for (int i = 0; i < neighborhood.out_count(); ++i) {
    const int block = same ? 0 : i, rank = neighborhood.out(i);
    if (rank != MPI_PROC_NULL)
      run.send(comm.collective, out.place(block), out.count(block), out.type_of(block), rank);
  }
  co_await run.all();
}

Task neighbor_alltoall_exchange(Run& run) {
  return neighbor_allgather_exchange(run);
}

}  // namespace baton::collective
