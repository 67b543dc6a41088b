#include "sim/cluster/on_node.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

constexpr auto parts = Content::Kind::parts;
constexpr auto sums = Content::Kind::sums;

struct Node {
  int ranks;
  std::int64_t bytes;  // as in SelectionRow
  Content content;
  bool staged;  // through a room's blocks, else by direct copies
};

using Steps = std::vector<Step>;
using StepsOf = Steps (*)(const Node& node, int rank);

Step works(std::int64_t copied, int together) {
  Step step;
  step.copied = copied;
  step.together = together;
  return step;
}

Step show(int to, std::int64_t bytes, Content content) {
  return {{{to, bytes, content, true}}, {}};
}

// The first rank hears of all others.
Step hear_of_all(const Node& node) {
  Step step;
  for (int other = 1; other < node.ranks; ++other) step.from.push_back(other);
  return step;
}

Step show_all(const Node& node, std::int64_t bytes, Content content) {
  Step step;
  for (int other = 1; other < node.ranks; ++other)
    step.sends.push_back({other, bytes, content, true});
  return step;
}

// A round in which each shows the others something.
template <class Show>
Step exchange(const Node& node, int rank, Show shown) {
  Step step;
  for (int other = 0; other < node.ranks; ++other) {
    if (other == rank) continue;
    step.sends.push_back(shown(other));
    step.from.push_back(other);
  }
  return step;
}

Step all_have_read(const Node& node, int rank) {
  return exchange(node, rank, [](int other) { return Send{other, 0, {}, true}; });
}

// Each adds up one part of all vectors. Of a reduce_scatter, bytes are those of all parts.
Steps reduce_scatter_steps(const Node& node, int rank) {
  const Parts divided{node.bytes, node.ranks};
  Steps steps;
  if (node.staged) steps.push_back(works(node.bytes, node.ranks));
  Step add = exchange(node, rank, [&](int other) {
    return Send{other, divided.bytes(other, 1), {sums, other, 1}, true};
  });
  add.combined = (node.ranks - 1) * divided.bytes(rank, 1);
  add.together = node.ranks;
  steps.push_back(std::move(add));
  if (!node.staged) steps.push_back(all_have_read(node, rank));
  return steps;
}

Steps reduce_steps(const Node& node, int rank) {
  if (node.staged) {
    if (rank > 0) return {works(node.bytes, node.ranks - 1), show(0, node.bytes, node.content)};
    Step add = hear_of_all(node);
    add.combined = (node.ranks - 1) * node.bytes;
    return {add};
  }
  // Each adds up a part of all vectors, and copies it to the root's.
  Steps steps = reduce_scatter_steps(node, rank);
  const std::int64_t own = Parts{node.bytes, node.ranks}.bytes(rank, 1);
  if (rank > 0) {
    steps.push_back(works(own, node.ranks - 1));
    steps.push_back(show(0, own, {parts, rank, 1}));
  } else {
    steps.push_back(hear_of_all(node));
  }
  return steps;
}

Steps broadcast_steps(const Node& node, int rank) {
  Steps steps;
  if (rank == 0) {
    if (node.staged) steps.push_back(works(node.bytes, 1));
    steps.push_back(show_all(node, node.bytes, node.content));
    if (!node.staged) steps.push_back(hear_of_all(node));
    return steps;
  }
  Step read = works(node.bytes, node.ranks - 1);
  read.from.push_back(0);
  steps.push_back(std::move(read));
  if (!node.staged) steps.push_back(show(0, 0, {}));
  return steps;
}

Steps gather_steps(const Node& node, int rank) {
  if (rank > 0) {
    Step copy = works(node.bytes, node.ranks - 1);
    if (!node.staged) copy.from.push_back(0);  // where the root's buffer is
    return {copy, show(0, node.bytes, node.content)};
  }
  Step collect = hear_of_all(node);
  if (!node.staged) return {show_all(node, 0, {}), collect};
  collect.copied = (node.ranks - 1) * node.bytes;
  return {collect};
}

