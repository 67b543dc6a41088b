// Broadcast: by a binomial tree.
#include "collective/parts.hpp"

namespace baton::collective {

Error broadcast(Communicator& comm, void* buffer, std::int64_t count, Datatype& type, int root) {
  const message::Context& context = comm.collective;
  const int size = comm.size();
  const int from_root = (comm.rank() - root + size) % size;
  auto rank_at = [&](int distance) { return (distance + root) % size; };
  int mask = 1;
  while (mask < size && !(from_root & mask)) mask <<= 1;
  if (mask < size) {
    Error error = message::receive(context, buffer, count, type, rank_at(from_root - mask),
                                   broadcast_tag, nullptr);
    if (error) return error;
  }
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (from_root + mask >= size) continue;
    Error error =
        message::send(context, buffer, count, type, rank_at(from_root + mask), broadcast_tag);
    if (error) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace baton::collective
