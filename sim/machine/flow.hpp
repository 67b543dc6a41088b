// What a core that reads and writes memory asks of the machine. Pure: a description in, resources
// with their weights and a bound out. Writing through the cache also reads what is overwritten.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/description.hpp"

namespace baton::model {

// What data of a node's memory passes, to the CPU or from it: resources with weights.
std::vector<std::pair<int, int>> way(const Description& description, const machine::Cpu& cpu,
                                     int node, bool to_memory);

// A share of a core's traffic.
struct Share {
  int node;
  double reads = 0;  // bytes of each byte that the program counts
  double writes = 0;
};

// One flow of a core: so many bytes for each byte that the program counts, and so much of what it
// passes.
struct Flow {
  std::string name;
  double bytes_per_byte;
  std::vector<std::pair<int, int>> uses;  // resource and weight, at least 1
  double bytes_per_second_max;            // of this flow
  int part = 0;                           // with which share it belongs together
};

// Of a core that does all shares at the same time, in proportion, with so many lines under way at
// once: none of them is quicker than its part of
//   lines x 64 bytes / (mean latency of a byte that the program counts).
// `lines` 1 is a program that follows pointers. Of shares that it does in turn, a page of one and
// then a page of another, each has all lines while it lasts. `computing` is the time of a byte
// that the core spends besides, with no line under way.
enum class Order { at_once, in_turn };
std::vector<Flow> flows_of(const Description& description, int cpu,
                           const std::vector<Share>& shares, double lines,
                           Order order = Order::at_once, double computing = 0);

inline constexpr double line_bytes = 64;

}  // namespace baton::model
