// The one model that SystemC allows a process, for all tests of a program.
#pragma once

#include <gtest/gtest.h>

#include "sim/bus/machine.hpp"

namespace baton::bus {

inline Machine& one_machine() {
  static Machine machine(nodes_max, 8);
  return machine;
}

/// The outcome; a case that cannot be simulated fails the test.
inline Outcome simulated(const Case& given) {
  auto outcome = one_machine().simulate(given);
  EXPECT_TRUE(outcome.has_value()) << outcome.error();
  return outcome.value_or(Outcome{});
}

inline Outcome simulated(Case given, Order order) {
  given.order = order;
  return simulated(given);
}

/// All nodes idle, all blocks alike.
inline Case plain_case(int nodes, Bytes message) {
  Case made;
  made.nodes = nodes;
  made.blocks.assign(static_cast<std::size_t>(nodes), message);
  made.channels.resize(static_cast<std::size_t>(nodes));
  return made;
}

inline std::vector<int> order_of(const Outcome& outcome) {
  std::vector<int> order;
  for (const Transfer& transfer : outcome.transfers) order.push_back(transfer.node);
  return order;
}

/// Every node but the root was served once by each root, or is named as undelivered; blocks have
/// their sizes, the bus carries one at a time, nothing is moved into a busy node unless it is
/// forced.
void expect_all_served(const Case& given, const Outcome& outcome);

}  // namespace baton::bus
