#include "sim/cluster/fabric.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace baton::cluster {

namespace {

// SimGrid has an object for each node; a job of 100 000 ranks, one a node, fits.
constexpr int nodes_max = 131072;
constexpr int hosts_max = 64;  // of one machine: a route for each pair

const Json& part(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) throw std::runtime_error(fmt::format("has no \"{}\"", name));
  return *found;
}

int positive(const Json& json, const char* name) {
  const Json& value = part(json, name);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
      value.get<std::int64_t>() > nodes_max)
    throw std::runtime_error(
        fmt::format("\"{}\" must be a whole number from 1 to {}", name, nodes_max));
  return value.get<int>();
}

std::vector<unsigned> levels(const Json& json, const char* name) {
  std::vector<unsigned> all;
  const Json& list = part(json, name);
  if (!list.is_array() || list.empty())
    throw std::runtime_error(fmt::format("\"{}\" must have a number for each level", name));
  for (const Json& one : list) all.push_back(static_cast<unsigned>(positive({{name, one}}, name)));
  return all;
}

int product(std::initializer_list<unsigned> factors) {
  std::int64_t nodes = 1;
  for (unsigned factor : factors)
    if ((nodes *= factor) > nodes_max)
      throw std::runtime_error(fmt::format("has more than {} nodes", nodes_max));
  return static_cast<int>(nodes);
}

void read_one_machine(const Json& json, Topology& made) {
  made.kind = Topology::Kind::one_machine;
  made.nodes = positive(json, "nodes");
  made.cores = positive(json, "cores");
  if (made.nodes > hosts_max)
    throw std::runtime_error(fmt::format("one machine has at most {} hosts", hosts_max));
}

void read_fat_tree(const Json& json, Topology& made) {
  made.kind = Topology::Kind::fat_tree;
  made.down = levels(json, "down");
  made.up = levels(json, "up");
  made.links = levels(json, "links");
  if (made.down.size() != made.up.size() || made.down.size() != made.links.size())
    throw std::runtime_error("\"down\", \"up\" and \"links\" must have as many levels");
  made.nodes = 1;
  for (unsigned each : made.down) made.nodes = product({static_cast<unsigned>(made.nodes), each});
}

void read_dragonfly(const Json& json, Topology& made) {
  made.kind = Topology::Kind::dragonfly;
  auto number = [&](const char* name) { return static_cast<unsigned>(positive(json, name)); };
  made.groups = number("groups");
  made.global_links = number("global_links");
  made.switches = number("switches");
  made.switch_links = number("switch_links");
  made.nodes_per_switch = number("nodes_per_switch");
  // SimGrid joins two groups at the switches of their numbers.
  if (made.groups > made.switches)
    throw std::runtime_error(
        fmt::format("{} groups of {} switches: a group has a switch for each group", made.groups,
                    made.switches));
  made.nodes = product({made.groups, made.switches, made.nodes_per_switch});
}

Topology topology_of(const Json& json) {
  Topology made;
  if (!json.is_object()) throw std::runtime_error("must be an object");
  const Json& kind = part(json, "kind");
  made.name = kind.is_string() ? kind.get<std::string>() : "";
  if (made.name == "crossbar")
    made.nodes = positive(json, "nodes");
  else if (made.name == "one machine")
    read_one_machine(json, made);
  else if (made.name == "fat tree")
    read_fat_tree(json, made);
  else if (made.name == "dragonfly")
    read_dragonfly(json, made);
  else
    throw std::runtime_error(fmt::format(
        "\"kind\" is crossbar, one machine, fat tree or dragonfly, not \"{}\"", made.name));
  return made;
}

constexpr const char* needed[] = {
    "network.bandwidth", "network.latency",    "network.overhead",    "switch.latency",
    "message.header",    "message.eager_max",  "node.latency",        "node.overhead",
    "node.core_copy",    "node.memory_copy",   "node.core_combine",   "manager.latency",
    "manager.overhead",  "manager.start_rank", "connection.duration", "record.bytes"};

std::string text(const Json& json, const char* name) {
  const Json& value = part(json, name);
  if (!value.is_string() || value.get<std::string>().empty())
    throw std::runtime_error(fmt::format("\"{}\" must be text", name));
  return value.get<std::string>();
}

}  // namespace

Fabric::Fabric(const Json& file)
    : parameters_(file.is_object() && file.contains("parameters") ? file["parameters"] : Json()) {
  title_ = text(file, "title");
  source_ = text(file, "source");
  ranks_per_node_ = positive(file, "ranks_per_node");
  try {
    topology_ = topology_of(part(file, "topology"));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("topology: {}", error.what()));
  }
  for (const char* name : needed) (void)parameters_[name];
  if (topology_.cores > 0) (void)parameters_["network.message_bandwidth"];
}

Fabric Fabric::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: no such file of a fabric", path));
  try {
    return Fabric(Json::parse(file));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
}

Costs Fabric::costs() const {
  const Parameters& known = parameters_;
  auto seconds = [&](const char* name) { return known[name] * model::seconds_in_nanosecond; };
  auto rate = [&](const char* name) { return known[name] * model::bytes_in_gigabyte; };
  return {rate("network.bandwidth"),
          seconds("network.latency"),
          seconds("switch.latency"),
          seconds("network.overhead"),
          seconds("node.latency"),
          seconds("node.overhead"),
          rate("node.core_copy"),
          rate("node.memory_copy"),
          rate("node.core_combine"),
          known["message.header"],
          static_cast<std::int64_t>(known["message.eager_max"]),
          topology_.cores,
          topology_.cores > 0 ? rate("network.message_bandwidth") : 0};
}

}  // namespace baton::cluster
