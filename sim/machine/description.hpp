// A machine that is modelled, from its file: the plain data that Baton plans with (machine/), and
// what its memory, links and caches can do. A file has
//   title, shape {hosts, packages, nodes_per_package, tiles_per_node, cores_per_tile},
//   memory [{kind, bytes, on: "cpus" | "package"}], parameters.
// Hosts, 1 where none are said, are all alike; Baton plans each for itself.
// Parameters of a memory kind K: K.bandwidth (of a node), K.latency, and K.remote_latency where
// there are several packages; core.lines; and what joins packages: link.bandwidth (of each pair,
// each direction), port.bandwidth (of a package to all others, each direction) or bus.bandwidth
// (all memory of a host together). What may be missing limits nothing: mesh.bandwidth (of a
// package), tile.bandwidth (of the cache that the cores of a tile share), K.remote_bandwidth (what
// all cores of a package draw from a node of another). Messages have parameters of their own,
// messages.hpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "sim/machine/parameter.hpp"

namespace baton::model {

// A thing that flows share: no more than `bytes_per_second` through it.
struct Resource {
  std::string name;
  double bytes_per_second;
};

class Description {
 public:
  // Throws std::runtime_error in one line for whatever is wrong.
  explicit Description(const Json& file);
  static Description read(const std::string& path);

  const std::string& title() const { return title_; }
  int hosts() const { return hosts_; }
  const machine::Machine& machine() const { return machine_; }
  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  // Of one host, as the parameters are now.
  std::vector<Resource> resources() const;

  // By kernel numbers of CPUs and of NUMA nodes. Throws where there is no such one.
  const machine::Cpu& cpu(int os) const;
  int package_of_node(int node) const;
  const std::string& kind_of_node(int node) const;
  // From a CPU to a node's memory, in seconds.
  double latency(int cpu, int node) const;

  // Indexes into resources(); -1: there is none.
  int memory_resource(int node) const;
  int link_resource(int from_package, int to_package) const;
  int mesh_resource(int package) const;
  int tile_resource(int tile) const;
  int remote_resource(int package, int node) const;
  int port_resource(int package, bool out) const;
  int bus_resource() const;

 private:
  struct Node {
    std::string kind;
    int package;
  };
  void add_memory(const Json& file, int nodes);
  void add_paths(int nodes, int cores);
  void check_joints() const;
  int index_of(const std::string& name) const;

  std::string title_;
  machine::Machine machine_;
  std::vector<Node> nodes_;  // by kernel number
  Parameters parameters_;
  std::map<std::string, int> indexes_;  // of resources()
  int hosts_ = 1;
  int packages_ = 0;
};

}  // namespace baton::model
