// A scatter from rank 0 whose receivers are partly busy, in the library's three orders: by rank,
// all at once; by status, some at a time, with the library's own choice of whom to serve
// (collective/next_served.hpp); blocking, one after the other by rank. One rank a node: what is
// busy is the node's channel, which receives something else first. By flows, or in closed form with
// the root's link as the only one that is shared.
#pragma once

#include "base/order.hpp"
#include "sim/cluster/platform.hpp"

namespace baton::cluster {

struct ScatterOrder {
  Order order = Order::rank;
  int ranks = 0;
  std::int64_t bytes = 0;       // of a block
  double busy = 0;              // share of the receivers
  std::int64_t busy_bytes = 0;  // that these still receive, on average: half to one and a half
};

struct ScatterTimes {
  double last = 0;       // when the last rank has its block
  double mean = 0;       // of all ranks
  double mean_idle = 0;  // of those that were not busy
};

// How many a root serves at a time (src/collective/serving.cpp); 0: all.
int at_once(Order order);
// What a rank still receives of something else; 0: it is idle.
std::int64_t busy_bytes_of(const ScatterOrder& given, int rank);

// In an actor of the platform's engine.
ScatterTimes scatter_by_flows(Platform& platform, const ScatterOrder& given);
ScatterTimes scatter_in_closed_form(Platform& platform, const ScatterOrder& given);

}  // namespace baton::cluster
