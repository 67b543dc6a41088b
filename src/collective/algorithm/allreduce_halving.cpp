// Allreduce of long vectors (Rabenseifner, "Optimization of collective reduction operations"):
// recursive halving leaves each rank with the result of one part, recursive doubling gives all
// parts to all. The nearest ranks come first in the one and last in the other, since they exchange
// the longest parts: far links, which many pairs share, carry the short ones.
#include "collective/algorithm.hpp"
#include "collective/fold.hpp"

namespace baton::collective {

namespace {

// These are the parts [from, to) of a vector that is divided into `parts`.
struct Range {
  Vector vector;
  int parts;
  int from, to;

  std::int64_t first(int part) const { return vector.count * part / parts; }
  std::int64_t count() const { return first(to) - first(from); }
  void* in(const void* buffer) const { return vector.at(buffer, first(from)); }
  Range half(bool upper) const {
    int middle = (from + to) / 2;
    return upper ? Range{vector, parts, middle, to} : Range{vector, parts, from, middle};
  }
  // Returns the range of which this one is a half.
  Range doubled() const {
    const int wide = 2 * (to - from), start = from / wide * wide;
    return {vector, parts, start, start + wide};
  }
};

}  // namespace

Task allreduce_halving(Run& run) {
  const Call& call = run.call;
  const Context& context = call.comm->collective;
  const Vector vector = vector_of(call);
  const void* contribution = call.contribution();
  void* total = call.in.buffer;
  Datatype& type = *vector.type;
  const Fold fold(context);
  // Where nothing is folded in first, the first step can read the contribution in place.
  const bool apart = contribution != total && fold.pairs == 0 && fold.groups > 1;
  void* incoming = apart && fold.groups == 2 ? total : run.scratch(vector.count, type);
  if (!incoming) co_return;
  if (contribution != total && !apart)
    run.copy(contribution, vector.count, type, total, vector.count, type);
  if (fold.pairs > 0) co_await fold_in(run, context, fold, vector, total, incoming);
  if (!fold.speaks) co_return;
  Range own{vector, fold.groups, 0, fold.groups};
  for (int mask = 1; mask < fold.groups; mask *= 2) {
    const int partner = fold.speaker(fold.group ^ mask);
    const Range theirs = own.half(!(fold.group & mask));
    own = own.half(fold.group & mask);
    const bool first = apart && mask == 1;
    run.receive(context, own.in(first ? total : incoming), own.count(), type, partner);
    run.send(context, theirs.in(first ? contribution : total), theirs.count(), type, partner);
    co_await run.all();
    vector.part(own.count()).reduce(run, own.in(first ? contribution : incoming), own.in(total));
  }
  for (int mask = fold.groups / 2; mask > 0; mask /= 2) {
    const int partner = fold.speaker(fold.group ^ mask);
    const Range both = own.doubled();
    const Range theirs = both.half(own.from == both.from);
    run.receive(context, theirs.in(total), theirs.count(), type, partner);
    run.send(context, own.in(total), own.count(), type, partner);
    co_await run.all();
    own = both;
  }
  if (fold.pairs > 0) co_await fold_out(run, context, fold, vector, total);
}

}  // namespace baton::collective
