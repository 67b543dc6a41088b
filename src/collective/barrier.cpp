// Barrier: in a room, else by dissemination (Hensgen, Finkel, Manber, "Two algorithms for barrier
// synchronization").
#include "collective/between.hpp"
#include "collective/parts.hpp"
#include "collective/room.hpp"
#include "world/room.hpp"

namespace baton::collective {

Error barrier(Communicator& comm) {
  if (Error error = world::check_open(comm)) return error;
  if (BATON_UNLIKELY(comm.is_inter())) return between::barrier(comm);
  if (Error error = world::settle_room(comm)) return error;
  if (BATON_LIKELY(comm.room.exists())) {
    barrier_in_room(comm);
    return MPI_SUCCESS;
  }
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  const int size = comm.size(), rank = comm.rank();
  for (int distance = 1; distance < size; distance *= 2) {
    Error error = exchange(comm.collective, nullptr, 0, type, (rank + distance) % size, nullptr, 0,
                           type, (rank - distance + size) % size, barrier_tag);
    if (error) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace baton::collective
