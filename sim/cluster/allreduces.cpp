// Allreduces.
#include <bit>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

constexpr auto parts = Content::Kind::parts;
constexpr auto sums = Content::Kind::sums;

// As the library's Fold (src/collective/fold.hpp): ranks beyond a power of two act in pairs.
struct Fold {
  int groups;
  int pairs;

  explicit Fold(int ranks)
      : groups(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs(ranks - groups) {}
  bool paired(int rank) const { return rank < 2 * pairs; }
  bool speaks(int rank) const { return !paired(rank) || rank % 2 == 1; }
  int group(int rank) const { return paired(rank) ? rank / 2 : rank - pairs; }
  int speaker(int of) const { return of < pairs ? 2 * of + 1 : of + pairs; }
};

// Folded in before, and out after, what `inner(group, index)` does in `steps` steps; that names
// groups.
template <class Inner>
Schedule folded(int ranks, std::int64_t bytes, int all_parts, int steps, Inner inner) {
  const Fold fold(ranks);
  const Content whole_sum{sums, 0, all_parts}, whole{parts, 0, all_parts};
  Schedule made;
  made.ranks = ranks;
  made.parts = all_parts;
  made.steps = [=](int rank) {
    if (!fold.paired(rank)) return steps;
    return fold.speaks(rank) ? steps + 2 : 2;
  };
  made.step = [=](int rank, int index) {
    if (fold.paired(rank) && !fold.speaks(rank))
      return index == 0 ? Step{{{rank + 1, bytes, whole_sum}}, {}} : Step{{}, {rank + 1}};
    if (fold.paired(rank) && index == 0) return Step{{}, {rank - 1}, bytes};
    if (fold.paired(rank) && index == steps + 1) return Step{{{rank - 1, bytes, whole}}, {}};
    Step step = inner(fold.group(rank), index - fold.paired(rank));
    for (Send& send : step.sends) send.to = fold.speaker(send.to);
    for (int& from : step.from) from = fold.speaker(from);
    return step;
  };
  return made;
}

int log2_of(int groups) {
  return std::countr_zero(static_cast<unsigned>(groups));
}

}  // namespace

Schedule allreduce_doubling(const Call& call) {
  const std::int64_t bytes = call.bytes;
  return folded(call.ranks, bytes, 1, log2_of(Fold(call.ranks).groups),
                [bytes](int group, int index) {
                  const int other = group ^ (1 << index);
                  return Step{{{other, bytes, {sums, 0, 1}}}, {other}, bytes};
                });
}

namespace {

// The first part that a group has after so many steps of halving.
int first_part(int group, int steps, int groups) {
  int first = 0;
  for (int step = 0; step < steps; ++step)
    if (group & (1 << step)) first += groups >> (step + 1);
  return first;
}

}  // namespace

Schedule allreduce_halving(const Call& call) {
  const int groups = Fold(call.ranks).groups, depth = log2_of(groups);
  const Parts divided{call.bytes, groups};
  return folded(call.ranks, call.bytes, groups, 2 * depth, [=](int group, int index) {
    const bool adding = index < depth;
    const int bit = adding ? index : 2 * depth - 1 - index, count = groups >> (bit + 1);
    const int other = group ^ (1 << bit);
    const int own = first_part(group, bit + 1, groups), theirs = first_part(other, bit + 1, groups);
    if (!adding) return Step{{{other, divided.bytes(own, count), {parts, own, count}}}, {other}};
    return Step{{{other, divided.bytes(theirs, count), {sums, theirs, count}}},
                {other},
                divided.bytes(own, count)};
  });
}

// As allreduce_halving, but the longest exchanges are those with the farthest ranks.
Schedule allreduce_halving_far(const Call& call) {
  const int groups = Fold(call.ranks).groups, depth = log2_of(groups);
  const Parts divided{call.bytes, groups};
  return folded(call.ranks, call.bytes, groups, 2 * depth, [=](int group, int index) {
    if (index < depth) {
      const int mask = groups >> (index + 1), other = group ^ mask;
      const int own = group & ~(mask - 1), theirs = other & ~(mask - 1);
      return Step{{{other, divided.bytes(theirs, mask), {sums, theirs, mask}}},
                  {other},
                  divided.bytes(own, mask)};
    }
    const int mask = 1 << (index - depth), other = group ^ mask, own = group & ~(mask - 1);
    return Step{{{other, divided.bytes(own, mask), {parts, own, mask}}}, {other}};
  });
}

Schedule allreduce_ring(const Call& call) {
  const int ranks = call.ranks;
  const Parts divided{call.bytes, ranks};
  const Sample sample(2 * (ranks - 1), call.sample);
  Schedule made;
  made.ranks = ranks;
  made.parts = ranks;
  made.alike = sample.all;
  made.alike_here = sample.here;
  made.identical = true;
  made.steps = [sample](int) { return sample.here; };
  made.step = [=](int rank, int index) {
    const int step = sample.index(index);
    const bool adding = step < ranks - 1;
    // What was added up last is passed on: of the second turn it is complete.
    const int out = (rank - step + 2 * ranks) % ranks, in = (out - 1 + ranks) % ranks;
    return Step{{{(rank + 1) % ranks, divided.bytes(out, 1), {adding ? sums : parts, out, 1}}},
                {(rank - 1 + ranks) % ranks},
                adding ? divided.bytes(in, 1) : 0};
  };
  return made;
}

}  // namespace baton::cluster
