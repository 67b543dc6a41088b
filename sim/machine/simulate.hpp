// Flows through shared resources, on SimGrid: its model CM02, in which what passes a resource
// shares it fairly (max-min), with no latency, no traffic against the data's way, and no window.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/flow.hpp"

namespace baton::model {

// One rank of a case: in each step all its flows go on at the same time, or, in turn, those of one
// part; the next step begins when all have ended. The order of turns is drawn, the same in every
// run. `bytes` are those that the program counts, of all steps.
struct Work {
  std::vector<Flow> flows;
  double bytes;
  Order order = Order::at_once;
  double begins = 0;  // seconds after the case: a message's latency
};

struct Case {
  std::string name;
  std::vector<Resource> resources;
  std::vector<Work> ranks;
};

struct Times {
  std::vector<double> seconds;  // when each rank had ended
  double all() const;
};

// One case after the other. Once in a process: SimGrid has one engine. Of a case whose ranks are
// divided into `steps`; more steps follow more closely how flows that end free what others want.
std::vector<Times> simulate(const std::vector<Case>& cases, int steps);

}  // namespace baton::model
