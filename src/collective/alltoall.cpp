// Alltoall, v form included: pairs of ranks exchange, another pair in each step.
#include "collective/between.hpp"
#include "collective/parts.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

namespace {

// In place: what goes out is packed aside before what comes in overwrites it. Both sides of a pair
// must be in the same step, so the pairs of a round-robin tournament are used.
Error alltoall_in_place(Communicator& comm, const Blocks& data) {
  const int size = comm.size(), rank = comm.rank();
  Datatype& bytes_type = *datatype::datatypes.find(MPI_BYTE);
  for (int step = 0; step < size; ++step) {
    int partner = (step - rank + size) % size;
    if (partner == rank) continue;
    std::int64_t bytes = data.count(partner) * data.type->size;
    Scratch out(bytes, bytes_type);
    if (!out) return no_scratch();
    datatype::pack(*data.type, data.place(partner), 0, out.get(), bytes);
    Error error =
        exchange(comm.collective, out.get(), bytes, bytes_type, partner, data.place(partner),
                 data.count(partner), *data.type, partner, alltoall_tag);
    if (error) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

Error alltoall(Communicator& comm, const Blocks& out, const Blocks& in) {
  if (Error error = world::check_open(comm)) return error;
  if (BATON_UNLIKELY(comm.is_inter())) return between::alltoall(comm, out, in);
  if (out.buffer == MPI_IN_PLACE) return alltoall_in_place(comm, in);
  const int size = comm.size(), rank = comm.rank();
  Error error = copy_local(out.place(rank), out.count(rank), *out.type, in.place(rank),
                           in.count(rank), *in.type);
  for (int step = 1; step < size && !error; ++step) {
    int to = (rank + step) % size, from = (rank - step + size) % size;
    error = exchange(comm.collective, out.place(to), out.count(to), *out.type, to, in.place(from),
                     in.count(from), *in.type, from, alltoall_tag);
  }
  return error;
}

}  // namespace baton::collective
