// Allgather, v form included: around a ring, every rank passing on what it got last.
#include "collective/between.hpp"
#include "collective/parts.hpp"

namespace baton::collective {

Error allgather(Communicator& comm, const Blocks& mine, const Blocks& all) {
  if (Error error = world::check_open(comm)) return error;
  if (BATON_UNLIKELY(comm.is_inter())) return between::allgather(comm, mine, all);
  const int size = comm.size(), rank = comm.rank();
  if (mine.buffer != MPI_IN_PLACE) {
    Error error = copy_local(mine.buffer, mine.count(0), *mine.type, all.place(rank),
                             all.count(rank), *all.type);
    if (error) return error;
  }
  const int left = (rank - 1 + size) % size, right = (rank + 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
    Error error = exchange(comm.collective, all.place(out), all.count(out), *all.type, right,
                           all.place(in), all.count(in), *all.type, left, allgather_tag);
    if (error) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace baton::collective
