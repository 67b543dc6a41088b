// Cases and outcomes as JSON, for the commands. Says what was simulated in full: a report can be
// redone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/bus/case.hpp"
#include "sim/bus/draw.hpp"

namespace baton::bus {

using Json = nlohmann::ordered_json;

// The words of reports and options.
NLOHMANN_JSON_SERIALIZE_ENUM(Operation,
                             {{Operation::scatter, "scatter"}, {Operation::gather, "gather"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Order, {{Order::rank, "rank"}, {Order::status, "status"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Start, {{Start::all, "all"}, {Start::next, "next"}})
NLOHMANN_JSON_SERIALIZE_ENUM(LookUp, {{LookUp::once, "once"}, {LookUp::per_node, "per-node"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Topology, {{Topology::bus, "bus"},
                                        {Topology::ring, "ring"},
                                        {Topology::mesh, "mesh"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Detail, {{Detail::bytes, "bytes"},
                                      {Detail::classes, "classes"},
                                      {Detail::idle_only, "idle"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Condition, {{Condition::sound, "sound"},
                                         {Condition::never, "never idle"},
                                         {Condition::dead, "dead"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Busy,
                             {{Busy::share, "share"}, {Busy::each, "each"}, {Busy::count, "count"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Left, {{Left::whole, "whole"}, {Left::drawn, "drawn"}})

template <class T>
std::string word_of(T value) {
  return Json(value).template get<std::string>();
}

/// How much longer the old order takes: old / new - 1. The other formula is 1 - new / old.
double gain(Cycles old_cycles, Cycles new_cycles);
double saved_share(Cycles old_cycles, Cycles new_cycles);
inline constexpr const char* gain_formula = "cycles in rank order / cycles in status order - 1";

Json describe(const Overhead& overhead);
Json describe(const Case& given);
Json describe(const Outcome& outcome);

/// What happens in each cycle: for the bus its phase and whose block, for busy nodes until when.
/// Only for one root.
Json timeline(const Case& given, const Outcome& outcome);
inline constexpr Cycles timeline_cycles_max = 100'000;

}  // namespace baton::bus
