// The neighborhood collectives: a message along every edge, all at once.
#include "collective/algorithm.hpp"
#include "collective/neighbourhood.hpp"

namespace baton::collective {

Task neighbour_allgather_exchange(Run& run) {
  const Blocks& out = run.call.out;
  const Blocks& in = run.call.in;
  Communicator& comm = *run.call.comm;
  const Neighbourhood neighbourhood(comm);
  const bool same = run.call.kind == Kind::neighbour_allgather;
  for (int i = 0; i < neighbourhood.in_count(); ++i) {
    const int place = neighbourhood.receive_order(i), rank = neighbourhood.in(place);
    if (rank != MPI_PROC_NULL)
      run.receive(comm.collective, in.place(place), in.count(place), in.type_of(place), rank);
  }
  for (int i = 0; i < neighbourhood.out_count(); ++i) {
    const int block = same ? 0 : i, rank = neighbourhood.out(i);
    if (rank != MPI_PROC_NULL)
      run.send(comm.collective, out.place(block), out.count(block), out.type_of(block), rank);
  }
  co_await run.all();
}

Task neighbour_alltoall_exchange(Run& run) {
  return neighbour_allgather_exchange(run);
}

}  // namespace baton::collective
