// A schedule by shares: each link divides itself equally among the messages that are on it,
// whatever holds them up elsewhere, and a message has passed when it has passed all its links. The
// same steps, overheads and latencies as in flows.hpp, without an engine: 100 000 ranks take
// seconds. Of steps that are alike a sample stands for all. Agrees with flows.hpp within 5 % where
// both run (tests/sim/cluster/).
#pragma once

#include "sim/cluster/algorithms.hpp"
#include "sim/cluster/platform.hpp"

namespace baton::cluster {

// When each rank has ended.
std::vector<double> simulate_shares(Platform& platform, const Schedule& schedule,
                                    int ranks_per_node, const Costs& costs);

struct Estimate {
  double seconds;
  bool sampled;  // of steps that are alike only some were simulated
};

// So many messages are simulated before a sample is made.
inline constexpr std::int64_t messages_max = 2'000'000;

Estimate estimate(Platform& platform, const Known& algorithm, const Call& call, const Costs& costs,
                  std::int64_t most = messages_max);

}  // namespace baton::cluster
