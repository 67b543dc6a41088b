// Messages of ranks on one or several hosts, all begun at the same time. Parameters of the machine:
// message.latency and message.bandwidth of two ranks on one host, network.latency and
// network.bandwidth of two on different hosts; network.host_bandwidth (all that a host sends, and
// all that it receives) may be missing: then it limits nothing.
#pragma once

#include "sim/machine/simulate.hpp"

namespace baton::model {

struct Message {
  int from;
  int to;
  double bytes;
};

// `ranks` are how many each host has: rank 0 is on the first host. A rank's messages share what it
// sends, and what it receives: no more than the larger bandwidth of a pair, each direction. Throws
// std::runtime_error for what is wrong.
Case case_of_messages(const Description& description, const std::string& name,
                      const std::vector<int>& ranks, const std::vector<Message>& messages);

}  // namespace baton::model
