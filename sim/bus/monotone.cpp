#include "sim/bus/monotone.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace baton::bus {

NLOHMANN_JSON_SERIALIZE_ENUM(Axis, {{Axis::nodes, "nodes"},
                                    {Axis::idle_share, "idle_share"},
                                    {Axis::message, "message"}})

namespace {

using Key = std::tuple<int, Bytes, Bytes, double>;

/// All of a row's coordinates but the one along the axis.
Key others(Axis axis, const Row& row) {
  return {axis == Axis::nodes ? 0 : row.nodes, axis == Axis::message ? 0 : row.message, row.earlier,
          axis == Axis::idle_share ? 0 : row.idle_share};
}

double along(Axis axis, const Row& row) {
  switch (axis) {
    case Axis::nodes:
      return row.nodes;
    case Axis::idle_share:
      return row.idle_share;
    case Axis::message:
      return static_cast<double>(row.message);
  }
  return 0;
}

double busy_share(const Row& row) {
  return row.busy_mean / (row.nodes - 1);
}

void count(const Row& from, const Row& to, Trend& trend) {
  constexpr double same = 1e-9;
  double change = to.gain_mean - from.gain_mean;
  if (change > same) ++trend.grew;
  if (change >= -same && change <= same) ++trend.same;
  if (change >= -same) return;
  ++trend.fell;
  if (change < trend.greatest.to.gain_mean - trend.greatest.from.gain_mean)
    trend.greatest = {from, to};
  if (to.busy_mean == 0)
    ++trend.fell_all_idle;
  else if (to.hidden)
    ++trend.fell_hidden;
  else if (busy_share(to) > busy_share(from) && to.nodes != from.nodes)
    ++trend.fell_rounding;
  else
    trend.other.push_back({from, to});
}

Json describe(const Fall& fall) {
  return {{"from", describe(fall.from)}, {"to", describe(fall.to)}};
}

}  // namespace

Trend trend_along(Axis axis, std::span<const Row> rows) {
  std::map<Key, std::vector<Row>> lines;
  for (const Row& row : rows) lines[others(axis, row)].push_back(row);
  Trend trend;
  trend.axis = axis;
  for (auto& [key, line] : lines) {
    std::ranges::sort(line, {}, [axis](const Row& row) { return along(axis, row); });
    for (std::size_t at = 1; at < line.size(); ++at) count(line[at - 1], line[at], trend);
  }
  return trend;
}

Json describe(const Trend& trend) {
  Json described = {{"axis", trend.axis},
                    {"grew", trend.grew},
                    {"same", trend.same},
                    {"fell", trend.fell},
                    {"fell_because_nothing_is_waited_for", trend.fell_hidden},
                    {"fell_because_all_are_idle", trend.fell_all_idle},
                    {"fell_because_shares_are_rounded", trend.fell_rounding},
                    {"fell_otherwise", trend.other.size()}};
  if (trend.fell > 0) described["greatest_fall"] = describe(trend.greatest);
  Json examples = Json::array();
  for (std::size_t at = 0; at < std::min<std::size_t>(trend.other.size(), 5); ++at)
    examples.push_back(describe(trend.other[at]));
  described["examples_otherwise"] = examples;
  return described;
}

Json means_along(Axis axis, std::span<const Row> rows) {
  std::map<double, std::pair<double, int>> sums;
  for (const Row& row : rows) {
    auto& [sum, count_of_rows] = sums[along(axis, row)];
    sum += row.gain_mean;
    ++count_of_rows;
  }
  Json means = Json::array();
  for (const auto& [value, sum] : sums)
    means.push_back({{word_of(axis), value}, {"gain_mean", sum.first / sum.second}});
  return means;
}

}  // namespace baton::bus
