// Allgather of short blocks (Bruck and others, as alltoall_bruck.cpp): the number of blocks that a
// rank has doubles in each step, by a message from the rank at that distance.
#include "collective/algorithm.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

Task allgather_bruck(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& mine = call.out;
  const Blocks& all = call.in;
  const int size = context.size, rank = context.rank;
  const Blocks& given = mine.in_place() ? all : mine;
  const void* own = mine.in_place() ? all.place(rank) : mine.buffer;
  const std::int64_t bytes = given.bytes(0);
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  auto* blocks = static_cast<char*>(run.take(static_cast<std::size_t>(size * bytes)));
  if (!blocks) co_return;
  // The blocks are in the order of ranks from our own on.
  datatype::pack(*given.type, own, 0, blocks, bytes, run.is_host());
  for (int have = 1; have < size; have *= 2) {
    const std::int64_t length = std::min(have, size - have) * bytes;
    const int from = (rank + have) % size;
    const message::Request* heard = run.receive(context, blocks + have * bytes, length, type, from);
    run.send(context, blocks, length, type, (rank - have + size) % size);
    co_await run.all();
    if (heard && !run.error() && heard->bytes != length)
      run.refuse_length(from, heard->bytes, length);
  }
  const std::int64_t expected = std::min(bytes, all.bytes(0));
  for (int distance = 0; distance < size; ++distance)
    datatype::unpack(*all.type, all.place((rank + distance) % size), 0, blocks + distance * bytes,
                     expected, run.is_host());
  if (expected < bytes && !run.error()) run.refuse_length(rank, bytes, all.bytes(0));
}

}  // namespace baton::collective
