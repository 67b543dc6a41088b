// Alltoalls. A call's bytes are all blocks of one rank.
#include <algorithm>
#include <bit>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

constexpr auto one = Content::Kind::one;

// Blocks whose distance, below `ranks`, has the bit.
std::int64_t with_bit(int ranks, int bit) {
  const std::int64_t step = std::int64_t{1} << bit, whole = ranks / (2 * step);
  return whole * step + std::max<std::int64_t>(0, ranks % (2 * step) - step);
}

// Neighbors of growing distance, some at a time; `bytes(rank, to)` and `content(rank, to)` of each.
template <class Bytes, class Describe>
Schedule pairwise(int ranks, int at_once, int wanted, Bytes bytes, Describe content) {
  const Sample sample((ranks - 1 + at_once - 1) / at_once, wanted);
  Schedule made;
  made.ranks = ranks;
  made.alike = sample.all;
  made.alike_here = sample.here;
  made.sends_alike = at_once;
  made.steps = [sample](int) { return sample.here; };
  made.step = [=](int rank, int index) {
    Step step;
    const int first = sample.index(index) * at_once + 1;
    for (int distance = first; distance < std::min(first + at_once, ranks); ++distance) {
      const int to = (rank + distance) % ranks;
      step.from.push_back((rank - distance + ranks) % ranks);
      step.sends.push_back({to, bytes(rank, to), content(rank, to)});
    }
    return step;
  };
  return made;
}

}  // namespace

Schedule alltoall_pairwise(const Call& call) {
  const std::int64_t block = call.bytes / call.ranks;
  return pairwise(
      call.ranks, pairs_at_once, call.sample, [block](int, int) { return block; },
      [](int, int) { return Content{one}; });
}

Schedule alltoall_bruck(const Call& call) {
  const int ranks = call.ranks;
  const std::int64_t block = call.bytes / ranks;
  const int depth = ranks < 2 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
  Schedule made;
  made.ranks = ranks;
  made.steps = [depth](int) { return depth; };
  made.step = [=](int rank, int index) {
    const int distance = 1 << index;
    const std::int64_t length = with_bit(ranks, index) * block;
    Step step{{{(rank + distance) % ranks, length, {Content::Kind::bit, distance, 0}}},
              {(rank - distance + ranks) % ranks}};
    // Packed and unpacked; and all blocks once by distance, and back.
    step.copied =
        2 * length + (index == 0 ? block * ranks : 0) + (index == depth - 1 ? block * ranks : 0);
    return step;
  };
  return made;
}

Schedule alltoall_hierarchical(const Call& call) {
  const int ranks = call.ranks, per_node = call.ranks_per_node, nodes = nodes_of(ranks, per_node);
  const std::int64_t bytes = call.bytes / ranks * ranks, block = call.bytes / ranks;
  // All to the node's first rank, and later from there.
  auto straight = [bytes](int size, bool out) {
    Schedule made;
    made.ranks = size;
    made.steps = [size](int) { return size > 1 ? 1 : 0; };
    made.step = [=](int rank, int) {
      Step step;
      const auto kind = out ? Content::Kind::handed : Content::Kind::gathered;
      const bool sends = (rank == 0) == out;
      for (int other = 1; rank == 0 && other < size; ++other)
        if (out)
          step.sends.push_back({other, bytes, {kind}});
        else
          step.from.push_back(other);
      // By node to go out, and by rank when all has come: both told here.
      if (rank == 0 && !out) step.copied = 2 * size * bytes;
      if (rank > 0 && sends) step.sends.push_back({0, bytes, {kind}});
      if (rank > 0 && !sends) step.from.push_back(0);
      return step;
    };
    return made;
  };
  auto ranks_on = [=](int node) { return std::min(per_node, ranks - node * per_node); };
  const Schedule leaders = pairwise(
      nodes, pairs_at_once, call.sample,
      [=](int from, int to) { return block * ranks_on(from) * ranks_on(to); },
      [](int from, int to) {
        return Content{Content::Kind::of_nodes, from, to};
      });
  return then(then(within_nodes(ranks, per_node, [=](int size) { return straight(size, false); }),
                   among_leaders(leaders, ranks, per_node)),
              within_nodes(ranks, per_node, [=](int size) { return straight(size, true); }));
}

}  // namespace baton::cluster
