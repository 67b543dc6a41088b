#include "sim/bus/order.hpp"

#include <algorithm>
#include <tuple>

namespace baton::bus {

namespace {

bool before(Order order, const StatusEntry& one, const StatusEntry& other) {
  if (order == Order::rank) return one.node < other.node;
  auto key = [](const StatusEntry& entry) {
    return std::tuple(!entry.idle, entry.idle ? 0 : entry.left, entry.node);
  };
  return key(one) < key(other);
}

Choice choice_of(Order order, const StatusEntry& entry) {
  if (order == Order::rank) return {entry.node, Reason::rank_order};
  return {entry.node, entry.idle ? Reason::idle : Reason::least_left};
}

}  // namespace

std::vector<Choice> serve_order(Order order, std::span<const StatusEntry> status) {
  std::vector<StatusEntry> entries(status.begin(), status.end());
  auto earlier = [order](const StatusEntry& one, const StatusEntry& other) {
    return before(order, one, other);
  };
  if (!std::ranges::is_sorted(entries, earlier)) std::ranges::sort(entries, earlier);
  std::vector<Choice> choices;
  choices.reserve(entries.size());
  for (const StatusEntry& entry : entries) choices.push_back(choice_of(order, entry));
  return choices;
}

Choice choose_next(Order order, std::span<const StatusEntry> status) {
  auto first =
      std::ranges::min_element(status, [order](const StatusEntry& one, const StatusEntry& other) {
        return before(order, one, other);
      });
  return choice_of(order, *first);
}

}  // namespace baton::bus
