// Small fabrics for these tests.
#pragma once

#include "sim/cluster/fabric.hpp"

namespace baton::cluster {

inline Json number(double value, const char* unit) {
  return {{"value", value}, {"unit", unit}, {"source", "made for a test"}};
}

// 1 GB/s, a microsecond, of which nothing is a switch's; no overhead, no header.
inline Json crossbar(int nodes = 16, int ranks_per_node = 1) {
  return {{"title", "a crossbar"},
          {"source", "made for a test"},
          {"ranks_per_node", ranks_per_node},
          {"topology", {{"kind", "crossbar"}, {"nodes", nodes}}},
          {"parameters",
           {{"network.bandwidth", number(1, "GB/s")},
            {"network.latency", number(1000, "ns")},
            {"switch.latency", number(1e-6, "ns")},
            {"network.overhead", number(1e-6, "ns")},
            {"message.header", number(1e-6, "bytes")},
            {"message.eager_max", number(1e12, "bytes")},
            {"node.latency", number(100, "ns")},
            {"node.overhead", number(1e-6, "ns")},
            {"node.core_copy", number(40, "GB/s")},
            {"node.memory_copy", number(80, "GB/s")},
            {"node.core_combine", number(1e6, "GB/s")},
            {"manager.latency", number(1000, "ns")},
            {"manager.overhead", number(1e-6, "ns")},
            {"manager.start_rank", number(1000, "ns")},
            {"connection.duration", number(10, "ns")},
            {"record.bytes", number(100, "bytes")}}}};
}

inline Json with(Json fabric, const char* name, double value) {
  fabric["parameters"][name]["value"] = value;
  return fabric;
}

}  // namespace baton::cluster
