// Allreduce: in a room, by recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of
// collective communication operations in MPICH"), or as reduce and broadcast.
#include "collective/between.hpp"
#include "collective/parts.hpp"
#include "collective/room.hpp"
#include "collective/select.hpp"
#include "world/room.hpp"

namespace baton::collective {

namespace {

// Groups of neighbouring ranks double in size; the lower group's result stays on the left.
Error double_recursively(Communicator& comm, void* total, std::int64_t count, Datatype& type,
                         Operation& operation) {
  Scratch incoming(count, type);
  if (!incoming) return no_scratch();
  const int rank = comm.rank();
  for (int mask = 1; mask < comm.size(); mask <<= 1) {
    int partner = rank ^ mask;
    Error error = exchange(comm.collective, total, count, type, partner, incoming.get(), count,
                           type, partner, allreduce_tag);
    if (error) return error;
    if (partner < rank || operation.commutative) {
      datatype::reduce(operation, incoming.get(), total, count, type);
      continue;
    }
    datatype::reduce(operation, total, incoming.get(), count, type);
    if (Error copied = copy_local(incoming.get(), count, type, total, count, type)) return copied;
  }
  return MPI_SUCCESS;
}

}  // namespace

Error allreduce(Communicator& comm, const void* send, void* receive, std::int64_t count,
                Datatype& type, Operation& operation) {
  if (Error error = world::check_open(comm)) return error;
  if (BATON_UNLIKELY(comm.is_inter()))
    return between::allreduce(comm, send, receive, count, type, operation);
  if (Error error = world::settle_room(comm)) return error;
  AllReduction way = select_allreduce(comm, count * type.size, type);
  if (BATON_LIKELY(way == AllReduction::room)) {
    allreduce_in_room(comm, send, receive, count, type, operation);
    return MPI_SUCCESS;
  }
  if (way == AllReduction::reduce_broadcast) {
    const void* mine = send == MPI_IN_PLACE && comm.rank() != 0 ? receive : send;
    if (Error error = reduce(comm, mine, receive, count, type, operation, 0)) return error;
    return broadcast(comm, receive, count, type, 0);
  }
  if (send != MPI_IN_PLACE)
    if (Error error = copy_local(send, count, type, receive, count, type)) return error;
  return double_recursively(comm, receive, count, type, operation);
}

}  // namespace baton::collective
