// A fabric that is described: the shape of its network and what its parts can do, from its file:
//   title, ranks_per_node, source (of the shape),
//   topology {kind: "crossbar", nodes}
//          | {kind: "one machine", nodes, cores}: hosts of which each is a part of one machine, so
//             that all messages share one link, and all CPU time of messages these cores,
//          | {kind: "fat tree", down: [...], up: [...], links: [...]}, as SimGrid's parameters are
//          | {kind: "dragonfly", groups, global_links, switches (of a group), switch_links,
//             nodes_per_switch},
//   parameters, each with its reference (sim/machine/parameter.hpp); of one machine also
//   network.message_bandwidth, what one message takes of the link at most.
// Read by main.cpp; platform.hpp makes it for SimGrid.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/parameter.hpp"

namespace baton::cluster {

using model::Json;
using model::Parameters;

struct Topology {
  enum class Kind : std::uint8_t { crossbar, one_machine, fat_tree, dragonfly };
  Kind kind = Kind::crossbar;
  std::string name;
  int nodes = 0;
  int cores = 0;  // that all nodes share; 0: each rank has its own
  std::vector<unsigned> down, up, links;
  unsigned groups = 0, global_links = 0, switches = 0, switch_links = 0, nodes_per_switch = 0;
};

// What steps cost, in seconds, bytes and bytes per second.
struct Costs {
  double link = 0;             // a link of the network, each direction
  double latency = 0;          // of a message, without switches
  double switch_latency = 0;   // of each switch
  double overhead = 0;         // CPU time of a send, and of a receive, between nodes
  double node_latency = 0;     // within a node
  double node_overhead = 0;    // the same
  double core_copy = 0;        // of one message within a node
  double node_copy = 0;        // of all on a node
  double combine = 0;          // of one core that adds up
  double header = 0;           // bytes of a message beside its data
  std::int64_t eager_max = 0;  // longer ones wait for the receiver's answer, and for their end
  int cores = 0;               // as in Topology
  double one_message = 0;      // of one message between nodes, below that of its links; 0: none
};

class Fabric {
 public:
  // Throws std::runtime_error in one line for whatever is wrong.
  explicit Fabric(const Json& file);
  static Fabric read(const std::string& path);

  const std::string& title() const { return title_; }
  const std::string& source() const { return source_; }
  const Topology& topology() const { return topology_; }
  int ranks_per_node() const { return ranks_per_node_; }
  const Parameters& parameters() const { return parameters_; }
  Costs costs() const;

 private:
  std::string title_, source_;
  Topology topology_;
  int ranks_per_node_ = 1;
  Parameters parameters_;
};

}  // namespace baton::cluster
