// A schedule by flows: each rank an actor of SimGrid, each message a flow that shares links fairly
// with all others (max-min). To some thousand ranks; shares.hpp does the same for more.
#pragma once

#include "sim/cluster/platform.hpp"
#include "sim/cluster/schedule.hpp"

namespace baton::cluster {

// Where ranks are: consecutive ones on a node.
struct Job {
  const Schedule* schedule;
  int ranks_per_node;
  Costs costs;  // beside the links' own
};

// When each rank has ended, of job after job. Once in a process.
std::vector<std::vector<double>> simulate_flows(Platform& platform, const std::vector<Job>& jobs);

// What else is simulated by the same run of the engine: `before` makes its actors, is run after the
// jobs, and fills in what it found.
using Extra = std::function<void()>;
std::vector<std::vector<double>> simulate_flows(Platform& platform, const std::vector<Job>& jobs,
                                                const std::vector<Extra>& extras);

}  // namespace baton::cluster
