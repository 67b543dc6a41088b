#include "sim/machine/description.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace baton::model {

namespace {

const Json& part(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) throw std::runtime_error(fmt::format("the file has no \"{}\"", key));
  return *found;
}

int count(const Json& shape, const char* key) {
  const Json& json = part(shape, key);
  constexpr int most = 4096;
  if (!json.is_number_integer() || json.get<long>() < 1 || json.get<long>() > most)
    throw std::runtime_error(fmt::format("shape: {} must be 1 to {}", key, most));
  return json.get<int>();
}

}  // namespace

Description::Description(const Json& file) : parameters_(part(file, "parameters")) {
  title_ = part(file, "title").get<std::string>();
  const Json& shape = part(file, "shape");
  if (shape.contains("hosts")) hosts_ = count(shape, "hosts");
  packages_ = count(shape, "packages");
  const int nodes = count(shape, "nodes_per_package"), tiles = count(shape, "tiles_per_node");
  const int cores = count(shape, "cores_per_tile");
  for (int package = 0; package < packages_; ++package)
    for (int node = package * nodes; node < (package + 1) * nodes; ++node)
      for (int tile = node * tiles; tile < (node + 1) * tiles; ++tile)
        for (int core = tile * cores; core < (tile + 1) * cores; ++core)
          machine_.cpus.push_back({core, core, tile, package, node, package});
  machine_.cpus_present = static_cast<int>(machine_.cpus.size());
  machine_.model = title_;
  add_memory(file, nodes);
  add_paths(nodes, tiles * cores);
  machine::judge_tiers(machine_);
  (void)parameters_["core.lines"];
  check_joints();
  const auto all = resources();
  for (std::size_t i = 0; i < all.size(); ++i) indexes_[all[i].name] = static_cast<int>(i);
}

// First the nodes that have CPUs, in the order of these; then the others.
void Description::add_memory(const Json& file, int nodes) {
  for (const char* on : {"cpus", "package"})
    for (const Json& memory : part(file, "memory")) {
      const auto where = part(memory, "on").get<std::string>();
      if (where != "cpus" && where != "package")
        throw std::runtime_error(
            fmt::format("memory on \"{}\": it is on \"cpus\" (each NUMA node "
                        "has some) or on each \"package\"",
                        where));
      if (where != on) continue;
      const bool near_cpus = where == "cpus";
      const auto kind = part(memory, "kind").get<std::string>();
      for (int i = 0; i < packages_ * (near_cpus ? nodes : 1); ++i) {
        machine::NumaNode node;
        node.os = static_cast<int>(nodes_.size());
        node.bytes = part(memory, "bytes").get<std::uint64_t>();
        node.has_cpus = near_cpus;
        node.kind = kind;
        nodes_.push_back({kind, near_cpus ? i / nodes : i});
        machine_.memory.push_back(node);
      }
    }
}

void Description::add_paths(int nodes, int cores) {
  for (machine::NumaNode& node : machine_.memory)
    for (int from = 0; from < packages_ * nodes; ++from) {
      const Node& its = nodes_[static_cast<std::size_t>(node.os)];
      machine::MemoryPath path;
      path.from = from;
      path.local = node.has_cpus ? node.os == from : its.package == from / nodes;
      path.mib_per_second = static_cast<std::uint64_t>(parameters_[its.kind + ".bandwidth"] *
                                                       bytes_in_gigabyte / (1 << 20));
      path.latency_nanoseconds =
          static_cast<std::uint64_t>(latency(from * cores, node.os) / seconds_in_nanosecond);
      path.distance = path.local ? 10 : 20;
      node.paths.push_back(path);
    }
}

void Description::check_joints() const {
  if (packages_ > 1 && !parameters_.has("port.bandwidth") && !parameters_.has("bus.bandwidth"))
    (void)parameters_["link.bandwidth"];
}

Description Description::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: no such machine file", path));
  try {
    return Description(Json::parse(file));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

std::vector<Resource> Description::resources() const {
  std::vector<Resource> all;
  auto add = [&](const std::string& name, const std::string& parameter) {
    if (parameters_.has(parameter))
      all.push_back({name, parameters_[parameter] * bytes_in_gigabyte});
  };
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    add(fmt::format("memory {}", node), nodes_[node].kind + ".bandwidth");
  add("bus", "bus.bandwidth");
  for (int a = 0; a < packages_; ++a) {
    add(fmt::format("mesh {}", a), "mesh.bandwidth");
    add(fmt::format("port {} out", a), "port.bandwidth");
    add(fmt::format("port {} in", a), "port.bandwidth");
    for (int b = 0; b < packages_; ++b)
      if (a != b) add(fmt::format("link {}-{}", a, b), "link.bandwidth");
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].package != a)
        add(fmt::format("remote {}-{}", a, node), nodes_[node].kind + ".remote_bandwidth");
  }
  for (int tile = 0; tile <= machine_.cpus.back().l2; ++tile)
    add(fmt::format("tile {}", tile), "tile.bandwidth");
  return all;
}

const machine::Cpu& Description::cpu(int os) const {
  if (os < 0 || os >= static_cast<int>(machine_.cpus.size()))
    throw std::runtime_error(fmt::format("the machine has no CPU {}", os));
  return machine_.cpus[static_cast<std::size_t>(os)];
}

int Description::package_of_node(int node) const {
  (void)kind_of_node(node);
  return nodes_[static_cast<std::size_t>(node)].package;
}

const std::string& Description::kind_of_node(int node) const {
  if (node < 0 || node >= static_cast<int>(nodes_.size()))
    throw std::runtime_error(fmt::format("the machine has no NUMA node {}", node));
  return nodes_[static_cast<std::size_t>(node)].kind;
}

double Description::latency(int of, int node) const {
  const bool remote = cpu(of).package != package_of_node(node);
  return parameters_[kind_of_node(node) + (remote ? ".remote_latency" : ".latency")] *
         seconds_in_nanosecond;
}

int Description::index_of(const std::string& name) const {
  const auto found = indexes_.find(name);
  return found == indexes_.end() ? -1 : found->second;
}
int Description::memory_resource(int node) const {
  return index_of(fmt::format("memory {}", node));
}
int Description::link_resource(int from_package, int to_package) const {
  return index_of(fmt::format("link {}-{}", from_package, to_package));
}
int Description::mesh_resource(int package) const {
  return index_of(fmt::format("mesh {}", package));
}
int Description::tile_resource(int tile) const {
  return index_of(fmt::format("tile {}", tile));
}
int Description::remote_resource(int package, int node) const {
  return index_of(fmt::format("remote {}-{}", package, node));
}
int Description::port_resource(int package, bool out) const {
  return index_of(fmt::format("port {} {}", package, out ? "out" : "in"));
}
int Description::bus_resource() const {
  return index_of("bus");
}

}  // namespace baton::model
