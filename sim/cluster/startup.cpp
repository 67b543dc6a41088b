#include "sim/cluster/startup.hpp"

#include <algorithm>

namespace baton::cluster {

namespace {

int parent_of(int node, int fan_out) {
  return (node - 1) / fan_out;
}

// A node and all below it.
std::int64_t below(int node, int nodes, int fan_out) {
  std::int64_t count = 0, first = node, last = node;
  while (first < nodes) {
    count += std::min<std::int64_t>(last, nodes - 1) - first + 1;
    first = first * fan_out + 1;
    last = last * fan_out + fan_out;
  }
  return count;
}

int depth_of(int nodes, int fan_out) {
  int depth = 0;
  for (int node = nodes - 1; node > 0; node = parent_of(node, fan_out)) ++depth;
  return depth;
}

}  // namespace

Schedule exchange_of_records(int nodes, int fan_out, std::int64_t bytes_of_node) {
  Schedule made;
  made.ranks = nodes;
  auto children = [nodes, fan_out](int node) {
    const std::int64_t first = std::int64_t{node} * fan_out + 1;
    return static_cast<int>(std::clamp<std::int64_t>(nodes - first, 0, fan_out));
  };
  // Children's records come; all go up; all come down; and go on.
  made.steps = [=](int node) { return 2 * (children(node) > 0) + 2 * (node > 0); };
  made.step = [=](int node, int index) {
    Step step;
    const int first = node * fan_out + 1;
    const bool inner = children(node) > 0;
    if (inner && index == 0) {
      for (int child = 0; child < children(node); ++child) step.from.push_back(first + child);
      return step;
    }
    index -= inner;
    if (node > 0 && index == 0) {
      step.sends.push_back({parent_of(node, fan_out),
                            below(node, nodes, fan_out) * bytes_of_node,
                            {Content::Kind::gathered}});
    } else if (node > 0 && index == 1) {
      step.from.push_back(parent_of(node, fan_out));
    } else {
      for (int child = 0; child < children(node); ++child)
        step.sends.push_back({first + child, nodes * bytes_of_node, {Content::Kind::handed}});
    }
    return step;
  };
  return made;
}

Costs manager_costs(const Fabric& fabric) {
  Costs costs = fabric.costs();
  const Parameters& known = fabric.parameters();
  costs.latency = known["manager.latency"] * model::seconds_in_nanosecond;
  costs.overhead = known["manager.overhead"] * model::seconds_in_nanosecond;
  costs.eager_max = INT64_MAX;  // a stream: nobody answers
  return costs;
}

Startup startup_in_closed_form(const Fabric& fabric, int ranks, int ranks_per_node, int fan_out,
                               int contacts) {
  const Parameters& known = fabric.parameters();
  const double connection = known["connection.duration"] * model::seconds_in_nanosecond;
  const double start_rank = known["manager.start_rank"] * model::seconds_in_nanosecond;
  const Costs managers = manager_costs(fabric);
  const int nodes = nodes_of(ranks, ranks_per_node);
  Startup startup;
  startup.start = depth_of(nodes, fan_out) *
                      (managers.latency + managers.overhead * (1 + std::min(fan_out, nodes))) +
                  start_rank * std::min(ranks, ranks_per_node);
  const int others = ranks - std::min(ranks, ranks_per_node);
  startup.connect_all = connection * others;
  startup.connect_few = connection * std::min(contacts, others);
  return startup;
}

}  // namespace baton::cluster
