// Barriers, broadcasts, reduces and scatters.
#include <algorithm>
#include <bit>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

constexpr auto nothing = Content::Kind::nothing;
constexpr auto parts = Content::Kind::parts;
constexpr auto sums = Content::Kind::sums;
constexpr auto blocks = Content::Kind::blocks;

int log2_up(int ranks) {
  return ranks < 2 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
}

// Down a tree: from the parent, then to all children at once. `tree(rank)` gives both.
struct Family {
  int parent = -1;
  std::vector<int> children;
};

Schedule down(int ranks, std::int64_t bytes, Content content, Family (*tree)(int rank, int ranks)) {
  Schedule made;
  made.ranks = ranks;
  made.steps = [=](int rank) {
    const Family family = tree(rank, ranks);
    return (family.parent >= 0) + !family.children.empty();
  };
  made.step = [=](int rank, int index) {
    const Family family = tree(rank, ranks);
    if (family.parent >= 0 && index == 0) return Step{{}, {family.parent}};
    Step step;
    for (int child : family.children) step.sends.push_back({child, bytes, content});
    return step;
  };
  return made;
}

// broadcast_on_tree of the library, root 0: the furthest child first.
Family binomial(int rank, int ranks) {
  Family family;
  int mask = 1;
  while (mask < ranks && !(rank & mask)) mask <<= 1;
  if (mask < ranks) family.parent = rank - mask;
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (rank + mask < ranks) family.children.push_back(rank + mask);
  return family;
}

Family quaternomial(int rank, int ranks) {
  Family family;
  int mask = 1;
  while (mask < ranks && rank / mask % 4 == 0) mask *= 4;
  if (mask < ranks) family.parent = rank - rank / mask % 4 * mask;
  for (mask /= 4; mask > 0; mask /= 4)
    for (int digit = 1; digit < 4; ++digit)
      if (rank + digit * mask < ranks) family.children.push_back(rank + digit * mask);
  return family;
}

}  // namespace

Schedule barrier_dissemination(const Call& call) {
  Schedule made;
  made.ranks = call.ranks;
  const int ranks = call.ranks;
  made.steps = [steps = log2_up(ranks)](int) { return steps; };
  made.step = [ranks](int rank, int index) {
    const int distance = 1 << index;
    return Step{{{(rank + distance) % ranks, 0, {nothing}}}, {(rank - distance + ranks) % ranks}};
  };
  return made;
}

Schedule reduce_binomial(const Call& call) {
  const int ranks = call.ranks;
  const std::int64_t bytes = call.bytes;
  Schedule made;
  made.ranks = ranks;
  // One step a child, the nearest first, then the parent.
  auto children = [ranks](int rank) {
    int count = 0;
    for (int mask = 1; mask < ranks && !(rank & mask); mask <<= 1) count += rank + mask < ranks;
    return count;
  };
  made.steps = [children](int rank) { return children(rank) + (rank > 0); };
  made.step = [children, bytes](int rank, int index) {
    if (index < children(rank)) return Step{{}, {rank + (1 << index)}, bytes};
    return Step{{{rank & (rank - 1), bytes, {sums, 0, 1}}}, {}};
  };
  return made;
}

Schedule broadcast_binomial(const Call& call) {
  return down(call.ranks, call.bytes, {parts, 0, 1}, binomial);
}

Schedule broadcast_knomial(const Call& call) {
  return down(call.ranks, call.bytes, {parts, 0, 1}, quaternomial);
}

Schedule broadcast_chain(const Call& call) {
  const int ranks = call.ranks;
  const Parts divided{call.bytes,
                      static_cast<int>(std::max<std::int64_t>(
                          1, (call.bytes + chain_segment_bytes - 1) / chain_segment_bytes))};
  const int segments = divided.count;
  Schedule made;
  made.ranks = ranks;
  made.parts = segments;
  // Each segment is passed on while the next one comes.
  made.steps = [=](int rank) {
    return ranks == 1 ? 0 : rank == 0 || rank == ranks - 1 ? segments : segments + 1;
  };
  made.step = [=](int rank, int index) {
    Step step;
    const int sent = rank == 0 ? index : index - 1;
    if (rank > 0 && index < segments) step.from.push_back(rank - 1);
    if (rank < ranks - 1 && sent >= 0)
      step.sends.push_back({rank + 1, divided.bytes(sent, 1), {parts, sent, 1}});
    return step;
  };
  return made;
}

namespace {

// Down a binomial tree, each child what it and those behind it get. Of a vector in parts, or
// blocks.
Schedule scatter_on_tree(int ranks, std::int64_t (*size)(const Parts&, int, int), Parts divided,
                         Content::Kind kind) {
  Schedule made = down(ranks, 0, {kind}, binomial);
  made.parts = kind == parts ? ranks : 1;
  made.step = [=, plain = made.step](int rank, int index) {
    Step step = plain(rank, index);
    for (Send& send : step.sends) {
      const int behind = std::min(send.to & -send.to, ranks - send.to);
      send.bytes = size(divided, send.to, behind);
      send.content = {kind, send.to, behind};
    }
    return step;
  };
  return made;
}

}  // namespace

Schedule broadcast_scatter_allgather(const Call& call) {
  const int ranks = call.ranks;
  const Parts divided{call.bytes, ranks};
  const Sample sample(ranks - 1, call.sample);
  Schedule ring;
  ring.ranks = ranks;
  ring.parts = ranks;
  ring.alike = sample.all;
  ring.alike_here = sample.here;
  ring.identical = true;
  ring.steps = [sample](int) { return sample.here; };
  ring.step = [=](int rank, int index) {
    const int out = (rank - sample.index(index) + ranks) % ranks;
    return Step{{{(rank + 1) % ranks, divided.bytes(out, 1), {parts, out, 1}}},
                {(rank - 1 + ranks) % ranks}};
  };
  auto size = [](const Parts& of, int first, int count) { return of.bytes(first, count); };
  return then(scatter_on_tree(ranks, size, divided, parts), ring);
}

Schedule scatter_binomial(const Call& call) {
  auto size = [](const Parts& of, int, int count) { return of.total * count; };
  return scatter_on_tree(call.ranks, size, {call.bytes, 1}, blocks);
}

// scatter_from_root of the library in rank order, its default where ranks have a CPU each: all
// begun at once. By status: scatter_orders.hpp.
Schedule scatter_linear(const Call& call) {
  const int ranks = call.ranks;
  Schedule made;
  made.ranks = ranks;
  made.steps = [](int) { return 1; };
  made.step = [ranks, bytes = call.bytes](int rank, int) {
    if (rank > 0) return Step{{}, {0}};
    Step step;
    for (int to = 1; to < ranks; ++to) step.sends.push_back({to, bytes, {blocks, to, 1}});
    return step;
  };
  return made;
}

}  // namespace baton::cluster
