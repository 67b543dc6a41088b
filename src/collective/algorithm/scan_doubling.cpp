// Scan and exscan by recursive doubling: each rank keeps the result of its group of neighbors, and
// the result of those ranks of the group up to itself. Groups at the end may be incomplete.
#include <utility>

#include "collective/algorithm.hpp"

namespace baton::collective {

Task scan_doubling(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  const bool inclusive = call.kind == Kind::scan;
  Datatype& type = *vector.type;
  const std::int64_t count = vector.count;
  const int size = context.size, rank = context.rank;
  void* group = run.scratch(count, type);
  void* incoming = run.scratch(count, type);
  if (!group || !incoming) co_return;
  run.copy(contribution, count, type, group, count, type);
  bool has_result = inclusive;
  if (inclusive && contribution != result) run.copy(contribution, count, type, result, count, type);
  for (int mask = 1; mask < size; mask <<= 1) {
    const int partner = rank ^ mask;
    if (partner >= size) continue;
    run.receive(context, incoming, count, type, partner);
    run.send(context, group, count, type, partner);
    co_await run.all();
    if (partner > rank) {  // group = group op incoming
      vector.reduce(run, group, incoming);
      std::swap(group, incoming);
      continue;
    }
    if (has_result)
      vector.reduce(run, incoming, result);
    else
      run.copy(incoming, count, type, result, count, type);
    has_result = true;
    vector.reduce(run, incoming, group);
  }
}

Task exscan_doubling(Run& run) {
  return scan_doubling(run);
}

}  // namespace baton::collective
