// Broadcast: by a binomial tree.
#include "collective/between.hpp"
#include "collective/parts.hpp"

namespace baton::collective {

Error broadcast_within(const message::Context& context, void* buffer, std::int64_t count,
                       Datatype& type, int root) {
  const int size = context.size;
  const int from_root = (context.rank - root + size) % size;
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

Error broadcast(Communicator& comm, void* buffer, std::int64_t count, Datatype& type, int root) {
  if (BATON_UNLIKELY(comm.is_inter())) return between::broadcast(comm, buffer, count, type, root);
  return broadcast_within(comm.collective, buffer, count, type, root);
}

}  // namespace baton::collective
