// Allreduce by recursive doubling (Thakur, Rabenseifner, Gropp, "Optimization of collective
// communication operations in MPICH"): groups of neighboring ranks double in size, the lower
// group's result staying on the left.
#include <utility>

#include "collective/algorithm.hpp"
#include "collective/fold.hpp"

namespace baton::collective {

Task allreduce_doubling(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* result = call.in.buffer;
  Datatype& type = *vector.type;
  const std::int64_t count = vector.count;
  void* total = result;
  void* incoming = run.scratch(count, type);
  if (!incoming) co_return;
  if (contribution != result) run.copy(contribution, count, type, result, count, type);
  const Fold fold(context);
  if (fold.pairs > 0) co_await fold_in(run, context, fold, vector, total, incoming);
  if (!fold.speaks) co_return;
  for (int mask = 1; mask < fold.groups; mask <<= 1) {
    const int other = fold.group ^ mask, partner = fold.speaker(other);
    run.receive(context, incoming, count, type, partner);
    run.send(context, total, count, type, partner);
    co_await run.all();
    if (other < fold.group || vector.operation->commutative) {
      vector.reduce(run, incoming, total);
    } else {
      vector.reduce(run, total, incoming);
      std::swap(total, incoming);
    }
  }
  if (total != result) run.copy(total, count, type, result, count, type);
  if (fold.pairs > 0) co_await fold_out(run, context, fold, vector, result);
}

}  // namespace baton::collective
