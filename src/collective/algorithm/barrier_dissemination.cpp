// Barrier by dissemination (Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization"):
// it takes log2 steps, in each of which everybody sends to one rank and receives from another.
#include "collective/algorithm/barrier_dissemination.hpp"

namespace baton::collective {

Task barrier_dissemination(Run& run) {
  const world::Members members = run.call.comm->members(0);
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  const int size = members.count, own = members.position;
  for (int distance = 1; distance < size; distance *= 2) {
    run.receive(*members.context, nullptr, 0, type,
                members.rank_at((own - distance + size) % size));
    run.send(*members.context, nullptr, 0, type, members.rank_at((own + distance) % size));
    co_await run.all();
  }
}

}  // namespace baton::collective
