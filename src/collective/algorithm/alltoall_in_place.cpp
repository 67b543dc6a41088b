// Alltoall in place: the outgoing block is packed aside before the incoming one overwrites it. Both
// sides of a pair must be in the same step, so the pairs are those of a round-robin tournament.
#include <algorithm>

#include "collective/algorithm.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

Task alltoall_in_place(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Blocks& data = call.in;
  const int size = context.size, rank = context.rank;
  Datatype& bytes_type = *datatype::datatypes.find(MPI_BYTE);
  std::int64_t bytes_max = 0;
  for (int r = 0; r < size; ++r) bytes_max = std::max(bytes_max, data.bytes(r));
  void* packed = run.scratch(bytes_max, bytes_type);
  if (!packed) co_return;
  for (int step = 0; step < size; ++step) {
    int partner = (step - rank + size) % size;
    if (partner == rank) continue;
    std::int64_t bytes = data.bytes(partner);
    datatype::pack(data.type_of(partner), data.place(partner), 0, packed, bytes, run.is_host());
    run.receive(context, data.place(partner), data.count(partner), data.type_of(partner), partner);
    run.send(context, packed, bytes, bytes_type, partner);
    co_await run.all();
  }
}

}  // namespace baton::collective
