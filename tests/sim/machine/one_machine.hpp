// Machines for these tests: two packages of four cores, one of tiles with fast memory, and hosts
// that a network joins.
#pragma once

#include "sim/machine/description.hpp"

namespace baton::model {

inline Json number(double value, const char* unit) {
  return {{"value", value}, {"unit", unit}, {"source", "made for a test"}};
}

// A node has 10 GB/s, a line of it comes after 64 ns, 128 from the other package; ten at once.
inline Json two_packages() {
  return {
      {"title", "two packages"},
      {"shape",
       {{"packages", 2}, {"nodes_per_package", 1}, {"tiles_per_node", 4}, {"cores_per_tile", 1}}},
      {"memory", {{{"kind", "DDR3"}, {"bytes", 16ull << 30}, {"on", "cpus"}}}},
      {"parameters",
       {{"DDR3.bandwidth", number(10, "GB/s")},
        {"DDR3.latency", number(64, "ns")},
        {"DDR3.remote_latency", number(128, "ns")},
        {"link.bandwidth", number(4, "GB/s")},
        {"core.lines", number(10, "lines")}}}};
}

// 8 cores in tiles of two; DDR4 of 20 GB/s, MCDRAM of 100; the mesh carries 80.
inline Json with_fast_memory() {
  return {
      {"title", "with fast memory"},
      {"shape",
       {{"packages", 1}, {"nodes_per_package", 1}, {"tiles_per_node", 4}, {"cores_per_tile", 2}}},
      {"memory",
       {{{"kind", "DDR4"}, {"bytes", 96ull << 30}, {"on", "cpus"}},
        {{"kind", "MCDRAM"}, {"bytes", 16ull << 30}, {"on", "package"}}}},
      {"parameters",
       {{"DDR4.bandwidth", number(20, "GB/s")},
        {"DDR4.latency", number(128, "ns")},
        {"MCDRAM.bandwidth", number(100, "GB/s")},
        {"MCDRAM.latency", number(160, "ns")},
        {"mesh.bandwidth", number(80, "GB/s")},
        {"core.lines", number(40, "lines")}}}};
}

// Three hosts of two packages of four cores; a bus of 12 GB/s in each. Messages: 2 GB/s within a
// host, 0.5 between two, and no more than 0.8 for a host.
inline Json three_hosts() {
  Json json = two_packages();
  json["title"] = "three hosts";
  json["shape"]["hosts"] = 3;
  Json& parameters = json["parameters"];
  parameters.erase("link.bandwidth");
  parameters["bus.bandwidth"] = number(12, "GB/s");
  parameters["message.latency"] = number(1e8, "ns");
  parameters["message.bandwidth"] = number(2, "GB/s");
  parameters["network.latency"] = number(5e8, "ns");
  parameters["network.bandwidth"] = number(0.5, "GB/s");
  parameters["network.host_bandwidth"] = number(0.8, "GB/s");
  return json;
}

// Two packages whose ports carry 4 GB/s each way.
inline Json with_ports() {
  Json json = two_packages();
  json["parameters"].erase("link.bandwidth");
  json["parameters"]["port.bandwidth"] = number(4, "GB/s");
  return json;
}

}  // namespace baton::model