// Each a block of the first rank's.
Steps scatter_steps(const Node& node, int rank) {
  if (rank > 0) {
    Step read = works(node.bytes, node.ranks - 1);
    read.from.push_back(0);
    if (node.staged) return {read};
    return {read, show(0, 0, {})};
  }
  Step give;
  for (int other = 1; other < node.ranks; ++other)
    give.sends.push_back({other, node.bytes, {Content::Kind::blocks, other, 1}, true});
  if (node.staged) return {works((node.ranks - 1) * node.bytes, 1), give};
  return {give, hear_of_all(node)};
}

// Of one part of a vector each.
Steps allgather_steps(const Node& node, int rank) {
  Steps steps;
  if (node.staged) steps.push_back(works(node.bytes, node.ranks));
  Step read = exchange(node, rank, [&](int other) {
    return Send{other, node.bytes, {parts, rank, 1}, true};
  });
  read.copied = (node.ranks - 1) * node.bytes;
  read.together = node.ranks;
  steps.push_back(std::move(read));
  if (!node.staged) steps.push_back(all_have_read(node, rank));
  return steps;
}

// Each its blocks; bytes are those of all of them.
Steps alltoall_steps(const Node& node, int rank) {
  const std::int64_t each = node.bytes / node.ranks;
  Steps steps;
  if (node.staged) steps.push_back(works(node.bytes, node.ranks));
  Step read = exchange(node, rank, [&](int other) {
    return Send{other, each, node.content, true};
  });
  read.copied = (node.ranks - 1) * each;
  read.together = node.ranks;
  steps.push_back(std::move(read));
  if (!node.staged) steps.push_back(all_have_read(node, rank));
  return steps;
}

StepsOf steps_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::reduce:
      return reduce_steps;
    case CollectiveKind::broadcast:
      return broadcast_steps;
    case CollectiveKind::gather:
      return gather_steps;
    case CollectiveKind::scatter:
      return scatter_steps;
    case CollectiveKind::allgather:
      return allgather_steps;
    case CollectiveKind::alltoall:
      return alltoall_steps;
    default:
      return reduce_scatter_steps;
  }
}

Schedule through_memory(CollectiveKind kind, const Node& node) {
  const StepsOf steps = steps_of(kind);
  const bool divides = kind == CollectiveKind::reduce_scatter ||
                       kind == CollectiveKind::allgather ||
                       (kind == CollectiveKind::reduce && !node.staged);
  Schedule made;
  made.ranks = node.ranks;
  if (divides) made.parts = node.ranks;
  made.steps = [=](int rank) { return static_cast<int>(steps(node, rank).size()); };
  made.step = [=](int rank, int index) {
    Step step = steps(node, rank)[static_cast<std::size_t>(index)];
    step.sees = true;
    return step;
  };
  return made;
}

}  // namespace

Schedule on_node(CollectiveKind kind, int ranks, std::int64_t bytes, Content content) {
  Schedule nothing_to_do;
  nothing_to_do.ranks = ranks;
  nothing_to_do.steps = [](int) { return 0; };
  if (ranks == 1) return nothing_to_do;
  const std::string name = chosen_by_library(kind, ranks, ranks, bytes).algorithm;
  const AlgorithmRow& row = row_of(library_algorithm(name).value());
  if (row.rounds > 0)
    return through_memory(kind, {ranks, bytes, content, !(row.needs & needs_direct)});
  const Known* known = find_algorithm(name);
  if (!known)
    throw std::runtime_error(fmt::format(
        "within a node of {} ranks the library takes {}, which has no schedule", ranks, name));
  if (kind == CollectiveKind::scatter) return known->make({ranks, ranks, bytes});
  return with_content(known->make({ranks, ranks, bytes}),
                      [content](int, Content) { return content; });
}

}  // namespace baton::cluster
