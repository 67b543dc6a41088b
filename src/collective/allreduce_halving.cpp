// Allreduce of long vectors (Rabenseifner, "Optimization of collective reduction operations"):
// recursive halving leaves each rank with the result of one part, recursive doubling gives all
// parts to all. Beyond a power of two, pairs of neighbours act as one.
#include <bit>

#include "collective/algorithms.hpp"

namespace baton::collective {

namespace {

// Parts [from, to) of a vector that is divided into `parts`.
struct Range {
  Vector vector;
  int parts;
  int from, to;

  std::int64_t first(int part) const { return vector.count * part / parts; }
  std::int64_t count() const { return first(to) - first(from); }
  void* in(void* buffer) const { return vector.at(buffer, first(from)); }
  Range half(bool upper) const {
    int middle = (from + to) / 2;
    return upper ? Range{vector, parts, middle, to} : Range{vector, parts, from, middle};
  }
};

}  // namespace

Task allreduce_halving(Run& run, const Context& context, Vector vector, void* total) {
  Datatype& type = *vector.type;
  const int size = context.size, rank = context.rank;
  const int groups = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int pairs = size - groups;
  const bool paired = rank < 2 * pairs;
  if (paired && rank % 2 == 0) {  // the other one speaks for us
    run.send(context, total, vector.count, type, rank + 1);
    co_await run.all();
    run.receive(context, total, vector.count, type, rank + 1);
    co_await run.all();
    co_return;
  }
  void* incoming = run.scratch(vector.count, type);
  if (!incoming) co_return;
  if (paired) {
    run.receive(context, incoming, vector.count, type, rank - 1);
    co_await run.all();
    vector.reduce(incoming, total);
  }
  const int group = paired ? rank / 2 : rank - pairs;
  Range own{vector, groups, 0, groups};
  for (int mask = groups / 2; mask > 0; mask /= 2) {
    const int other = group ^ mask;
    const int partner = other < pairs ? 2 * other + 1 : other + pairs;
    const Range theirs = own.half(!(group & mask));
    own = own.half(group & mask);
    run.receive(context, own.in(incoming), own.count(), type, partner);
    run.send(context, theirs.in(total), theirs.count(), type, partner);
    co_await run.all();
    vector.part(own.count()).reduce(own.in(incoming), own.in(total));
  }
  for (int mask = 1; mask < groups; mask *= 2) {
    const int other = group ^ mask;
    const int partner = other < pairs ? 2 * other + 1 : other + pairs;
    const int start = other / mask * mask;
    const Range theirs{vector, groups, start, start + mask};
    run.receive(context, theirs.in(total), theirs.count(), type, partner);
    run.send(context, own.in(total), own.count(), type, partner);
    co_await run.all();
    own = {vector, groups, group / (2 * mask) * 2 * mask, group / (2 * mask) * 2 * mask + 2 * mask};
  }
  if (paired) run.send(context, total, vector.count, type, rank - 1);
  co_await run.all();
}

}  // namespace baton::collective
