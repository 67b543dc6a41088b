// Gather of short blocks up a binomial tree: each rank collects, packed, the blocks of the ranks
// behind it in the tree, and passes them on in one message. The root receives from log2 ranks only.
#include <algorithm>

#include "collective/algorithm.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

Task gather_binomial(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const int size = context.size, rank = context.rank, root = call.root;
  const int from_root = (rank - root + size) % size;
  const bool in_place = rank == root && call.out.in_place();
  const Blocks& given = in_place ? call.in : call.out;
  const std::int64_t bytes = given.bytes(0);
  // This is the number of ranks, from ours on, whose blocks we send: up to the lowest bit of our
  // distance to the root.
  const int behind = from_root == 0 ? size : std::min(from_root & -from_root, size - from_root);
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  auto* blocks = static_cast<char*>(run.take(static_cast<std::size_t>(behind * bytes)));
  if (!blocks) co_return;
  datatype::pack(*given.type, in_place ? call.in.place(root) : given.buffer, 0, blocks, bytes,
                 run.is_host());
  for (int have = 1; have < behind; have *= 2) {
    const int from = (rank + have) % size;
    const std::int64_t length = std::min(have, behind - have) * bytes;
    const message::Request* heard = run.receive(context, blocks + have * bytes, length, type, from);
    co_await run.all();
    if (heard && !run.error() && heard->bytes != length)
      run.refuse_length(from, heard->bytes, length);
  }
  if (rank != root) {
    const int parent = from_root & (from_root - 1);
    run.send(context, blocks, behind * bytes, type, (parent + root) % size);
    co_await run.all();
    co_return;
  }
  const std::int64_t expected = std::min(bytes, call.in.bytes(0));
  for (int distance = in_place ? 1 : 0; distance < size; ++distance)
    datatype::unpack(*call.in.type, call.in.place((root + distance) % size), 0,
                     blocks + distance * bytes, expected, run.is_host());
  if (expected < bytes && !run.error()) run.refuse_length(rank, bytes, call.in.bytes(0));
}

}  // namespace baton::collective
