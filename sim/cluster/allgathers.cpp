// Gathers and allgathers by messages. A call's bytes are one rank's block.
#include <algorithm>
#include <bit>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

constexpr auto blocks = Content::Kind::blocks;

}  // namespace

Schedule gather_linear(const Call& call) {
  Schedule made;
  made.ranks = call.ranks;
  made.steps = [ranks = call.ranks](int) { return ranks > 1 ? 1 : 0; };
  made.step = [ranks = call.ranks, bytes = call.bytes](int rank, int) {
    if (rank > 0) return Step{{{0, bytes, {Content::Kind::gathered}}}, {}};
    Step step;
    for (int from = 1; from < ranks; ++from) step.from.push_back(from);
    return step;
  };
  return made;
}

// A rank gives what it has heard of those behind it, too.
Schedule gather_binomial(const Call& call) {
  const int ranks = call.ranks;
  auto below = [ranks](int rank) {
    std::vector<int> children;
    for (int mask = 1; mask < ranks && !(rank & mask); mask <<= 1)
      if (rank + mask < ranks) children.push_back(rank + mask);
    return children;
  };
  Schedule made;
  made.ranks = ranks;
  made.steps = [below](int rank) { return !below(rank).empty() + (rank > 0); };
  made.step = [ranks, below, bytes = call.bytes](int rank, int index) {
    const std::vector<int> children = below(rank);
    if (index == 0 && !children.empty()) return Step{{}, children};
    const int behind = std::min(rank & -rank, ranks - rank);
    return Step{{{rank & (rank - 1), behind * bytes, {Content::Kind::gathered}}}, {}};
  };
  return made;
}

Schedule allgather_ring(const Call& call) {
  const int ranks = call.ranks;
  const Sample sample(ranks - 1, call.sample);
  Schedule made;
  made.ranks = ranks;
  made.alike = sample.all;
  made.alike_here = sample.here;
  made.identical = true;
  made.steps = [sample](int) { return sample.here; };
  made.step = [ranks, sample, bytes = call.bytes](int rank, int index) {
    const int out = (rank - sample.index(index) + ranks) % ranks;
    return Step{{{(rank + 1) % ranks, bytes, {blocks, out, 1}}}, {(rank - 1 + ranks) % ranks}};
  };
  return made;
}

// What a rank has doubles in each step; at last all blocks are put into their order.
Schedule allgather_bruck(const Call& call) {
  const int ranks = call.ranks;
  const int depth = ranks < 2 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
  Schedule made;
  made.ranks = ranks;
  made.steps = [depth](int) { return depth; };
  made.step = [ranks, depth, bytes = call.bytes](int rank, int index) {
    const int have = 1 << index, sent = std::min(have, ranks - have);
    Step step{{{(rank - have + ranks) % ranks, sent * bytes, {blocks, rank, sent}}},
              {(rank + have) % ranks}};
    if (index == depth - 1) step.copied = ranks * bytes;
    return step;
  };
  return made;
}

}  // namespace baton::cluster
