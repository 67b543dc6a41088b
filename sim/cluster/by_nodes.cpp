// Collectives that the library divides by nodes (src/collective/algorithm/*_by_nodes*.cpp): steps
// within nodes (on_node.hpp) and among one rank of each, whose algorithm the library chooses, too.
#include <algorithm>

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/on_node.hpp"
#include "sim/cluster/parts.hpp"

namespace baton::cluster {

namespace {

using Kind = CollectiveKind;

constexpr Content whole{Content::Kind::parts, 0, 1}, sum{Content::Kind::sums, 0, 1};
constexpr std::int64_t word_bytes = 8;  // what ranks of a node show each other in a barrier

Schedule within(const Call& call, Kind kind, std::int64_t bytes, Content content) {
  return within_nodes(call.ranks, call.ranks_per_node,
                      [=](int size) { return on_node(kind, size, bytes, content); });
}

// Of one rank of each node, by what the library takes for those.
Schedule between(const Call& call, Kind kind, std::int64_t bytes) {
  const int nodes = nodes_of(call.ranks, call.ranks_per_node);
  const Known& known = *find_algorithm(chosen_by_library(kind, nodes, 1, bytes).algorithm);
  return known.make({nodes, 1, bytes, call.sample});
}

Schedule among_firsts(const Call& call, const Schedule& some) {
  return among_leaders(some, call.ranks, call.ranks_per_node);
}

Schedule on_tree(const Call& call, Schedule (*make)(const Call&)) {
  return among_firsts(call, make({nodes_of(call.ranks, call.ranks_per_node), 1, call.bytes}));
}

}  // namespace

Schedule barrier_by_nodes(const Call& call) {
  return then(then(within(call, Kind::reduce, word_bytes, {}),
                   among_firsts(call, between(call, Kind::barrier, 0))),
              within(call, Kind::broadcast, word_bytes, {}));
}

Schedule broadcast_by_nodes(const Call& call) {
  return then(on_tree(call, broadcast_binomial), within(call, Kind::broadcast, call.bytes, whole));
}

Schedule reduce_by_nodes(const Call& call) {
  return then(within(call, Kind::reduce, call.bytes, sum), on_tree(call, reduce_binomial));
}

Schedule allreduce_by_nodes(const Call& call) {
  return then(then(within(call, Kind::reduce, call.bytes, sum),
                   among_firsts(call, between(call, Kind::allreduce, call.bytes))),
              within(call, Kind::broadcast, call.bytes, whole));
}

namespace {

// `across(nodes, bytes)`: what ranks of one number do with a part.
template <class Across>
Schedule allreduce_in_parts(const Call& call, Across across) {
  const std::int64_t element = call.bytes % Parts::element_bytes ? 1 : Parts::element_bytes;
  const int width = std::min(call.ranks, call.ranks_per_node);
  // As the library does where the vector cannot be divided; of unequal nodes it takes the other
  // one.
  if (call.bytes / element % width || call.ranks % width) return allreduce_by_nodes(call);
  const std::int64_t part = call.bytes / width;
  return then(then(within(call, Kind::reduce_scatter, call.bytes, {}),
                   by_columns(across(call.ranks / width, part), width)),
              within(call, Kind::allgather, part, {}));
}

}  // namespace

Schedule allreduce_by_nodes_in_parts(const Call& call) {
  return allreduce_in_parts(
      call, [&](int, std::int64_t part) { return between(call, Kind::allreduce, part); });
}

Schedule allreduce_by_nodes_in_parts_far(const Call& call) {
  return allreduce_in_parts(call, [](int nodes, std::int64_t part) {
    return allreduce_halving_far({nodes, 1, part});
  });
}

// In these all nodes have as many ranks; else the library does not take them.

Schedule gather_by_nodes(const Call& call) {
  const int width = std::min(call.ranks, call.ranks_per_node);
  const Content all{Content::Kind::gathered, 0, 0};
  const Schedule to_root = with_content(
      gather_linear({nodes_of(call.ranks, call.ranks_per_node), 1, call.bytes * width}),
      [all](int, Content) { return all; });
  return then(within(call, Kind::gather, call.bytes, all), among_firsts(call, to_root));
}

Schedule scatter_by_nodes(const Call& call) {
  const int width = std::min(call.ranks, call.ranks_per_node);
  const Schedule from_root = with_content(
      scatter_linear({nodes_of(call.ranks, call.ranks_per_node), 1, call.bytes * width}),
      [width](int, Content content) {
        return Content{content.kind, content.first * width, content.count * width};
      });
  const Schedule handing_out =
      with_content(within(call, Kind::scatter, call.bytes, {}), [width](int rank, Content content) {
        return Content{content.kind, rank / width * width + content.first, content.count};
      });
  return then(among_firsts(call, from_root), handing_out);
}

Schedule allgather_by_nodes(const Call& call) {
  const int width = std::min(call.ranks, call.ranks_per_node);
  const Content all{Content::Kind::gathered, 0, 0};
  const Schedule exchange = with_content(
      between(call, Kind::allgather, call.bytes * width), [width](int, Content content) {
        return Content{content.kind, content.first * width, content.count * width};
      });
  return then(then(within(call, Kind::gather, call.bytes, all), among_firsts(call, exchange)),
              within(call, Kind::broadcast, call.bytes * call.ranks, all));
}

Schedule alltoall_by_nodes(const Call& call) {
  const int width = std::min(call.ranks, call.ranks_per_node);
  // Packed by number, and once more by node.
  const auto into_order = [&call](int size) {
    Schedule copying;
    copying.ranks = size;
    copying.steps = [](int) { return 1; };
    copying.step = [bytes = call.bytes, size](int, int) {
      Step step;
      step.copied = bytes;
      step.together = size;
      return step;
    };
    return copying;
  };
  const Schedule order = within_nodes(call.ranks, call.ranks_per_node, into_order);
  const Schedule spread = with_content(
      by_columns(between(call, Kind::alltoall, call.bytes), width), [width](int, Content content) {
        return content.kind == Content::Kind::bit
                   ? Content{Content::Kind::bit, content.first, width}
                   : Content{Content::Kind::handed, 0, 0};
      });
  const Content likes{Content::Kind::likes, width, 0};
  return then(then(then(order, within(call, Kind::alltoall, call.bytes, likes)), order), spread);
}

}  // namespace baton::cluster
