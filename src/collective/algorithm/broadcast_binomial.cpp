// This is a broadcast along a binomial tree.
#include "collective/algorithm/broadcast_binomial.hpp"

namespace baton::collective {

Task broadcast_binomial(Run& run) {
  const Call& call = run.call;
  return broadcast_on_tree(run, call.comm->collective, call.in.buffer, call.in.uniform,
                           *call.in.type, call.root);
}

Task broadcast_on_tree(Run& run, const Context& context, void* buffer, std::int64_t count,
                       Datatype& type, int root) {
  const int size = context.size;
  const int from_root = (context.rank - root + size) % size;
  int mask = 1;
  while (mask < size && !(from_root & mask)) mask <<= 1;
  if (mask < size) {
    const int from = (from_root - mask + root) % size;
    const message::Request* heard = run.receive(context, buffer, count, type, from);
    co_await run.all();
    if (heard && !run.error() && heard->bytes != count * type.size)
      run.refuse_length(from, heard->bytes, count * type.size);
  }
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (from_root + mask < size)
      run.send(context, buffer, count, type, (from_root + mask + root) % size);
  co_await run.all();
}

}  // namespace baton::collective
