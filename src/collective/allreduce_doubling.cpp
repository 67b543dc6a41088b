// Allreduce by recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of collective
// communication operations in MPICH"): groups of neighbouring ranks double in size, the lower
// group's result staying on the left. Beyond a power of two, pairs of neighbours act as one.
#include <bit>
#include <utility>

#include "collective/algorithms.hpp"

namespace baton::collective {

Task allreduce_doubling(Run& run, const Context& context, Vector vector, void* total) {
  Datatype& type = *vector.type;
  const std::int64_t count = vector.count;
  const int size = context.size, rank = context.rank;
  const int groups = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int pairs = size - groups;
  void* incoming = run.scratch(count, type);
  if (!incoming) co_return;
  const bool paired = rank < 2 * pairs;
  if (paired && rank % 2 == 0) {  // the other one speaks for us
    run.send(context, total, count, type, rank + 1);
    co_await run.all();
    run.receive(context, total, count, type, rank + 1);
    co_await run.all();
    co_return;
  }
  if (paired) {
    run.receive(context, incoming, count, type, rank - 1);
    co_await run.all();
    vector.reduce(incoming, total);
  }
  void* own = total;
  const int group = paired ? rank / 2 : rank - pairs;
  for (int mask = 1; mask < groups; mask <<= 1) {
    int other = group ^ mask;
    int partner = other < pairs ? 2 * other + 1 : other + pairs;
    run.receive(context, incoming, count, type, partner);
    run.send(context, own, count, type, partner);
    co_await run.all();
    if (other < group || vector.operation->commutative) {
      vector.reduce(incoming, own);
    } else {
      vector.reduce(own, incoming);
      std::swap(own, incoming);
    }
  }
  if (own != total) run.copy(own, count, type, total, count, type);
  if (paired) run.send(context, total, count, type, rank - 1);
  co_await run.all();
}

}  // namespace baton::collective
